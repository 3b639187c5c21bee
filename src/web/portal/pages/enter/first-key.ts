/** The value of the key that a sign-up created, until the page of keys shows it. It is in memory only. */
let firstKey: string | undefined;

export function showFirstKey(value: string): void {
  firstKey = value;
}

export function takeFirstKey(): string | undefined {
  const value = firstKey;
  firstKey = undefined;
  return value;
}
