let value: string | undefined;

/** Keeps the value of a new key until the tab is closed, so that samples work when they are copied. It is not stored. */
export function rememberCreatedKey(key: string | undefined): void {
  value = key;
}

export function createdKey(): string | undefined {
  return value;
}
