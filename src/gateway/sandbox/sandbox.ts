import type { Clock } from "../../lib/time/clock.ts";
import type { PendingRequest } from "../../platform/http1/client/client-request.ts";
import { Body } from "../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { type Call, callHeader, encodeCall, outcomeOf, publicSchemeHeader } from "./call.ts";
import { frame, readFrame, streamedFrame } from "./frame.ts";
import { readUsage } from "./process-usage.ts";
import {
  type BodyMode,
  type ChangedResponse,
  type CodeContext,
  type CodeRequest,
  type Decision,
  type RequestHead,
  type ResponseHead,
  type Sandbox,
  SandboxFailure,
  type SandboxOptions,
} from "./protocol.ts";
import { SourceLines } from "./source-lines.ts";
import { memoryFailure, type ProcessRequest, type WorkerdProcess } from "./workerd-process.ts";

export interface SandboxLimits {
  memoryMegabytes: number;
  /** The CPU time that may pass without a response to a ping. */
  stuckCpuSeconds: number;
  /** A process without requests for this long is ended until the next request. */
  idleSeconds: number;
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

interface Ping {
  readonly process: WorkerdProcess;
  readonly cpuSeconds: number;
}

/** Crashes older than this do not count. */
const forgivenSeconds = 60;
const maxPauseSeconds = 30;

/** Code in a separate process, which is restarted when it ends. */
export class WorkerdSandbox implements Sandbox {
  readonly #sources: SourceLines;
  #process: WorkerdProcess | undefined;
  /** The environment of the code, as soon as its process has it. */
  #environment: Record<string, string>;
  #starting: Promise<WorkerdProcess> | undefined;
  #ping: Ping | undefined;
  #seenCpuSeconds = 0;
  #lastUse: number;
  #deaths = 0;
  #lastDeath = Number.NEGATIVE_INFINITY;
  #lastFailure: SandboxFailure | undefined;
  #stopping = false;
  readonly #passing = new Set<Passing>();
  /** Resolves when the sandbox stops and the last response has begun. */
  readonly #quiet = Promise.withResolvers<void>();
  /** Every process that has not ended, including draining ones. */
  readonly #alive = new Set<WorkerdProcess>();

  constructor(
    private readonly options: SandboxOptions,
    private readonly limits: SandboxLimits,
    private readonly clock: Clock,
    private readonly startProcess: (options: SandboxOptions) => Promise<WorkerdProcess>,
    private readonly onStopped: () => void,
  ) {
    this.#lastUse = clock.now();
    this.#environment = options.environment;
    this.#sources = new SourceLines(options.code);
  }

  get processIds(): number[] {
    return [...this.#alive].map((process) => process.processId);
  }

  /** Verifies that the code loads. */
  async start(): Promise<void> {
    await this.#start();
  }

  async handle(
    module: string,
    { method, protocol, host, target, headers, body }: CodeRequest,
    context: CodeContext,
    options: { timeoutSeconds: number; sender?: HttpRequest },
  ): Promise<HttpResponse> {
    headers.setOwn(callHeader, encodeCall({ run: "handler", module, requestId: context.requestId, context }));
    headers.setOwn(publicSchemeHeader, protocol);
    const response = await this.#send({ method, host, target, headers, body }, options);
    outcomeOf(response, this.#sources);
    return response;
  }

  async decide(
    module: string,
    { head, body: content }: { head: RequestHead; body?: Body | Buffer | undefined },
    context: CodeContext,
    { keepsState = false, ...options }: { timeoutSeconds: number; keepsState?: boolean; sender?: HttpRequest },
  ): Promise<Decision> {
    const { requestId } = context;
    const body = modeOf(content);
    const request = callWith(
      { run: "policy", module, requestId, body, keepsState },
      contentWith({ head, context }, content),
    );
    const response = await this.#send(request, options);
    const outcome = outcomeOf(response, this.#sources);
    if (outcome === undefined) return { response };
    if (outcome === "proceed") {
      const changed = await response.text();
      return { proceed: changed === "" ? undefined : (JSON.parse(changed) as RequestHead) };
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
    const call = callWith({ run: "response", module, requestId: context.requestId, body }, contentWith(meta, content));
    const response = await this.#send(call, options);
    const outcome = outcomeOf(response, this.#sources);
    if (outcome !== "framed") throw new SandboxFailure("crashed", "The code did not respond as the server expects");
    const { meta: changed, bytes } = await readFrame<ResponseHead & { replaces: boolean }>(response);
    const { status, headers, replaces } = changed;
    const isStreamed = replaces || body === "stream";
    return { head: { status, headers }, body: isStreamed ? bytes : undefined, isReplaced: replaces };
  }

  setEnvironment(environment: Record<string, string>): void {
    this.#environment = environment;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#starting?.catch(() => undefined);
    const tooLate = setTimeout(() => {
      for (const process of this.#alive) process.kill(new SandboxFailure("crashed", "The version was stopped"));
    }, this.limits.stopSeconds * 1000);
    // A draining process accepts nothing new, not even requests that were sent and are queued.
    if (this.#passing.size > 0) await this.#quiet.promise;
    for (const process of this.#alive) process.drain();
    await Promise.all([...this.#alive].map((process) => process.ended));
    clearTimeout(tooLate);
    this.onStopped();
  }

  /** Called a few times a second: ends processes that exceed limits or are idle. */
  async watch(): Promise<void> {
    this.#endLateRequests();
    for (const process of this.#alive) await this.#watchProcess(process);
    const idleMilliseconds = this.clock.now() - this.#lastUse;
    if (idleMilliseconds >= this.limits.idleSeconds * 1000 && this.#passing.size === 0) this.#retire();
  }

  async #send(
    request: ProcessRequest,
    { timeoutSeconds, sender }: { timeoutSeconds: number; sender?: HttpRequest },
  ): Promise<HttpResponse> {
    if (this.#stopping) throw new SandboxFailure("crashed", "The version was stopped");
    if (this.#passing.size >= this.limits.maxInFlight) {
      throw new SandboxFailure("busy", `${this.limits.maxInFlight} requests are waiting for the code already`);
    }
    const passing: Passing = { deadline: performance.now() + timeoutSeconds * 1000, pending: undefined };
    this.#passing.add(passing);
    this.#lastUse = this.clock.now();
    let process: WorkerdProcess | undefined;
    try {
      process = this.#process?.isOver === false ? this.#process : await this.#start();
      while (process.environment !== this.#environment) await process.setEnvironment(this.#environment);
      // Its timeout may have expired before the process started.
      if (passing.failure) throw passing.failure;
      const { pending, response } = process.send(request);
      passing.pending = pending;
      if (sender) sender.abortListener = { onAbort: () => pending.cancel(new Error("the client disconnected")) };
      return await response;
    } catch (error) {
      if (error instanceof SandboxFailure) throw error;
      if (passing.failure) throw passing.failure;
      // An error of the client, not of the code.
      if (sender?.isAborted || sender?.body?.failure) throw error;
      throw await this.#failureOf(process, error);
    } finally {
      if (sender) sender.abortListener = undefined;
      this.#passing.delete(passing);
      if (this.#stopping && this.#passing.size === 0) this.#quiet.resolve();
    }
  }

  /** A connection is lost before the end of its process, and the reason, are known. */
  async #failureOf(process: WorkerdProcess | undefined, error: unknown): Promise<SandboxFailure> {
    const unknown = new SandboxFailure("crashed", `The code did not respond: ${String(error)}`);
    return process ? Promise.race([process.ended, Bun.sleep(1_000).then(() => unknown)]) : unknown;
  }

  /** One start at a time for all callers. */
  #start(): Promise<WorkerdProcess> {
    this.#starting ??= this.#startOnce().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #startOnce(): Promise<WorkerdProcess> {
    if (this.#stopping) throw new SandboxFailure("crashed", "The version was stopped");
    const pauseLeft = this.#lastDeath + this.#pauseMilliseconds() - performance.now();
    if (pauseLeft > 0) {
      const seconds = Math.ceil(pauseLeft / 1000);
      const { reason, message } = this.#lastFailure!;
      throw new SandboxFailure(reason, `${message}. It keeps crashing; the next attempt is in ${seconds} s`);
    }
    const process = await this.startProcess(this.options).catch((error: unknown) => {
      if (error instanceof SandboxFailure) this.#died(error);
      throw error;
    });
    this.#process = process;
    this.#seenCpuSeconds = 0;
    this.#alive.add(process);
    process.ended.then((failure) => this.#ended(process, failure));
    return process;
  }

  /** None after the first crash: one bad request should not fail the others. Then it doubles. */
  #pauseMilliseconds(): number {
    if (this.#deaths < 2) return 0;
    return Math.min(maxPauseSeconds, 2 ** (this.#deaths - 2)) * 1000;
  }

  #ended(process: WorkerdProcess, failure: SandboxFailure): void {
    this.#alive.delete(process);
    // A draining process was already replaced; it may end.
    if (this.#process !== process) return;
    this.#process = undefined;
    if (!this.#stopping) this.#died(failure);
  }

  #died(failure: SandboxFailure): void {
    const now = performance.now();
    this.#deaths = now - this.#lastDeath > forgivenSeconds * 1000 ? 1 : this.#deaths + 1;
    this.#lastDeath = now;
    this.#lastFailure = failure;
    this.options.onConsole({ level: "error", message: failure.message });
  }

  #endLateRequests(): void {
    const now = performance.now();
    for (const passing of this.#passing) {
      if (now < passing.deadline) continue;
      passing.failure ??= new SandboxFailure("timeout", "The code did not begin to respond in time");
      passing.pending?.cancel(passing.failure);
    }
  }

  async #watchProcess(process: WorkerdProcess): Promise<void> {
    const usage = await readUsage(process.processId);
    if (!usage || process.isOver) return;
    if (usage.residentBytes > this.limits.memoryMegabytes * 1024 * 1024) {
      process.kill(memoryFailure(this.limits.memoryMegabytes));
      return;
    }
    this.#watchForLoops(process, usage.cpuSeconds);
  }

  /**
   * A busy process is pinged. Only CPU time counts: on an overloaded machine, code that gets no CPU time is not at
   * fault.
   */
  #watchForLoops(process: WorkerdProcess, cpuSeconds: number): void {
    if (this.#ping?.process === process) {
      if (cpuSeconds - this.#ping.cpuSeconds < this.limits.stuckCpuSeconds) return;
      const message = `The code kept its process busy for ${this.limits.stuckCpuSeconds} s without a pause`;
      process.kill(new SandboxFailure("stuck", message));
      return;
    }
    const hasWorked = cpuSeconds > this.#seenCpuSeconds;
    this.#seenCpuSeconds = cpuSeconds;
    if (!hasWorked) return;
    const ping: Ping = { process, cpuSeconds };
    this.#ping = ping;
    const settled = () => {
      if (this.#ping === ping) this.#ping = undefined;
    };
    process.ping().then(settled, settled);
  }

  /** Lets the process finish its streams; the next request starts another one. */
  #retire(): void {
    const process = this.#process;
    this.#process = undefined;
    process?.drain();
  }
}

/** The runtime's report of a policy that lets a request continue. */
interface ProceedingMeta {
  head?: RequestHead;
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

function callWith(call: Call, body: string | Buffer | Body): ProcessRequest {
  const headers = new HttpHeaders({ [callHeader]: encodeCall(call) });
  return { method: "POST", host: "sandbox", target: "/", headers, body };
}
