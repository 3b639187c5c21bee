import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { NameSet } from "../../../platform/http1/message/name-set.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import type { HeadersOptions } from "./schema.ts";

/** Sets and removes headers of requests and responses. */
export class HeadersPolicy implements Policy {
  readonly #request: Changes;
  readonly #response: Changes;

  constructor({ request, response }: HeadersOptions) {
    this.#request = changesOf(request);
    this.#response = changesOf(response);
  }

  enter(context: RequestContext): undefined {
    apply(this.#request, context.headers);
  }

  leave(_: RequestContext, response: HttpResponse): HttpResponse {
    apply(this.#response, response.headers);
    return response;
  }
}

interface Changes {
  /** Includes the headers that are set: no other spelling of them may remain. */
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
