import type { PolicyBodies } from "../../core/artifact/artifact.ts";
import type { Body } from "../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** `context.user` of code. */
export interface CodeUser {
  sub: string;
  data: Record<string, unknown>;
  keyId?: string | undefined;
  permissions?: readonly string[] | undefined;
}

/** The context that code gets beside its request. */
export interface CodeContext {
  requestId: string;
  user: CodeUser | undefined;
  /** W3C trace context, for requests that the code makes itself. */
  traceparent?: string | undefined;
  params: Readonly<Record<string, string>>;
  /** The path template and method of the route. */
  route: { path: string; method: string; operationId?: string };
  /** Of a policy: its options. */
  options?: unknown;
}

/** A request for a handler in code. */
export interface CodeRequest {
  method: string;
  /** As the sender sees it: http or https. */
  protocol: string;
  host: string;
  /** Path and query. */
  target: string;
  headers: HttpHeaders;
  body: Body | Buffer | undefined;
}

/** The head of a request, as a policy in code sees it. */
export interface RequestHead {
  method: string;
  url: string;
  headers: [string, string][];
}

export interface ResponseHead {
  status: number;
  headers: [string, string][];
}

/** Which body a policy in code gets: none, the whole of it, or a stream. */
export type BodyMode = PolicyBodies["request"];

/** What a policy in code decided: a response, or to continue, perhaps with another head or body. */
export type Decision = { response: HttpResponse } | Proceeding;

export interface Proceeding {
  proceed: RequestHead | undefined;
  /** In place of the request's; undefined: that one, as it is. */
  body?: Body | undefined;
  /** `context.state`, for `onResponse`. */
  state?: unknown;
}

/** What `onResponse` made of a response. */
export interface ChangedResponse {
  head: ResponseHead;
  /** Undefined: the body stays as it is. */
  body: Body | undefined;
  /** Whether `body` has other bytes than the response had. */
  isReplaced: boolean;
}

/** A line that code wrote to its console. */
export interface ConsoleLine {
  level: "debug" | "info" | "warn" | "error";
  message: string;
  requestId?: string;
}

export interface SandboxOptions {
  /** The ES module of an Artifact. */
  code: string;
  /** `context.environment` until another is set. Written to a file for a moment: secrets are set later. */
  environment: Record<string, string>;
  /** For messages and metrics. */
  name: string;
  onConsole(line: ConsoleLine): void;
}

/** Why code did not respond: stopped for looping, out of memory, too slow, thrown, too many at once. The message is for the deployer's log. */
export class SandboxFailure extends Error {
  constructor(
    readonly reason: "stuck" | "memory" | "timeout" | "threw" | "crashed" | "start" | "busy",
    message: string,
  ) {
    super(message);
  }
}

/** The code of one version, running in a process of its own. */
export interface Sandbox {
  /** Runs the default export of a module as a handler. Bodies stream both ways. Rejects with a SandboxFailure. */
  handle(
    module: string,
    request: CodeRequest,
    context: CodeContext,
    options: { timeoutSeconds: number; sender?: HttpRequest },
  ): Promise<HttpResponse>;
  /** Runs the default export of a module as a policy. */
  decide(
    module: string,
    request: { head: RequestHead; body?: Body | Buffer | undefined },
    context: CodeContext,
    options: { timeoutSeconds: number; keepsState?: boolean; sender?: HttpRequest },
  ): Promise<Decision>;
  /** Runs `onResponse` of a module. */
  respond(
    module: string,
    response: { head: ResponseHead; body: Body | Buffer | undefined; hasBody: boolean; request: RequestHead },
    context: CodeContext,
    options: { timeoutSeconds: number; state: unknown; sender: HttpRequest },
  ): Promise<ChangedResponse>;
  /** Replaces `context.environment` for every request from the next one on. */
  setEnvironment(environment: Record<string, string>): void;
  /** Waits for what is under way, up to a bound, and ends the process. */
  stop(): Promise<void>;
}

/** Starts sandboxes and watches over them. */
export interface Sandboxes {
  /** Resolves once the code is loaded and passes a health check; rejects with a SandboxFailure ("start"). */
  start(options: SandboxOptions): Promise<Sandbox>;
  stop(): Promise<void>;
}
