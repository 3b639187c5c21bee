import type { Body } from "./body.ts";
import type { HttpHeaders } from "./headers.ts";
import type { HttpResponse } from "./http-response.ts";

interface GoneListener {
  gone(): unknown;
}

/** Whom a request came over. */
interface Responder {
  answer(request: HttpRequest, response: HttpResponse): void;
}

/** Says that a request will be answered by its `answer`: a promise costs a gateway 1 µs. */
export const later = Symbol("later");

/** A request as a server has received it; of its body perhaps only the beginning. */
export class HttpRequest {
  /** The sender went away before it was answered. */
  isGone = false;
  #whenGone: GoneListener | undefined;
  #isAnswered = false;

  constructor(
    readonly method: string,
    /** Path and query, with dot segments resolved and without a fragment. */
    readonly target: string,
    readonly headers: HttpHeaders,
    /** Undefined where there is none. */
    readonly body: Body | undefined,
    /** Where the connection comes from; empty for a socket in the file system. */
    readonly ip: string,
    /** Where it can be answered later. */
    private readonly responder?: Responder,
  ) {}

  /** Answers it, after its handler returned `later`. A second answer would be taken for that of the next request. */
  answer(response: HttpResponse): void {
    if (this.#isAnswered) {
      response.discard();
      return;
    }
    this.#isAnswered = true;
    this.responder?.answer(this, response);
  }

  /** Told once, when that happens, or at once where it has. */
  set whenGone(listener: GoneListener | undefined) {
    this.#whenGone = listener;
    if (this.isGone) listener?.gone();
  }

  gone(): void {
    this.isGone = true;
    this.#whenGone?.gone();
  }
}
