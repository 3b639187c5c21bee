/** The peer broke the rules of HTTP, sent a head larger than allowed or a body too slowly, or there are too many of them. */
export class ProtocolError extends Error {
  constructor(
    message: string,
    /** The status a server responds with. */
    readonly status: 400 | 408 | 413 | 431 | 503 = 400,
  ) {
    super(message);
  }
}
