/** An archive that is not taken. The message is for the person who sent it. */
export class ArchiveRefused extends Error {
  constructor(
    message: string,
    readonly isTooLarge = false,
  ) {
    super(message);
  }
}
