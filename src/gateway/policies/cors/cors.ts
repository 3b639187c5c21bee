import { HttpHeaders } from "../../../platform/http1/headers.ts";
import { HttpResponse } from "../../../platform/http1/http-response.ts";
import type { Held, Passage, Policy } from "../../policy.ts";
import type { CorsOptions } from "./schema.ts";

/** An origin that may call. */
interface HeldOrigin extends Held {
  origin: string;
}

/** Tells browsers which pages may call the API. It keeps nobody else from calling. */
export class CorsPolicy implements Policy {
  readonly #exact: ReadonlySet<string>;
  /** `https://*.example.com`, as what stands before and after the star. */
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

  /** An origin that may not call gets an answer too, without what would let the browser go on. */
  preflight({ request }: Passage): HttpResponse | undefined {
    const origin = request.headers.get("origin");
    if (origin === null || !request.headers.has("access-control-request-method")) return undefined;
    const vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    const answer = new HttpResponse(204, new HttpHeaders({ vary }));
    if (!this.#allows(origin)) return answer;
    const { headers } = answer;
    this.#allowOrigin(headers, origin);
    headers.set("access-control-allow-methods", this.#methods);
    const asked = request.headers.get("access-control-request-headers");
    const allowed = this.options.headers === "*" ? asked : this.options.headers.join(", ");
    if (allowed) headers.set("access-control-allow-headers", allowed);
    headers.set("access-control-max-age", String(this.options.maxAgeSeconds));
    return answer;
  }

  /** The origin is kept: a later policy may take the header away. */
  enter(passage: Passage): undefined {
    const origin = passage.headers.get("origin");
    if (origin === null || !this.#allows(origin)) return;
    const held: HeldOrigin = { by: this, below: passage.held, origin };
    passage.held = held;
  }

  leave(passage: Passage, answer: HttpResponse): HttpResponse {
    const { headers } = answer;
    // What the target says of this would be the wider of two rules.
    for (const name of answerHeaders) headers.delete(name);
    if (this.options.origins !== "*") headers.append("vary", "Origin");
    const { held } = passage;
    if (held?.by !== this) return answer;
    passage.held = held.below;
    this.#allowOrigin(headers, (held as HeldOrigin).origin);
    if (this.#exposed !== "") headers.set("access-control-expose-headers", this.#exposed);
    return answer;
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

const answerHeaders = [
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

/** One or more names stand for the star, and nothing that would end the host name. */
function isBelow(origin: string, start: string, end: string): boolean {
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false;
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(origin.slice(start.length, origin.length - end.length));
}
