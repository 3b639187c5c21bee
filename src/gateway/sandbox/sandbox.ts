import type { Clock } from "../../lib/time/clock.ts";
import type { PendingRequest } from "../../platform/http1/client/client-request.ts";
import { Body } from "../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { callHeader, encodeCall, outcomeOf, publicSchemeHeader, type SandboxCall } from "./call.ts";
import type { ProcessRequest } from "./code-connection.ts";
import type { CodeRunner, RunningCode } from "./code-runner.ts";
import {
  type BodyMode,
  type ChangedResponse,
  type CodeContext,
  type CodeRequest,
  type Sandbox,
  type SandboxDecision,
  SandboxFailure,
  type SandboxOptions,
  type SandboxRequestHead,
  type SandboxResponseHead,
  type SendOptions,
} from "./protocol.ts";
import { SourceLines } from "./source-lines.ts";

export interface CallLimits {
  /** The maximum number of requests whose response has not begun. */
  maxInFlight: number;
  /** The maximum time for requests in progress when the sandbox stops. */
  stopSeconds: number;
}

/** A request whose response has not begun. */
interface Passing {
  readonly deadline: number;
  /** Undefined while its process is starting. */
  pending: PendingRequest | undefined;
  failure?: SandboxFailure;
}

/** Calls the code of a version, which runs in a separate process. */
export class WorkerdSandbox implements Sandbox {
  readonly #sources: SourceLines;
  /** The environment of the code, as soon as its process has it. */
  #environment: Record<string, string>;
  #environmentId: string | undefined;
  #lastUse: number;
  #stopping = false;
  readonly #passing = new Set<Passing>();
  /** Resolves when the sandbox stops and the last response has begun. */
  readonly #quiet = Promise.withResolvers<void>();

  constructor(
    options: Pick<SandboxOptions, "code" | "environment">,
    private readonly limits: CallLimits,
    private readonly clock: Clock,
    private readonly runner: CodeRunner,
  ) {
    this.#lastUse = clock.now();
    this.#environment = options.environment;
    this.#environmentId = runner.environmentId(options.environment);
    this.#sources = new SourceLines(options.code);
  }

  get processIds(): number[] {
    return this.runner.processIds;
  }

  /** The time since the last request, 0 while the response to one has not begun. */
  get idleMilliseconds(): number {
    return this.#passing.size > 0 ? 0 : this.clock.now() - this.#lastUse;
  }

  /** Verifies that the code loads. */
  async start(): Promise<void> {
    await this.runner.start();
  }

  async handle(
    module: string,
    { method, protocol, host, target, headers, body }: CodeRequest,
    context: CodeContext,
    options: SendOptions,
  ): Promise<HttpResponse> {
    const { requestId } = context;
    const environment = this.#environmentId;
    headers.setOwn(callHeader, encodeCall({ run: "handler", module, requestId, environment, context }));
    headers.setOwn(publicSchemeHeader, protocol);
    const response = await this.#send({ method, host, target, headers, body }, options);
    outcomeOf(response, this.#sources);
    return response;
  }

  async decide(
    module: string,
    { head, body: content }: { head: SandboxRequestHead; body?: Body | Buffer | undefined },
    context: CodeContext,
    { keepsState = false, ...options }: { timeoutSeconds: number; keepsState?: boolean; sender?: HttpRequest },
  ): Promise<SandboxDecision> {
    const { requestId } = context;
    const environment = this.#environmentId;
    const body = modeOf(content);
    const request = callWith(
      { run: "policy", module, requestId, environment, body, keepsState },
      contentWith({ head, context }, content),
    );
    const response = await this.#send(request, options);
    const outcome = outcomeOf(response, this.#sources);
    if (outcome === undefined) return { response };
    if (outcome === "proceed") {
      const changed = await response.text();
      return { proceed: changed === "" ? undefined : (JSON.parse(changed) as SandboxRequestHead) };
    }
    const { meta, bytes } = await readFrame<ProceedingMeta>(response);
    if (meta.isStreamed) return { proceed: meta.head, body: bytes, state: meta.state };
    // The body was removed: code received one and returned a request without one.
    return {
      proceed: meta.head,
      body: meta.replaces === false ? Body.of(Buffer.alloc(0)) : undefined,
      state: meta.state,
    };
  }

  async respond(
    module: string,
    { head, body: content, hasBody, request }: Parameters<Sandbox["respond"]>[1],
    context: CodeContext,
    { state, ...options }: Parameters<Sandbox["respond"]>[3],
  ): Promise<ChangedResponse> {
    const body = modeOf(content);
    const meta = { response: head, request, context, hasBody: hasBody && content !== undefined, state };
    const { requestId } = context;
    const environment = this.#environmentId;
    const call = callWith({ run: "response", module, requestId, environment, body }, contentWith(meta, content));
    const response = await this.#send(call, options);
    const outcome = outcomeOf(response, this.#sources);
    if (outcome !== "framed") throw new SandboxFailure("crashed", "The code did not respond as the server expects");
    const { meta: changed, bytes } = await readFrame<SandboxResponseHead & { replaces: boolean }>(response);
    const { status, headers, replaces } = changed;
    const isStreamed = replaces || body === "stream";
    return { head: { status, headers }, body: isStreamed ? bytes : undefined, isReplaced: replaces };
  }

  setEnvironment(environment: Record<string, string>): void {
    this.#environment = environment;
    this.#environmentId = this.runner.environmentId(environment);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const end = performance.now() + this.limits.stopSeconds * 1000;
    const tooLate = setTimeout(() => {
      for (const passing of this.#passing) fail(passing, new SandboxFailure("crashed", "The version was stopped"));
    }, this.limits.stopSeconds * 1000);
    // A draining process accepts nothing new, not even requests that were sent and are queued.
    if (this.#passing.size > 0) await this.#quiet.promise;
    clearTimeout(tooLate);
    await this.runner.stop(Math.max(0, end - performance.now()));
  }

  /** Ends requests to code that take too long. Called a few times a second. */
  endLateRequests(): void {
    const now = performance.now();
    for (const passing of this.#passing)
      if (now >= passing.deadline)
        fail(passing, new SandboxFailure("timeout", "The code did not begin to respond in time"));
  }

  async #send(
    request: ProcessRequest,
    { timeoutSeconds, sender, outlivesSender = () => false }: SendOptions,
  ): Promise<HttpResponse> {
    if (this.#stopping) throw new SandboxFailure("crashed", "The version was stopped");
    if (this.#passing.size >= this.limits.maxInFlight) {
      throw new SandboxFailure("busy", `${this.limits.maxInFlight} requests are waiting for the code already`);
    }
    const passing: Passing = { deadline: performance.now() + timeoutSeconds * 1000, pending: undefined };
    this.#passing.add(passing);
    this.#lastUse = this.clock.now();
    let code: RunningCode | undefined;
    try {
      const { current } = this.runner;
      code = current?.isOver === false ? current : await this.runner.start();
      const { connection } = code;
      while (connection.environment !== this.#environment) await connection.setEnvironment(this.#environment);
      // Its timeout may have expired before the process started.
      if (passing.failure) throw passing.failure;
      const { pending, response } = connection.send(request);
      passing.pending = pending;
      const cancel = () => pending.cancel(new Error("the client disconnected"));
      if (sender) sender.abortListener = { onAbort: () => outlivesSender(cancel) || cancel() };
      return await response;
    } catch (error) {
      if (error instanceof SandboxFailure) throw error;
      if (passing.failure) throw passing.failure;
      // An error of the client, not of the code.
      if (sender?.isAborted || sender?.body?.failure) throw error;
      throw await this.#failureOf(code, error);
    } finally {
      if (sender) sender.abortListener = undefined;
      this.#passing.delete(passing);
      if (this.#stopping && this.#passing.size === 0) this.#quiet.resolve();
    }
  }

  /** A connection is lost before the end of its process, and the reason, are known. */
  async #failureOf(code: RunningCode | undefined, error: unknown): Promise<SandboxFailure> {
    const unknown = new SandboxFailure("crashed", `The code did not respond: ${String(error)}`);
    return code ? Promise.race([code.ended, Bun.sleep(1_000).then(() => unknown)]) : unknown;
  }
}

/** A request of a process that is starting fails when it has started. */
function fail(passing: Passing, failure: SandboxFailure): void {
  passing.failure ??= failure;
  passing.pending?.cancel(passing.failure);
}

/** The runtime's report of a policy that lets a request continue. */
interface ProceedingMeta {
  head?: SandboxRequestHead;
  state?: unknown;
  /** Whether the request continues with another body (true) or without one (false). */
  replaces?: boolean;
  /** The bytes of the body follow. */
  isStreamed: boolean;
}

function modeOf(content: Body | Buffer | undefined): BodyMode {
  return content === undefined ? "none" : content instanceof Body ? "stream" : "buffer";
}

function contentWith(meta: unknown, content: Body | Buffer | undefined): string | Buffer | Body {
  if (content === undefined) return JSON.stringify(meta);
  return content instanceof Body ? streamedFrame(meta, content) : frame(meta, content);
}

function callWith(call: SandboxCall, body: string | Buffer | Body): ProcessRequest {
  const headers = new HttpHeaders({ [callHeader]: encodeCall(call) });
  return { method: "POST", host: "sandbox", target: "/", headers, body };
}

/** JSON followed by the bytes of a body: the length of the JSON in 8 hexadecimal digits, the JSON, the bytes. */
const digits = 8;

export function frame(meta: unknown, bytes?: Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(meta));
  const length = Buffer.from(json.length.toString(16).padStart(digits, "0"));
  return Buffer.concat(bytes ? [length, json, bytes] : [length, json]);
}

/** The same with a streamed body. Consumes it. */
export function streamedFrame(meta: unknown, source: Body): Body {
  const target = new FollowingBody(source);
  target.body.push(frame(meta));
  source.consume(target);
  return target.body;
}

interface Frame<Meta> {
  meta: Meta;
  /** The bytes after the JSON, which may still be arriving. */
  bytes: Body;
}

/** Rejects if the response ends before the end of the JSON. */
export function readFrame<Meta>(response: HttpResponse): Promise<Frame<Meta>> {
  const { body } = response;
  const source = body instanceof Body ? body : Body.of(Buffer.from(body ?? ""));
  return new Promise((resolve, reject) => {
    const rest = new FollowingBody(source);
    let head: Buffer | undefined = Buffer.alloc(0);
    source.consume({
      write: (piece) => {
        if (!head) return rest.write(piece);
        head = Buffer.concat([head, piece]);
        const end = digits + Number.parseInt(head.toString("latin1", 0, digits), 16);
        if (head.length < digits || head.length < end) return true;
        const meta = JSON.parse(head.toString("utf8", digits, end)) as Meta;
        const bytes = head.subarray(end);
        head = undefined;
        if (bytes.length > 0) rest.body.push(bytes);
        resolve({ meta, bytes: rest.body });
        return !rest.isPaused;
      },
      end: () => {
        if (head) reject(new Error("the response ended within its head"));
        else rest.end();
      },
      fail: (error) => {
        if (head) reject(error);
        else rest.fail(error);
      },
    });
  });
}

/** Copies a body to another one, with backpressure. */
class FollowingBody {
  readonly body: Body;
  isPaused = false;

  constructor(source: Body) {
    this.body = new Body(undefined, {
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
        source.resume();
      },
      cancel: () => source.cancel(),
    });
  }

  write(piece: Buffer): boolean {
    this.body.push(piece);
    return !this.isPaused;
  }

  end(): void {
    this.body.end();
  }

  fail(error: Error): void {
    this.body.fail(error);
  }
}
