import { createHash } from "node:crypto";
import { grantsPermission } from "../../areas/api-keys/keys/permissions.ts";
import type { ProviderOperation } from "../../core/artifact/models-schema.ts";
import { Problem } from "../../core/problems/problem.ts";
import { addressGroup } from "../../lib/network/address-group.ts";
import { runInSlices } from "../../lib/tasks/slices.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { readWhole, type Unread } from "../../platform/http1/message/read-whole.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { errorShapeOf } from "../exchange/model-errors.ts";
import { rejectUnread } from "../exchange/request-body.ts";
import type { UpstreamProxy } from "../upstreams/calls/proxy.ts";
import { beginModelCall, beginModelsList, type ModelCall, type ModelRequest } from "./metering/model-call.ts";
import { cooldownKey, ProviderCall, rejectCooling } from "./provider-call.ts";
import { badMember } from "./request/invalid-request.ts";
import { notPermitted } from "./request/members.ts";
import { type ParsedRequest, readRequest } from "./request/read-request.ts";
import { isPriced, notPriced } from "./request/tools.ts";
import { Cooldowns } from "./targets/cooldowns.ts";
import type { ModelsRoute, RunningAlias, RunningModels, RunningTarget } from "./targets/running-models.ts";

/** The maximum size of a request to a model. */
const maxRequestBytes = 32 * 1024 * 1024;

type Served = HttpResponse | undefined;

/** A buffered body, which counts in the memory of its request until it is released. */
interface ModelBody {
  bytes: Buffer;
  /** Counts bytes in addition, until the body is released. False if there is no room. */
  reserve(bytes: number): boolean;
  release(): void;
}

/** A request to an operation of a provider. */
interface Incoming {
  exchange: Exchange;
  route: ModelsRoute;
  operation: ProviderOperation;
}

/** Serves the requests of models routes. */
export class ModelsHandler {
  readonly #cooldowns: Cooldowns;

  constructor(
    private readonly proxy: UpstreamProxy,
    clock: Clock,
  ) {
    this.#cooldowns = new Cooldowns(clock);
  }

  /**
   * Serves a request. Returns a response, or undefined if the proxy continues the exchange later. Throws a Problem for a
   * request that breaks a rule.
   */
  serve(exchange: Exchange, route: ModelsRoute): Served | Promise<Served> {
    const { operation } = route;
    if (operation === "models" || operation === "models/{id}") return serveList(exchange, route);
    checkEncoding(exchange);
    const { request } = exchange;
    request.customer = consumerOf(exchange);
    const bytes = readWhole(request, exchange.body ?? request.body ?? "", maxRequestBytes);
    const incoming = { exchange, route, operation };
    if (bytes instanceof Promise) return bytes.then((result) => this.#serveBody(incoming, result));
    return this.#serveBody(incoming, bytes);
  }

  /** Releases the body of a request that is not sent. */
  #serveBody(incoming: Incoming, bytes: Buffer | Unread): Served | Promise<Served> {
    const { exchange } = incoming;
    if (typeof bytes === "string") return rejectUnread(exchange, bytes, maxRequestBytes);
    let held = bytes.length;
    const release = () => {
      exchange.request.release(held);
      held = 0;
    };
    const reserve = (more: number) => {
      if (!exchange.request.reserve(more)) return false;
      held += more;
      return true;
    };
    const body = { bytes, reserve, release };
    const released = (response: Served) => {
      if (response) body.release();
      return response;
    };
    const failed = (error: unknown): never => {
      body.release();
      throw error;
    };
    try {
      const served = this.#serveRequest(incoming, body);
      return served instanceof Promise ? served.then(released, failed) : released(served);
    } catch (error) {
      return failed(error);
    }
  }

  #serveRequest({ exchange, route, operation }: Incoming, body: ModelBody): Served | Promise<Served> {
    const { models, options } = route;
    const checkModel = (name: string) => checkOperation(findAlias(models, name, exchange.permissions), operation);
    const reserve = (bytes: number) => {
      if (!body.reserve(bytes)) throw new Problem("buffers_full", { retryAfterSeconds: 1 });
    };
    const read = runInSlices(readRequest(body.bytes, operation, options, { checkModel, reserve }));
    const serve = (request: ParsedRequest) => this.#serveRead({ exchange, route, operation }, body, request);
    return read instanceof Promise ? read.then(serve) : serve(read);
  }

  #serveRead(
    { exchange, route, operation }: Incoming,
    body: ModelBody,
    request: ParsedRequest,
  ): Served | Promise<Served> {
    const { models, options } = route;
    const alias = findAlias(models, request.model, exchange.permissions);
    checkDocuments(request, alias, route);
    const consumer = consumerOf(exchange);
    const ordered = targetsFor(alias, offeredTargets(alias, request), consumer);
    const waits = ordered.map((target) => this.#cooldowns.remainingSeconds(cooldownKey(target, operation), consumer));
    const targets = ordered.filter((_, index) => waits[index] === 0);
    if (targets.length === 0) return rejectCooling(exchange, Math.min(...waits));
    const begun = beginModelCall(exchange, countedRequest(request, alias, options.clampOutput), targets[0]!);
    const send = (call: ModelCall | HttpResponse): Served => {
      if (call instanceof HttpResponse) return call;
      const { proxy } = this;
      const release = () => body.release();
      const cooldowns = this.#cooldowns;
      new ProviderCall({ exchange, proxy, request, consumer, targets, call, options, cooldowns, release }).start();
      return undefined;
    };
    return begun instanceof Promise ? begun.then(send) : send(begun);
  }
}

function serveList(exchange: Exchange, route: ModelsRoute): HttpResponse | Promise<HttpResponse> {
  const begun = beginModelsList(exchange);
  if (begun instanceof Promise) return begun.then((rejection) => rejection ?? listModels(exchange, route));
  return begun ?? listModels(exchange, route);
}

/** A consumer, or the network of a client without one. */
function consumerOf({ consumerId, user, ip }: Exchange): string {
  return consumerId ?? (user ? `user ${user.sub}` : `network ${addressGroup(ip)}`);
}

/** Throws if the request has a document by URL: its tokens are unknown, so they cannot be held. */
function checkDocuments({ input }: ParsedRequest, { definition }: RunningAlias, { options }: ModelsRoute): void {
  if (!input.hasDocumentUrl || definition.inputHold !== undefined || options.unmetered) return;
  throw new Problem("request_invalid", {
    detail: "The request has a document by URL, whose size is unknown; this model accepts documents only by value.",
  });
}

/** The request as far as counting needs it. */
function countedRequest(
  request: ParsedRequest,
  { name, definition, hasReasoning }: RunningAlias,
  clampOutput: boolean,
): ModelRequest {
  const { operation, isStream, choices, thinkingBudget, input, bytes } = request;
  const hasOutput = operation !== "embeddings" && operation !== "messages/count_tokens";
  const inputBytes = bytes.length - input.imageBytes;
  const outputLimit = hasOutput ? smallestDefined(request.outputLimit, definition.maxOutputTokens) : undefined;
  // Without a limit, its output could not be held.
  if (hasOutput && outputLimit === undefined) throw badMember("max_tokens", "is required");
  return {
    operation,
    alias: name,
    definition,
    isStream,
    outputLimit,
    choices,
    thinkingBudget,
    asksAudio: request.asksAudio,
    hidesOutput: request.asksAudio || hasReasoning || (request.asksReasoning && definition.reasoning !== false),
    inputBytes,
    images: input.images,
    textBytes: input.textBytes,
    clampOutput,
  };
}

function smallestDefined(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : other === undefined ? one : Math.min(one, other);
}

/** The targets that permit everything that the request has, and have a price for it. */
function offeredTargets(alias: RunningAlias, { features, otherMembers }: ParsedRequest): readonly RunningTarget[] {
  const targets =
    otherMembers.length === 0
      ? alias.targets
      : alias.targets.filter(({ members }) => otherMembers.every((name) => members.has(name)));
  if (targets.length === 0)
    throw notPermitted(otherMembers.find((name) => !alias.targets[0]!.members.has(name)) ?? otherMembers[0]!);
  if (features.length === 0) return targets;
  const offered = targets.filter(({ price }) => features.every((feature) => isPriced(price, feature)));
  if (offered.length > 0) return offered;
  throw notPriced(features.find((feature) => !isPriced(targets[0]!.price, feature)) ?? features[0]!);
}

/**
 * Targets of an alias in the order in which they are tried: those with the lowest priority first. Within one, a
 * consumer keeps its target, because providers cache prompts; the weights are the shares of consumers.
 */
function targetsFor(
  { hasChoice }: RunningAlias,
  targets: readonly RunningTarget[],
  consumer: string,
): readonly RunningTarget[] {
  if (!hasChoice) return targets;
  const scores = new Map(targets.map((target) => [target, scoreOf(target, consumer)]));
  return [...targets].sort((one, other) => one.priority - other.priority || scores.get(other)! - scores.get(one)!);
}

/** Rendezvous hashing with weights: a target that is added or removed moves only its own share. */
function scoreOf({ key, weight }: RunningTarget, consumer: string): number {
  const hash = createHash("sha256").update(`${key}\n${consumer}`).digest().readUInt32BE(0);
  return -weight / Math.log((hash + 0.5) / 2 ** 32);
}

/** Providers have many more; clients need only the id. */
function presented(id: string, isAnthropic: boolean): object {
  return isAnthropic
    ? { type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" }
    : { id, object: "model", created: 0, owned_by: "system" };
}

/** Lists the aliases that the key may use, or returns one of them. */
export function listModels(exchange: Exchange, { models, operation }: ModelsRoute): HttpResponse {
  const isAnthropic = errorShapeOf(operation, exchange.headers) === "anthropic";
  if (operation === "models/{id}") {
    const { name } = findAlias(models, exchange.params.id ?? "", exchange.permissions);
    return json(presented(name, isAnthropic));
  }
  const ids = [...models.aliases.values()]
    .filter((alias) => mayUse(alias, exchange.permissions))
    .map(({ name }) => name);
  const data = ids.map((id) => presented(id, isAnthropic));
  if (!isAnthropic) return json({ object: "list", data });
  return json({ data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null });
}

/** Not to be cached: the list depends on the key. */
function json(value: object): HttpResponse {
  const headers = new HttpHeaders({ "content-type": "application/json", "cache-control": "no-store" });
  return new HttpResponse(200, headers, JSON.stringify(value));
}

/** Rejects bodies that would have to be decoded. */
export function checkEncoding({ headers }: Exchange): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity")
    throw new Problem("unsupported_media_type", { detail: "The body must not be encoded (Content-Encoding)." });
}

/** Finds an alias. One that the key may not use does not exist for it. */
function findAlias({ aliases }: RunningModels, name: string, permissions: readonly string[] | undefined): RunningAlias {
  const alias = aliases.get(name);
  if (alias && mayUse(alias, permissions)) return alias;
  throw new Problem("model_not_found", {
    detail: `The model ${JSON.stringify(name.slice(0, 200))} does not exist, or the key may not use it.`,
    errors: [{ pointer: "/model", detail: "does not exist, or the key may not use it" }],
  });
}

function mayUse({ definition }: RunningAlias, permissions: readonly string[] | undefined): boolean {
  const { permission } = definition;
  return permission === undefined || (permissions?.some((granted) => grantsPermission(granted, permission)) ?? false);
}

function checkOperation({ name, operations }: RunningAlias, operation: string): void {
  if (operations.includes(operation)) return;
  throw new Problem("request_invalid", {
    detail: `The model ${JSON.stringify(name)} does not serve ${operation}; it serves ${operations.join(" and ")}.`,
    errors: [{ pointer: "/model", detail: `serves ${operations.join(" and ")}` }],
  });
}
