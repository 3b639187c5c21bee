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

/** A question under way. */
export class Asking {
  /** Rejects where no answer begins. */
  readonly answer: Promise<HttpResponse>;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
  /** Ends whatever is done for it. */
  abandon: (() => void) | undefined;
  isRepeated = false;

  constructor(readonly question: Question) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.answer = promise;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Nobody wants the answer any more. */
  cancel(reason: Error): void {
    this.abandon?.();
    this.reject(reason);
  }
}
