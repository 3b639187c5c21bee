/**
 * In an artifact a placeholder stands for each secret: lower-case letters and digits, so that it survives in a host name, a path
 * and a header. `Artifact.secrets` maps placeholders to names; the builder picks a salt that nothing else in the project contains.
 */
export function secretPlaceholder(salt: number, index: number): string {
  return `${placeholderPrefix(salt)}${index}x`;
}

export function placeholderPrefix(salt: number): string {
  return `tgsecret${salt}x`;
}

const anyPlaceholder = /tgsecret\d+x\d+x/;

/** Whether a text of an artifact stands for something that only the start of a version knows. */
export function containsPlaceholder(text: string): boolean {
  return anyPlaceholder.test(text);
}

function beginsWithPlaceholder(text: string): boolean {
  return text.search(anyPlaceholder) === 0;
}

/** Replaces every placeholder in the strings of a JSON value. Returns the value itself where it contains none. */
export function replacePlaceholders(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") return replace(value);
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const replaced = replacePlaceholders(member, replace);
    if (replaced !== member) changed = true;
    return [name, replaced];
  });
  if (!changed) return value;
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}

/** An upstream as an artifact has it. Undefined where the text is none; what a secret begins can only be checked where it is known. */
export function artifactUpstream(text: string): string | undefined {
  return beginsWithPlaceholder(text) ? text.replace(/\/+$/, "") : originAndBasePath(text);
}

/** The origin and base path of an upstream, without a slash at the end. Undefined where the text is something else. */
export function originAndBasePath(text: string): string | undefined {
  // A URL without a query can still end in the question mark of one.
  if (!/^https?:\/\/[^\s\\?#@]+$/i.test(text)) return undefined;
  const url = URL.parse(text);
  return url ? (url.origin + url.pathname).replace(/\/+$/, "") : undefined;
}
