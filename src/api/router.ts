import { Problem } from "../core/problems/problem.ts";
import { ownCopy } from "../lib/cache/own-copy.ts";
import { PathRouter } from "../lib/http/path-router.ts";
import { splitTarget } from "../platform/http1/message/target.ts";
import { type RequestOrigin, redactPath } from "../platform/telemetry/log.ts";
import type { Endpoint } from "./endpoint.ts";

/** The endpoint and parameters of a request target. */
export interface RouteTarget {
  path: string;
  search: string;
  /** The path with secrets redacted, for the log. */
  shownPath: string;
  match: Match | Problem;
  /** The last caller's part of the log line. */
  lastOrigin?: RequestOrigin;
}

export interface Match {
  endpoint: Endpoint;
  params: Readonly<Record<string, string>>;
}

const maxCachedTargets = 2000;
/** Longer targets are not cached: any client can send them, even without a token. */
const maxCachedLength = 512;

/** Finds the endpoint for a method and path. */
export class Router {
  readonly #paths = new PathRouter<Endpoint>();
  /** A gateway requests the same target millions of times, and matching costs 0.7 µs. */
  readonly #cached = new Map<string, Map<string, RouteTarget>>();

  /** `systemPaths` are served elsewhere, to GET and HEAD only. */
  constructor(
    endpoints: Endpoint[],
    private readonly systemPaths: string[],
  ) {
    for (const endpoint of endpoints) this.#paths.add(endpoint.path, endpoint.method, endpoint);
  }

  find(method: string, address: string): RouteTarget {
    const known = this.#cached.get(method)?.get(address);
    if (known) return known;
    const isShort = address.length <= maxCachedLength;
    // Copied, because cached values would otherwise retain the request head.
    const own = isShort ? ownCopy(address) : address;
    const { path, search } = splitTarget(own);
    const target: RouteTarget = { path, search, shownPath: redactPath(path), match: this.#match(method, path) };
    if (isShort && !(target.match instanceof Problem)) this.#cache(method, own, target);
    return target;
  }

  #cache(method: string, address: string, target: RouteTarget): void {
    let targets = this.#cached.get(method);
    if (!targets || targets.size >= maxCachedTargets) {
      targets = new Map();
      this.#cached.set(method, targets);
    }
    targets.set(address, target);
  }

  /** HEAD is GET without a body. */
  #match(method: string, path: string): Match | Problem {
    const found = this.#paths.find(path);
    // A path with an invalid escape matches no endpoint.
    if (found === "invalid") return new Problem("not_found");
    const endpoint = found?.targets[method === "HEAD" ? "GET" : method];
    return found && endpoint
      ? { endpoint, params: found.params }
      : this.#problem(path, Object.keys(found?.targets ?? {}));
  }

  #problem(path: string, methods: string[]): Problem {
    const allowed = this.systemPaths.includes(path) ? [...methods, "GET"] : methods;
    if (allowed.length === 0) return new Problem("route_not_found");
    const head = allowed.includes("GET") ? ["HEAD"] : [];
    return new Problem("method_not_allowed", { headers: { allow: [...allowed, ...head].join(", ") } });
  }
}
