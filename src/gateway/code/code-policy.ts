import type { ArtifactPolicy, PolicyBodies } from "../../core/artifact/artifact.ts";
import { Body } from "../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { BodyBuffers, BufferedBody } from "../exchange/body-buffers.ts";
import { type Exchange, splitUrl } from "../exchange/exchange.ts";
import { isForClients, isForTargets } from "../exchange/forwarded-headers.ts";
import { type ExchangeOutcome, type Policy, type PolicyState, stateOf } from "../exchange/policy.ts";
import { clientGoneStatus, reject } from "../exchange/rejection.ts";
import type { ChangedResponse, Sandbox, SandboxRequestHead } from "../sandbox/protocol.ts";

interface CodePolicyOptions {
  sandbox: Sandbox;
  module: string;
  options: unknown;
  protocol: string;
  buffers: BodyBuffers;
}

const noBodies: PolicyBodies = { request: "none", response: "none", maxBytes: 0 };

/** The maximum size of a request body that code replaces, unless it streams. */
const maxReplacedBytes = 16 * 1024 * 1024;

/** The state of a policy in code for a request. */
interface CodeState extends PolicyState {
  /** `context.state`. */
  value: unknown;
  /** The request head when the policy decided. */
  head: SandboxRequestHead;
  buffers: BufferedBody[];
}

/** A policy in the project's code. Only the parts that its definition declares pass through the sandbox. */
export function codePolicy(options: CodePolicyOptions, { hasOnResponse, body }: ArtifactPolicy): Policy {
  const decides = new CodePolicy(options, body ?? noBodies, hasOnResponse === true);
  const policy: Policy = { enter: (exchange) => decides.enter(policy, exchange as Exchange) };
  if (hasOnResponse) policy.leave = (exchange, response) => decides.leave(policy, exchange as Exchange, response);
  if (body) policy.done = (exchange, outcome) => decides.done(policy, exchange as Exchange, outcome);
  return policy;
}

class CodePolicy {
  constructor(
    private readonly options: CodePolicyOptions,
    private readonly bodies: PolicyBodies,
    private readonly hasOnResponse: boolean,
  ) {}

  async enter(policy: Policy, exchange: Exchange): Promise<HttpResponse | undefined> {
    const { sandbox, module, options, protocol } = this.options;
    const head = { method: exchange.method, url: exchange.url(protocol), headers: [...exchange.headers] };
    const buffers: BufferedBody[] = [];
    // Without another promise for a policy that reads no body.
    const body = this.bodies.request === "none" ? undefined : await this.#requestBody(exchange, buffers);
    if (body instanceof HttpResponse) return body;
    const decision = await sandbox.decide(module, { head, body }, exchange.codeContext(options), {
      timeoutSeconds: exchange.route.timeoutSeconds,
      keepsState: this.hasOnResponse,
      ...(body instanceof Body && { sender: exchange.request }),
    });
    if ("response" in decision) {
      release(buffers);
      exchange.isRejectedByCode = decision.response.status >= 400 && decision.response.status < 500;
      return decision.response;
    }
    if (decision.proceed) proceedAs(exchange, decision.proceed);
    if (decision.body) {
      const replaced = await this.#replacedBody(decision.body, exchange, buffers);
      if (replaced) return replaced;
    }
    // Code could not read a response with the client's content encoding.
    if (this.bodies.response !== "none") exchange.headers.set("accept-encoding", "identity");
    if (this.hasOnResponse || buffers.length > 0) {
      const state: CodeState = { policy, previous: exchange.state, value: decision.state, head, buffers };
      exchange.state = state;
    }
    return undefined;
  }

  async #requestBody(exchange: Exchange, buffers: BufferedBody[]): Promise<Body | Buffer | undefined | HttpResponse> {
    const body = exchange.body ?? exchange.request.body;
    if (body === undefined) return undefined;
    if (this.bodies.request === "stream") return body instanceof Body ? body : Body.of(body);
    const buffered = await this.options.buffers.read(body, this.bodies.maxBytes);
    if (buffered === "too-large") return reject(exchange, "body_too_large");
    if (typeof buffered === "string") return reject(exchange, "buffers_full", { retryAfterSeconds: 1 });
    buffers.push(buffered);
    exchange.body = buffered.bytes;
    return buffered.bytes;
  }

  /** With a Content-Length unless it streams: many upstreams reject chunked bodies. */
  async #replacedBody(body: Body, exchange: Exchange, buffers: BufferedBody[]): Promise<HttpResponse | undefined> {
    if (this.bodies.request === "stream") {
      exchange.body = body;
      return undefined;
    }
    const buffered = await this.options.buffers.read(body, maxReplacedBytes);
    release(buffers.splice(0));
    if (typeof buffered !== "string") {
      buffers.push(buffered);
      exchange.body = buffered.bytes;
      return undefined;
    }
    if (buffered === "full") return reject(exchange, "buffers_full", { retryAfterSeconds: 1 });
    return reject(exchange, "body_too_large");
  }

  leave(policy: Policy, exchange: Exchange, response: HttpResponse): HttpResponse | Promise<HttpResponse> {
    if (response.tunnel || exchange.request.isAborted) return response;
    const state = stateOf<CodeState>(exchange, policy);
    return state ? this.#respond(state, exchange, response) : response;
  }

  async #respond(state: CodeState, exchange: Exchange, response: HttpResponse): Promise<HttpResponse> {
    const { sandbox, module, options } = this.options;
    const { status } = response;
    const hasBody = exchange.request.method !== "HEAD" && status !== 204 && status !== 304 && response.bodyLength !== 0;
    const isRead = hasBody && this.bodies.response !== "none";
    const body = isRead ? await this.#responseBody(state, exchange, response) : undefined;
    if (body instanceof HttpResponse) return body;
    const headers = [...response.headers];
    const changed = await sandbox.respond(
      module,
      { head: { status, headers }, body, hasBody, request: state.head },
      exchange.codeContext(options),
      { timeoutSeconds: exchange.route.timeoutSeconds, state: state.value, sender: exchange.request },
    );
    // A body that code has not received is unchanged.
    if (changed.isReplaced && body === undefined) response.discard();
    return changedResponse(response, changed, Buffer.isBuffer(body) ? body : undefined, hasBody);
  }

  async #responseBody(
    state: CodeState,
    exchange: Exchange,
    response: HttpResponse,
  ): Promise<Body | Buffer | undefined | HttpResponse> {
    const { body } = response;
    if (body === undefined) return undefined;
    if (this.bodies.response === "stream") return body instanceof Body ? body : Body.of(Buffer.from(body));
    const encoding = response.headers.get("content-encoding");
    if (encoding !== null && encoding.toLowerCase() !== "identity") {
      response.discard();
      return reject(exchange, "response_unreadable", { detail: "The upstream's response is compressed." });
    }
    try {
      const { buffers } = this.options;
      const { request, route } = exchange;
      const { timeoutSeconds } = route;
      const buffered = await buffers.read(body, this.bodies.maxBytes, { timeoutSeconds, request });
      if (buffered === "too-large") return reject(exchange, "response_too_large");
      if (buffered === "full") return reject(exchange, "buffers_full", { retryAfterSeconds: 1 });
      if (buffered === "late") return reject(exchange, "upstream_timeout");
      if (buffered === "aborted") return new HttpResponse(clientGoneStatus);
      state.buffers.push(buffered);
      return buffered.bytes;
    } catch (error) {
      exchange.failure = error;
      return reject(exchange, "upstream_unavailable");
    }
  }

  done(policy: Policy, exchange: Exchange, _: ExchangeOutcome): undefined {
    release(stateOf<CodeState>(exchange, policy)?.buffers ?? []);
  }
}

function release(buffers: BufferedBody[]): void {
  for (const buffered of buffers) buffered.release();
}

/** Headers that describe the bytes of a body, and do not apply to another body. */
const ofBytes = [
  "content-length",
  "etag",
  "content-encoding",
  "digest",
  "content-digest",
  "repr-digest",
  "content-md5",
];

function changedResponse(
  response: HttpResponse,
  { head, body, isReplaced }: ChangedResponse,
  kept: Buffer | undefined,
  hasBody: boolean,
): HttpResponse {
  const headers = new HttpHeaders();
  for (const [name, value] of head.headers) if (isForClients(name)) headers.append(name, value);
  const length = response.headers.get("content-length");
  if (!isReplaced) {
    if (length !== null) headers.setOwn("content-length", length);
  } else {
    // Headers that code has set describe the new body.
    for (const name of ofBytes)
      if (name === "content-length" || headers.get(name) === response.headers.get(name)) headers.delete(name);
  }
  if (!hasBody) return new HttpResponse(head.status, headers);
  return new HttpResponse(head.status, headers, body ?? (isReplaced ? undefined : (kept ?? response.body)));
}

/** The route determines the origin: only path and query of a changed URL are used. */
function proceedAs(exchange: Exchange, head: SandboxRequestHead): void {
  const { path, search } = splitUrl(head.url);
  exchange.path = path;
  exchange.query = search;
  exchange.method = head.method.toUpperCase();
  const { headers } = exchange;
  for (const name of [...headers.keys()]) if (isForTargets(name)) headers.delete(name);
  for (const [name, value] of head.headers) if (isForTargets(name.toLowerCase())) headers.append(name, value);
}
