import { Problem } from "../core/problems/problem.ts";
import { ownCopy } from "../lib/own-copy.ts";
import { PathRouter } from "../lib/path-router.ts";
import { splitTarget } from "../platform/http1/target.ts";
import { type RequestOrigin, redactPath } from "../platform/telemetry/log.ts";
import type { Endpoint } from "./endpoint.ts";

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
/** Anybody may send longer ones, without a token too. */
const longestRemembered = 512;

/** Finds the endpoint for a method and path. */
export class Router {
  readonly #paths = new PathRouter<Endpoint>();
  /** A gateway asks for one address millions of times; finding out again what it leads to costs 0.7 µs. */
  readonly #remembered = new Map<string, Map<string, Target>>();

  /** `systemPaths` are served elsewhere, to GET and HEAD only. */
  constructor(
    endpoints: Endpoint[],
    private readonly systemPaths: string[],
  ) {
    for (const endpoint of endpoints) this.#paths.add(endpoint.path, endpoint.method, endpoint);
  }

  find(method: string, address: string): Target {
    const known = this.#remembered.get(method)?.get(address);
    if (known) return known;
    const isShort = address.length <= longestRemembered;
    // What is remembered holds parts of it.
    const own = isShort ? ownCopy(address) : address;
    const { path, search } = splitTarget(own);
    const target: Target = { path, search, shownPath: redactPath(path), match: this.#match(method, path) };
    if (isShort && !(target.match instanceof Problem)) this.#remember(method, own, target);
    return target;
  }

  #remember(method: string, address: string, target: Target): void {
    let targets = this.#remembered.get(method);
    if (!targets || targets.size >= mostRemembered) {
      targets = new Map();
      this.#remembered.set(method, targets);
    }
    targets.set(address, target);
  }

  /** HEAD is GET without its body. */
  #match(method: string, path: string): Match | Problem {
    const found = this.#paths.find(path);
    // A malformed escape names nothing.
    if (found === "malformed") return new Problem("not_found");
    const endpoint = found?.targets[method === "HEAD" ? "GET" : method];
    return found && endpoint
      ? { endpoint, params: found.params }
      : this.#refusal(path, Object.keys(found?.targets ?? {}));
  }

  #refusal(path: string, methods: string[]): Problem {
    const allowed = this.systemPaths.includes(path) ? [...methods, "GET"] : methods;
    if (allowed.length === 0) return new Problem("route_not_found");
    const head = allowed.includes("GET") ? ["HEAD"] : [];
    return new Problem("method_not_allowed", { headers: { allow: [...allowed, ...head].join(", ") } });
  }
}
