/** Returns the key of an e-mail address: addresses are compared without case. */
export function emailKey(email: string): string {
  return email.toLowerCase();
}
