import type { ArtifactRoute } from "../deployments/artifact.ts";
import type { ProblemCode } from "../problems/catalogue.ts";
import type { CodeContext } from "../sandbox/protocol.ts";
import type { HttpHeaders } from "../wire/headers.ts";
import type { HttpRequest } from "../wire/http-request.ts";
import type { Asking } from "../wire/question.ts";
import type { Held, Passage, User } from "./policy.ts";

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
}

/** A request that waits for the head of its upstream's answer. */
export interface WaitingForUpstream {
  readonly asking: Asking;
  /** When the upstream is late; unknown while the request is still being sent. */
  deadline: number;
  isLate: boolean;
}

/** One request on its way through a route, with what the gateway itself has to know of it. */
export class Exchange implements Passage {
  user: User | undefined;
  consumerId: string | undefined;
  keyId: string | undefined;
  body: Buffer | undefined;
  answerHeaders: HttpHeaders | undefined;
  refusal: ProblemCode | undefined;
  held: Held | undefined;
  /** What went wrong, for the log alone. */
  failure: unknown;
  /** Whether an upstream is the target, and its turn has come. */
  isAsked = false;
  /** Set while its answer is waited for. */
  waiting: WaitingForUpstream | undefined;

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
    readonly route: ArtifactRoute,
    readonly params: Readonly<Record<string, string>>,
  ) {
    const { request } = arrival;
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
