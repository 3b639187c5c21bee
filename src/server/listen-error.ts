/** Where a listener listens, and the settings that say so. */
export interface ListenPlace {
  host: string;
  port: number;
  settings: { host: string; port: string };
}

/** A listener that could not be opened. */
export class ListenError extends Error {
  constructor(
    readonly place: ListenPlace,
    /** The system's. */
    override readonly cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }

  get code(): string | undefined {
    return (this.cause as { code?: string }).code;
  }
}
