import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import { PathTemplate } from "../path-template/path-template.ts";
import type { RedirectOptions } from "./schema.ts";

/** Redirects every request. */
export class RedirectPolicy implements Policy {
  readonly #to: PathTemplate;

  constructor(private readonly options: RedirectOptions) {
    this.#to = new PathTemplate(options.to);
  }

  enter(context: RequestContext): HttpResponse {
    const to = this.#to.fill(context);
    if (to === undefined)
      return reject(context, "malformed_path", {
        detail: "A parameter would change the structure of the path.",
        decision: { reason: "dot_segments" },
      });
    const location = context.query === "" || /[?#]/.test(this.options.to) ? to : `${to}?${context.query}`;
    return new HttpResponse(this.options.status, new HttpHeaders({ location }));
  }
}
