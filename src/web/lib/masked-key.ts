/** A masked key as pages show it: `…50079e96`. The API's `****50079e96` looks like a field that failed to load. */
export const shownKey = (masked: string): string => masked.replace(/^\*{4}/, "…");
