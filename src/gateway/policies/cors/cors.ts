import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { type Policy, type PolicyState, type RequestContext, stateOf } from "../../exchange/policy.ts";
import type { CorsOptions } from "./schema.ts";

/** An allowed origin. */
interface CorsState extends PolicyState {
  origin: string;
}

/** Lets browsers call the API from the allowed origins. Other clients are unaffected. */
export class CorsPolicy implements Policy {
  readonly #exact: ReadonlySet<string>;
  /** `https://*.example.com`, split at the star. */
  readonly #below: readonly { start: string; end: string }[];
  readonly #methods: string;
  readonly #exposed: string;

  constructor(private readonly options: CorsOptions) {
    const origins = options.origins === "*" ? [] : options.origins;
    this.#exact = new Set(origins.filter((origin) => !origin.includes("*")));
    this.#below = origins.filter((origin) => origin.includes("*")).map(splitAtStar);
    this.#methods = options.methods.join(", ");
    this.#exposed = options.exposeHeaders.join(", ");
  }

  /** An origin that is not allowed gets a response without the allowing headers. */
  preflight({ request }: RequestContext): HttpResponse | undefined {
    const origin = request.headers.get("origin");
    if (origin === null || !request.headers.has("access-control-request-method")) return undefined;
    const vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    const response = new HttpResponse(204, new HttpHeaders({ vary }));
    if (!this.#allows(origin)) return response;
    const { headers } = response;
    this.#allowOrigin(headers, origin);
    headers.set("access-control-allow-methods", this.#methods);
    const requested = request.headers.get("access-control-request-headers");
    const allowed = this.options.headers === "*" ? requested : this.options.headers.join(", ");
    if (allowed) headers.set("access-control-allow-headers", allowed);
    headers.set("access-control-max-age", String(this.options.maxAgeSeconds));
    return response;
  }

  /** The origin is kept in the state, because a later policy may remove the header. */
  enter(context: RequestContext): undefined {
    const origin = context.headers.get("origin");
    if (origin === null || !this.#allows(origin)) return;
    const state: CorsState = { policy: this, previous: context.state, origin };
    context.state = state;
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse {
    const { headers } = response;
    // The target's own CORS headers could allow more than this policy.
    for (const name of responseHeaders) headers.delete(name);
    if (this.options.origins !== "*") headers.append("vary", "Origin");
    const state = stateOf<CorsState>(context, this);
    if (!state) return response;
    this.#allowOrigin(headers, state.origin);
    if (this.#exposed !== "") headers.set("access-control-expose-headers", this.#exposed);
    return response;
  }

  #allowOrigin(headers: HttpHeaders, origin: string): void {
    headers.set("access-control-allow-origin", this.options.origins === "*" ? "*" : origin);
    if (this.options.credentials) headers.set("access-control-allow-credentials", "true");
  }

  #allows(origin: string): boolean {
    if (this.options.origins === "*" || this.#exact.has(origin)) return true;
    return this.#below.some(({ start, end }) => isBelow(origin, start, end));
  }
}

const responseHeaders = [
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-expose-headers",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-max-age",
];

function splitAtStar(origin: string): { start: string; end: string } {
  const [start = "", end = ""] = origin.split("*");
  return { start, end };
}

/** The star matches one or more labels, and nothing that would end the host name. */
function isBelow(origin: string, start: string, end: string): boolean {
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false;
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(origin.slice(start.length, origin.length - end.length));
}
