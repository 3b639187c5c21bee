import type { Body } from "./body.ts";
import type { HttpHeaders } from "./headers.ts";
import type { HttpResponse } from "./http-response.ts";

/** Where a server is reached. */
export interface Origin {
  /** The same for all that a connection may be shared between. */
  readonly key: string;
  /** What the server is called in requests. */
  readonly host: string;
  readonly connect:
    | { readonly unix: string }
    /** Undefined `tls` is none. */
    | { readonly hostname: string; readonly port: number; readonly tls: Trust | undefined };
}

/** Whose certificate a server must have: the host's, where nothing is said. */
export type Trust = Pick<Bun.TLSOptions, "serverName" | "ca">;

/** What is asked of a server. */
export interface Question {
  origin: Origin;
  method: string;
  /** Path and query. */
  target: string;
  headers: HttpHeaders;
  body: Uint8Array | string | Body | undefined;
  /** The protocol to go on in, if the server agrees. */
  upgrade?: string | undefined;
  /** Never asked a second time, whatever its method. */
  once?: boolean;
  /** Told once the last byte is on its way. */
  onSent?: (() => void) | undefined;
}

/** Who is told how a question was answered: once, by one or the other. */
export interface Receiver {
  answered(response: HttpResponse): void;
  /** No answer begins. */
  failed(error: Error): void;
}

/** A question under way. */
export class Asking {
  /** Ends whatever is done for it. */
  abandon: (() => void) | undefined;
  isRepeated = false;
  #isOver = false;

  constructor(
    readonly question: Question,
    private readonly receiver: Receiver,
  ) {}

  answered(response: HttpResponse): void {
    if (this.#isOver) {
      response.discard();
      return;
    }
    this.#isOver = true;
    this.receiver.answered(response);
  }

  failed(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.receiver.failed(error);
  }

  /** Nobody wants the answer any more. */
  cancel(reason: Error): void {
    this.abandon?.();
    this.failed(reason);
  }
}
