/** The archive is invalid. The message is for the client that uploaded it. */
export class ArchiveRejected extends Error {
  constructor(
    message: string,
    readonly isTooLarge = false,
  ) {
    super(message);
  }
}
