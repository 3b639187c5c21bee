import type { ArtifactRoute } from "../core/artifact/artifact.ts";
import type { ProblemCode } from "../core/problems/catalogue.ts";
import type { HttpHeaders } from "../platform/http1/headers.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import type { Held, Passage, User } from "./policy.ts";
import type { RunningRoute, ServingVersion } from "./running-route.ts";
import type { CodeContext } from "./sandbox/protocol.ts";

/** A request as it came, before anything is known of where it leads. */
export interface Arrival {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly ip: string;
  /** By which the deployment was found. */
  readonly host: string;
  /** The time of day, and the moment on the clock that only counts. */
  readonly now: number;
  readonly started: number;
  /** As it was sent, but for dot segments. */
  readonly path: string;
  readonly search: string;
  /** Where it found no route: the problem it is rejected with. */
  refusal?: ProblemCode | undefined;
  refusalDetail?: string | undefined;
}

/** One request on its way through a route, with what the gateway itself has to know of it. */
export class Exchange implements Passage {
  user: User | undefined;
  consumerId: string | undefined;
  keyId: string | undefined;
  body: Buffer | undefined;
  answerHeaders: HttpHeaders | undefined;
  refusal: ProblemCode | undefined;
  refusalDetail: string | undefined;
  held: Held | undefined;
  /** What went wrong, for the log alone. */
  failure: unknown;
  /** A policy that the project wrote itself answered with 4xx. */
  isRejectedByCode = false;
  /** How many of the route's policies have let it pass, and have not seen an answer leave. */
  entered = 0;

  readonly route: ArtifactRoute;
  readonly request: HttpRequest;
  readonly search: string;
  readonly now: number;
  readonly requestId: string;
  readonly ip: string;
  readonly headers: HttpHeaders;
  readonly isWebSocket: boolean;
  /** What the target is asked, which a policy in code may change. */
  method: string;
  path: string;
  /** Of the question to the target. */
  query: string;

  constructor(
    readonly arrival: Arrival,
    readonly version: ServingVersion,
    readonly running: RunningRoute,
    readonly params: Readonly<Record<string, string>>,
  ) {
    const { request } = arrival;
    this.route = running.route;
    this.request = request;
    this.search = arrival.search;
    this.query = arrival.search;
    this.path = arrival.path;
    this.now = arrival.now;
    this.requestId = arrival.requestId;
    this.ip = arrival.ip;
    this.method = request.method;
    this.isWebSocket = this.method === "GET" && request.headers.get("upgrade")?.toLowerCase() === "websocket";
    this.headers = request.headers;
  }

  /** What is asked of the target, after its origin and base path. */
  get address(): string {
    return this.query === "" ? this.path : `${this.path}?${this.query}`;
  }

  /** The same as the sender knows it. */
  url(protocol: string): string {
    return `${protocol}://${this.arrival.host}${this.address}`;
  }

  codeContext(options?: unknown): CodeContext {
    const { path, method, operationId } = this.route;
    return {
      requestId: this.requestId,
      user: this.user,
      params: this.params,
      route: operationId === undefined ? { path, method } : { path, method, operationId },
      ...(options === undefined ? {} : { options }),
    };
  }
}

/** Path and query, of a target or of a whole address; a fragment is cut off. */
export function splitUrl(url: string): { path: string; search: string } {
  const from = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  if (from === -1) return { path: "/", search: "" };
  const hash = url.indexOf("#", from);
  const end = hash === -1 ? url.length : hash;
  const mark = url.indexOf("?", from);
  if (mark === -1 || mark >= end) return { path: url.slice(from, end), search: "" };
  return { path: url.slice(from, mark), search: url.slice(mark + 1, end) };
}
