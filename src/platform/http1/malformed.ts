/** A message that breaks the rules of HTTP, or is larger than it may be. */
export class Malformed extends Error {
  constructor(
    message: string,
    /** What a server answers to it. */
    readonly status: 400 | 431 = 400,
  ) {
    super(message);
  }
}
