import type { Body } from "./body.ts";
import type { HttpHeaders } from "./headers.ts";

/** A request as a server has received it; of its body perhaps only the beginning. */
export class HttpRequest {
  /** The sender went away before it was answered. */
  isGone = false;
  #whenGone: (() => void) | undefined;

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

  /** Told once, when that happens, or at once where it has. */
  set whenGone(tell: (() => void) | undefined) {
    this.#whenGone = tell;
    if (this.isGone) tell?.();
  }

  gone(): void {
    this.isGone = true;
    this.#whenGone?.();
  }
}
