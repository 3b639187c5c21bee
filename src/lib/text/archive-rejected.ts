/** The archive is invalid. The message is for the client that uploaded it. */
export class ArchiveRejected extends Error {
  constructor(
    message: string,
    readonly isTooLarge = false,
  ) {
    super(message);
  }
}

/** Quotes a path for a message. */
export function quoted(path: string): string {
  return JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path);
}
