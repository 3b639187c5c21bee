import type { ArtifactPolicy, PolicyBodies } from "../../core/artifact/artifact.ts";
import { Body } from "../../platform/http1/message/body.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { readWhole } from "../../platform/http1/message/read-whole.ts";
import { type Exchange, splitUrl } from "../exchange/exchange.ts";
import { isForClients, isForTargets } from "../exchange/forwarded-headers.ts";
import { type Policy, type PolicyState, stateOf } from "../exchange/policy.ts";
import { clientGoneStatus, reject } from "../exchange/rejection.ts";
import { readRequestBody, rejectUnread } from "../exchange/request-body.ts";
import type { ChangedResponse, Sandbox, SandboxRequestHead } from "../sandbox/protocol.ts";

interface CodePolicyOptions {
  sandbox: Sandbox;
  module: string;
  options: unknown;
  protocol: string;
  /** See PolicyPlace: only whether the code returns a response counts. */
  observes: boolean;
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
}

/** A policy in the project's code. Only the parts that its definition declares pass through the sandbox. */
export function codePolicy(options: CodePolicyOptions, { hasOnResponse, body }: ArtifactPolicy): Policy {
  const { observes } = options;
  const respondsToo = hasOnResponse === true && !observes;
  const decides = new CodePolicy(options, (observes ? observedBodies(body) : body) ?? noBodies, respondsToo);
  const policy: Policy = { enter: (exchange) => decides.enter(policy, exchange as Exchange) };
  if (respondsToo) policy.leave = (exchange, response) => decides.leave(policy, exchange as Exchange, response);
  return policy;
}

/** A body that streams through code could not be passed unchanged: code gets the whole. */
function observedBodies(body: PolicyBodies | undefined): PolicyBodies | undefined {
  if (!body) return undefined;
  if (body.request !== "stream") return { ...body, response: "none" };
  return { request: "buffer", response: "none", maxBytes: maxReplacedBytes };
}

class CodePolicy {
  constructor(
    private readonly options: CodePolicyOptions,
    private readonly bodies: PolicyBodies,
    private readonly hasOnResponse: boolean,
  ) {}

  async enter(policy: Policy, exchange: Exchange): Promise<HttpResponse | undefined> {
    const { sandbox, module, options, protocol, observes } = this.options;
    const head = { method: exchange.method, url: exchange.url(protocol), headers: [...exchange.headers] };
    // Without another promise for a policy that reads no body.
    const body = this.bodies.request === "none" ? undefined : await this.#requestBody(exchange);
    if (body instanceof HttpResponse) return body;
    const decision = await sandbox.decide(module, { head, body }, exchange.codeContext(options), {
      timeoutSeconds: exchange.route.timeoutSeconds,
      keepsState: this.hasOnResponse,
      ...(body instanceof Body && { sender: exchange.request }),
    });
    if (observes) {
      if ("response" in decision) return decision.response;
      decision.body?.cancel();
      return undefined;
    }
    if ("response" in decision) {
      exchange.isRejectedByCode = decision.response.status >= 400 && decision.response.status < 500;
      return decision.response;
    }
    if (decision.proceed) proceedAs(exchange, decision.proceed);
    if (decision.body) {
      const replaced = await this.#replacedBody(decision.body, exchange);
      if (replaced) return replaced;
    }
    // Code could not read a response with the client's content encoding.
    if (this.bodies.response !== "none") exchange.headers.set("accept-encoding", "identity");
    if (this.hasOnResponse) {
      const state: CodeState = { policy, previous: exchange.state, value: decision.state, head };
      exchange.state = state;
    }
    return undefined;
  }

  async #requestBody(exchange: Exchange): Promise<Body | Buffer | undefined | HttpResponse> {
    const body = exchange.body ?? exchange.request.body;
    if (body === undefined) return undefined;
    if (this.bodies.request === "stream") return body instanceof Body ? body : Body.of(body);
    return readRequestBody(exchange, this.bodies.maxBytes, this.options.observes);
  }

  /** With a Content-Length unless it streams: many upstreams reject chunked bodies. */
  async #replacedBody(body: Body, exchange: Exchange): Promise<HttpResponse | undefined> {
    if (this.bodies.request === "stream") {
      exchange.body = body;
      return undefined;
    }
    const bytes = await readWhole(exchange.request, body, maxReplacedBytes);
    if (Buffer.isBuffer(exchange.body)) exchange.request.release(exchange.body.length);
    if (typeof bytes === "string") return rejectUnread(exchange, bytes, maxReplacedBytes);
    exchange.body = bytes;
    return undefined;
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
    const body = isRead ? await this.#responseBody(exchange, response) : undefined;
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

  async #responseBody(exchange: Exchange, response: HttpResponse): Promise<Body | Buffer | undefined | HttpResponse> {
    const { body } = response;
    if (body === undefined) return undefined;
    if (this.bodies.response === "stream") return body instanceof Body ? body : Body.of(Buffer.from(body));
    const encoding = response.headers.get("content-encoding");
    if (encoding !== null && encoding.toLowerCase() !== "identity") {
      response.discard();
      return reject(exchange, "response_unreadable", { detail: "The upstream's response is compressed." });
    }
    try {
      const { request, route } = exchange;
      const bytes = await readWhole(request, body, this.bodies.maxBytes, { responseSeconds: route.timeoutSeconds });
      if (bytes === "too-large") return reject(exchange, "response_too_large");
      if (bytes === "full") return reject(exchange, "buffers_full", { retryAfterSeconds: 1 });
      if (bytes === "late") return reject(exchange, "upstream_timeout");
      if (bytes === "aborted") return new HttpResponse(clientGoneStatus);
      return bytes;
    } catch (error) {
      exchange.failure = error;
      return reject(exchange, "upstream_unavailable");
    }
  }
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
