/**
 * Returns the key of an email address: addresses are compared without case. A character whose lower case is an ASCII letter,
 * such as the Kelvin sign, is another character than that letter, and stays.
 */
export function emailKey(email: string): string {
  return email.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return letter > "\x7f" && /[\0-\x7f]/.test(lower) ? letter : lower;
  });
}
