const visible = /^[\x21-\x7e]{16,512}$/;

/** What is wrong with a key value that somebody supplies, if anything. */
export function keyError(value: string): string | undefined {
  return visible.test(value) ? undefined : "must be 16 to 512 visible ASCII characters without spaces";
}

/** The end of a key that may be shown: 8 characters, at most a quarter of it. */
export function visibleSuffix(value: string): string {
  return value.slice(-Math.min(8, Math.floor(value.length / 4)));
}
