const visible = /^[\x21-\x7e]{16,512}$/;

/** Returns the error of a supplied key value, if any. */
export function keyError(value: string): string | undefined {
  return visible.test(value) ? undefined : "must be 16 to 512 visible ASCII characters without spaces";
}

/** Returns the end of a key that may be shown: 8 characters, at most a quarter of the key. */
export function visibleSuffix(value: string): string {
  return value.slice(-Math.min(8, Math.floor(value.length / 4)));
}
