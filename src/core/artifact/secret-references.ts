/**
 * In an artifact each secret is replaced by a placeholder of lower-case letters and digits, which is valid in a host
 * name, a path and a header. `Artifact.secrets` maps placeholders to names. The builder chooses a salt that does not
 * occur elsewhere in the project.
 */
export function secretPlaceholder(salt: number, index: number): string {
  return `${placeholderPrefix(salt)}${index}x`;
}

export function placeholderPrefix(salt: number): string {
  return `tgsecret${salt}x`;
}

const anyPlaceholder = /tgsecret\d+x\d+x/;

/** Whether a text of an artifact contains a placeholder, whose value is known only when a version starts. */
export function containsPlaceholder(text: string): boolean {
  return anyPlaceholder.test(text);
}

function beginsWithPlaceholder(text: string): boolean {
  return text.search(anyPlaceholder) === 0;
}

/** Replaces every placeholder in the strings of a JSON value. Returns the value itself if it contains none. */
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

/**
 * Parses an upstream as stored in an artifact. Returns undefined if the text is invalid. An upstream that begins with a
 * secret can be validated only when its value is known.
 */
export function artifactUpstream(text: string): string | undefined {
  return beginsWithPlaceholder(text) ? text.replace(/\/+$/, "") : originAndBasePath(text);
}

/** Returns the origin and base path of an upstream, without a trailing slash. Undefined if the text is invalid. */
export function originAndBasePath(text: string): string | undefined {
  // A URL with an empty query still ends in a question mark.
  if (!/^https?:\/\/[^\s\\?#@]+$/i.test(text)) return undefined;
  const url = URL.parse(text);
  return url ? (url.origin + url.pathname).replace(/\/+$/, "") : undefined;
}
