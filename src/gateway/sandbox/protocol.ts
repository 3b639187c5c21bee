import type { PolicyBodies } from "../../core/artifact/artifact.ts";
import type { Body } from "../../platform/http1/message/body.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** `context.user` of code. */
interface CodeUser {
  sub: string;
  data: Record<string, unknown>;
  keyId?: string | undefined;
  client?: string | undefined;
  permissions?: readonly string[] | undefined;
  plan?: string;
  features?: Readonly<Record<string, true | number | string>>;
}

/** The context for code. */
export interface CodeContext {
  requestId: string;
  user: CodeUser | undefined;
  /** W3C trace context, for requests of the code itself. */
  traceparent?: string | undefined;
  params: Readonly<Record<string, string>>;
  /** The path template and method of the route. */
  route: { path: string; method: string; operationId?: string };
  /** For a policy: its options. */
  options?: unknown;
}

/** A request for a handler in code. */
export interface CodeRequest {
  method: string;
  /** The client's protocol: http or https. */
  protocol: string;
  host: string;
  /** Path and query. */
  target: string;
  headers: HttpHeaders;
  body: Body | Buffer | undefined;
}

/** The head of a request, for a policy in code. */
export interface SandboxRequestHead {
  method: string;
  url: string;
  headers: [string, string][];
}

export interface SandboxResponseHead {
  status: number;
  headers: [string, string][];
}

/** The body for a policy in code: none, buffered, or a stream. */
export type BodyMode = PolicyBodies["request"];

/** The decision of a policy in code: a response, or to continue, possibly with another head or body. */
export type SandboxDecision = { response: HttpResponse } | Continuation;

interface Continuation {
  proceed: SandboxRequestHead | undefined;
  /** Replaces the request's body; undefined to keep it. */
  body?: Body | undefined;
  /** `context.state`, for `onResponse`. */
  state?: unknown;
}

/** The result of `onResponse`. */
export interface ChangedResponse {
  head: SandboxResponseHead;
  /** Undefined to keep the body. */
  body: Body | undefined;
  /** Whether the bytes of `body` differ from the response's. */
  isReplaced: boolean;
}

/** A line that code wrote to its console. */
export interface ConsoleLine {
  level: "debug" | "info" | "warn" | "error";
  message: string;
  requestId?: string;
}

export interface SandboxOptions {
  /** The version and its deployment. Processes of the machine that start the same one share its process. */
  id: string;
  /** The ES module of an Artifact. */
  code: string;
  /** The initial `context.environment`. It is written to a temporary file, so secrets are set later. */
  environment: Record<string, string>;
  /** For messages and metrics. */
  name: string;
  onConsole(line: ConsoleLine): void;
}

/**
 * Why code did not respond: an infinite loop, out of memory, too slow, an exception, too many requests. The message is
 * for the deployer's log.
 */
export class SandboxFailure extends Error {
  constructor(
    readonly reason: "stuck" | "memory" | "timeout" | "threw" | "crashed" | "start" | "busy",
    message: string,
  ) {
    super(message);
  }
}

/** Options of a request to code. */
export interface SendOptions {
  timeoutSeconds: number;
  /** The request of the client. If it disconnects, the request to the code is cancelled. */
  sender?: HttpRequest;
  /** Called when the client disconnects. If it returns true, the request continues until `cancel` is called. */
  outlivesSender?: (cancel: () => void) => boolean;
}

/** The code of one version, in a separate process. */
export interface Sandbox {
  /**
   * Runs the default export of a module as a handler. Bodies stream in both directions. Rejects with a SandboxFailure.
   */
  handle(module: string, request: CodeRequest, context: CodeContext, options: SendOptions): Promise<HttpResponse>;
  /** Runs the default export of a module as a policy. */
  decide(
    module: string,
    request: { head: SandboxRequestHead; body?: Body | Buffer | undefined },
    context: CodeContext,
    options: { timeoutSeconds: number; keepsState?: boolean; sender?: HttpRequest },
  ): Promise<SandboxDecision>;
  /** Runs `onResponse` of a module. */
  respond(
    module: string,
    response: {
      head: SandboxResponseHead;
      body: Body | Buffer | undefined;
      hasBody: boolean;
      request: SandboxRequestHead;
    },
    context: CodeContext,
    options: { timeoutSeconds: number; state: unknown; sender: HttpRequest },
  ): Promise<ChangedResponse>;
  /** Replaces `context.environment` for all later requests. */
  setEnvironment(environment: Record<string, string>): void;
  /** Waits for requests in progress, up to a limit, and ends the process. */
  stop(): Promise<void>;
}

/** Starts and supervises sandboxes. */
export interface Sandboxes {
  /** Resolves once the code is loaded and passes a health check; rejects with a SandboxFailure ("start"). */
  start(options: SandboxOptions): Promise<Sandbox>;
  stop(): Promise<void>;
}
