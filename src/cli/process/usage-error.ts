/** The command line is invalid: exit code 2, and no request was sent. */
export class UsageError extends Error {
  /** A hint: what to type instead. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
