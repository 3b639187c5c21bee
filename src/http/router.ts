import type { Result } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { Problem } from "../problems/problem.ts";
import { redactPath } from "../telemetry/log.ts";
import type { Endpoint, Method } from "./endpoint.ts";

const methods: Method[] = ["GET", "POST", "PATCH", "DELETE"];

export interface Match {
  endpoint: Endpoint;
  params: Readonly<Record<string, string>>;
  /** The path as a log may show it. */
  shownPath: string;
}

/** Enough for the paths that are asked for all the time, whatever else is asked for in between. */
const mostRemembered = 2000;

/** Finds the endpoint for a method and path; the paths of all endpoints are one regular expression. */
export class Router {
  readonly #router = new RegExpRouter<Endpoint>();
  /** A gateway asks for one path millions of times; finding its match again costs 0.5 µs. */
  readonly #remembered = new Map<string, Map<string, Match>>();

  /** `systemPaths` are served elsewhere, to GET and HEAD only. */
  constructor(
    endpoints: Endpoint[],
    private readonly systemPaths: string[],
  ) {
    for (const endpoint of endpoints) {
      this.#router.add(endpoint.method, endpoint.path.replace(/\{(\w+)\}/g, ":$1"), endpoint);
    }
  }

  /** HEAD is GET without its body. */
  match(method: string, path: string): Match {
    const known = this.#remembered.get(method)?.get(path);
    if (known) return known;
    const result = this.#router.match(method === "HEAD" ? "GET" : method, path);
    const found = result[0][0];
    if (!found) throw this.#refusal(path);
    const match = { endpoint: found[0] as Endpoint, params: parametersOf(result), shownPath: redactPath(path) };
    this.#remember(method, path, match);
    return match;
  }

  #remember(method: string, path: string, match: Match): void {
    let matches = this.#remembered.get(method);
    if (!matches || matches.size >= mostRemembered) {
      matches = new Map();
      this.#remembered.set(method, matches);
    }
    matches.set(path, match);
  }

  #refusal(path: string): Problem {
    const allowed: string[] = methods.filter((method) => this.#router.match(method, path)[0].length > 0);
    if (this.systemPaths.includes(path)) allowed.push("GET");
    if (allowed.length === 0) return new Problem("route_not_found");
    if (allowed.includes("GET")) allowed.push("HEAD");
    return new Problem("method_not_allowed", { headers: { allow: allowed.join(", ") } });
  }
}

function parametersOf(result: Result<Endpoint>): Record<string, string> {
  const params: Record<string, string> = {};
  const [, indexes] = result[0][0]!;
  const values = result[1];
  for (const name in indexes) {
    const at = indexes[name] as string | number;
    params[name] = decode(typeof at === "number" ? (values?.[at] ?? "") : at);
  }
  return params;
}

/** What cannot be a name of ours cannot be found either. */
function decode(part: string): string {
  if (!part.includes("%")) return part;
  try {
    const text = decodeURIComponent(part);
    if (!text.includes("\0")) return text;
  } catch {
    // fall through: a malformed escape names nothing
  }
  throw new Problem("not_found");
}
