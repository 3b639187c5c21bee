/**
 * The value of the key that a sign-up created, until the person has stored it. It is in memory only. React may render a
 * page and discard the result, so reading it must not clear it.
 */
let firstKey: string | undefined;

export function showFirstKey(value: string): void {
  firstKey = value;
}

export function readFirstKey(): string | undefined {
  return firstKey;
}

export function forgetFirstKey(): void {
  firstKey = undefined;
}
