import { HttpHeaders } from "../../../platform/http1/headers.ts";
import type { HttpResponse } from "../../../platform/http1/http-response.ts";
import { NameSet } from "../../../platform/http1/name-set.ts";
import type { Passage, Policy } from "../../policy.ts";
import type { HeadersOptions } from "./schema.ts";

/** Sets and takes away headers, of requests on their way to the target and of answers on their way back. */
export class HeadersPolicy implements Policy {
  readonly #request: Changes;
  readonly #response: Changes;

  constructor({ request, response }: HeadersOptions) {
    this.#request = changesOf(request);
    this.#response = changesOf(response);
  }

  enter(passage: Passage): undefined {
    apply(this.#request, passage.headers);
  }

  leave(_: Passage, answer: HttpResponse): HttpResponse {
    apply(this.#response, answer.headers);
    return answer;
  }
}

interface Changes {
  /** What is set too: no other spelling of it may stand beside it. */
  removed: NameSet;
  set: HttpHeaders;
}

function changesOf({ remove, set }: HeadersOptions["request"]): Changes {
  return { removed: new NameSet(...remove, ...Object.keys(set)), set: new HttpHeaders(set) };
}

function apply({ removed, set }: Changes, headers: HttpHeaders): void {
  headers.deleteAll(removed);
  headers.setAll(set);
}
