import type { Body } from "./body.ts";
import type { HttpHeaders } from "./headers.ts";

/** A request as a server has received it; of its body perhaps only the beginning. */
export class HttpRequest {
  /** The sender went away before it was answered. */
  isGone = false;
  /** Told once, when that happens. */
  whenGone: (() => void) | undefined;

  constructor(
    readonly method: string,
    /** Path and query, with dot segments resolved and without a fragment. */
    readonly target: string,
    readonly headers: HttpHeaders,
    /** Undefined where there is none. */
    readonly body: Body | undefined,
    /** Where the connection comes from; empty for a socket in the file system. */
    readonly ip: string,
  ) {}

  gone(): void {
    this.isGone = true;
    this.whenGone?.();
  }
}
