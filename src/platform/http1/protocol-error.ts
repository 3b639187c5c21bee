/** The peer broke the rules of HTTP, or sent a head larger than allowed. */
export class ProtocolError extends Error {
  constructor(
    message: string,
    /** The status a server responds with. */
    readonly status: 400 | 431 = 400,
  ) {
    super(message);
  }
}
