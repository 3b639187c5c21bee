/** The peer violated HTTP, sent too large a head, sent a body too slowly, or exceeded the limit of connections. */
export class ProtocolError extends Error {
  constructor(
    message: string,
    /** The status a server responds with. */
    readonly status: 400 | 408 | 413 | 431 | 503 = 400,
  ) {
    super(message);
  }
}
