const hashSize = 32;
const maxLength = 512;
const visible = /^[\x21-\x7e]{16,512}$/;

/** Returns the error of a supplied key value, if any. */
export function keyError(value: string): string | undefined {
  return visible.test(value) ? undefined : "must be 16 to 512 visible ASCII characters without spaces";
}

/** Whether a text is too long to be a key, of whatever origin. */
export function isTooLong(value: string): boolean {
  return value.length > maxLength;
}

/** Reads a SHA-256 in hex or base64. Undefined if the text is not one. */
export function parseHash(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return undefined;
  const hash = Buffer.from(text, "base64");
  return hash.length === hashSize && hash.toString("base64") === text ? hash : undefined;
}

/** Returns the end of a key that may be shown: 8 characters, at most a quarter of the key. */
export function visibleSuffix(value: string): string {
  return value.slice(-Math.min(8, Math.floor(value.length / 4)));
}
