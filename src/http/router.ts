import type { Result } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { Problem } from "../problems/problem.ts";
import { type RequestOrigin, redactPath } from "../telemetry/log.ts";
import type { Endpoint, Method } from "./endpoint.ts";
import { splitAddress } from "./request.ts";

const methods: Method[] = ["GET", "POST", "PATCH", "DELETE"];

/** What a request's address leads to. */
export interface Target {
  path: string;
  search: string;
  /** The path as a log may show it. */
  shownPath: string;
  match: Match | Problem;
  /** Who asked for it last, for the log. */
  lastOrigin?: RequestOrigin;
}

export interface Match {
  endpoint: Endpoint;
  params: Readonly<Record<string, string>>;
}

/** Enough for the addresses that are asked for all the time, whatever else is asked for in between. */
const mostRemembered = 2000;

/** Finds the endpoint for a method and path; the paths of all endpoints are one regular expression. */
export class Router {
  readonly #router = new RegExpRouter<Endpoint>();
  /** A gateway asks for one address millions of times; finding out again what it leads to costs 0.7 µs. */
  readonly #remembered = new Map<string, Map<string, Target>>();

  /** `systemPaths` are served elsewhere, to GET and HEAD only. */
  constructor(
    endpoints: Endpoint[],
    private readonly systemPaths: string[],
  ) {
    for (const endpoint of endpoints) {
      this.#router.add(endpoint.method, endpoint.path.replace(/\{(\w+)\}/g, ":$1"), endpoint);
    }
  }

  find(method: string, url: string): Target {
    const known = this.#remembered.get(method)?.get(url);
    if (known) return known;
    const { path, search } = splitAddress(url);
    const target: Target = { path, search, shownPath: redactPath(path), match: this.#match(method, path) };
    if (!(target.match instanceof Problem)) this.#remember(method, url, target);
    return target;
  }

  #remember(method: string, url: string, target: Target): void {
    let targets = this.#remembered.get(method);
    if (!targets || targets.size >= mostRemembered) {
      targets = new Map();
      this.#remembered.set(method, targets);
    }
    targets.set(url, target);
  }

  /** HEAD is GET without its body. */
  #match(method: string, path: string): Match | Problem {
    const result = this.#router.match(method === "HEAD" ? "GET" : method, path);
    const found = result[0][0];
    if (!found) return this.#refusal(path);
    const params = parametersOf(result);
    return params ? { endpoint: found[0] as Endpoint, params } : new Problem("not_found");
  }

  #refusal(path: string): Problem {
    const allowed: string[] = methods.filter((method) => this.#router.match(method, path)[0].length > 0);
    if (this.systemPaths.includes(path)) allowed.push("GET");
    if (allowed.length === 0) return new Problem("route_not_found");
    if (allowed.includes("GET")) allowed.push("HEAD");
    return new Problem("method_not_allowed", { headers: { allow: allowed.join(", ") } });
  }
}

/** Undefined if one of them cannot be the name of anything. */
function parametersOf(result: Result<Endpoint>): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  const [, indexes] = result[0][0]!;
  const values = result[1];
  for (const name in indexes) {
    const at = indexes[name] as string | number;
    const value = decode(typeof at === "number" ? (values?.[at] ?? "") : at);
    if (value === undefined) return undefined;
    params[name] = value;
  }
  return params;
}

function decode(part: string): string | undefined {
  if (!part.includes("%")) return part;
  try {
    const text = decodeURIComponent(part);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // a malformed escape names nothing
  }
}
