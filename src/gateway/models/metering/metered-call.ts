import { type Cost, costOf, roundedCost } from "../../../core/model-prices/cost.ts";
import type { KnownPrices } from "../../../core/model-prices/known-prices.ts";
import type { ModelPrice } from "../../../core/model-prices/rates.ts";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { DetachedResponse } from "../../exchange/detached-response.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { CountedCall, ModelUse, TokenCounts } from "../../exchange/model-use.ts";
import { clientGoneStatus, reject } from "../../exchange/rejection.ts";
import type { CountedUse } from "../../policies/usage/model-meters.ts";
import { CallHolds, type FailedHold, isShort } from "./call-holds.ts";
import type { ModelCall, ModelRequest, ModelTarget } from "./call-types.ts";
import { growsWithOutput, heldInput, maxOutput, outputToHold } from "./held-output.ts";
import { estimatedTokens, type ReadUsage, ResponseUsage } from "./response-usage.ts";
import { isFree, priceOf, type ServedCost, servedCost } from "./served-price.ts";

const noTokens: TokenCounts = { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };
const noTools: ReadonlyMap<string, number> = new Map();
const noUsage: ReadUsage = { ...noTokens, basis: "reported" };

/** Callers get `failedStatus` instead of these statuses of a provider. */
const replacedStatuses = new Set([401, 402, 403]);
const failedStatus = 502;

const maxRequestIdLength = 200;

const onePerCategory: TokenCounts = { input: 1, cached: 1, cacheWrite: 1, cacheWrite1h: 0, output: 1 };
const one: Cost = 10n ** 18n;

/** A clamped output limit is the largest one that fits, less at most this number of tokens. */
const clampPrecision = 16;

interface CalledModel {
  request: ModelRequest;
  target: ModelTarget;
  known: KnownPrices;
}

type Rejection = HttpResponse | undefined;
type GrowingHold = FailedHold | undefined | Promise<FailedHold | undefined>;

/** A request of a models route while it is counted; see ModelCall. */
export class MeteredCall implements ModelCall, CountedCall {
  outputLimit: number | undefined;
  onHoldFailed: ((code: ProblemCode, detail: string) => void) | undefined;
  readonly #holds: CallHolds;
  /** Undefined for the list of models. */
  readonly #called: CalledModel | undefined;
  /** The tokens that are held. */
  #held = noTokens;
  /** The number of output tokens at which the usage estimate is updated next. */
  #nextEstimate = outputToHold(0, Number.POSITIVE_INFINITY);
  holding: Promise<void> | undefined;
  /** Whether more was produced than can be held: what is held counts. */
  #isCut = false;
  #usage: ResponseUsage | undefined;
  /** The status of the response, or of its absence. 0 while the request waits for it. */
  #status = 0;
  #providerRequestId: string | undefined;
  #firstByte: number | undefined;
  /** The cost of attempts whose responses are not used. */
  #lostCost: Cost = 0n;
  #isSettled = false;
  /** Undefined unless something waits for it. */
  #settled: PromiseWithResolvers<void> | undefined;

  /** @param called undefined for the list of models */
  constructor(
    private readonly exchange: Exchange,
    called: CalledModel | undefined,
  ) {
    this.#called = called && { ...called };
    const { request } = called ?? {};
    this.outputLimit = request?.outputLimit;
    this.#holds = new CallHolds(exchange, request?.alias, request !== undefined && hasTokens(request));
    exchange.modelCall = this;
  }

  /** Holds what the request may use. Returns a rejection if the budget does not suffice. */
  begin(): Rejection | Promise<Rejection> {
    const { request } = this.#called ?? {};
    if (request && (this.#holds.finishesAfterDisconnect || !request.isStream))
      this.exchange.detachedResponse ??= new DetachedResponse();
    this.#held = tokensToHold(request, request?.outputLimit);
    const begun = this.#beginHolds();
    return begun instanceof Promise ? begun.then((failed) => this.#begun(failed)) : this.#begun(begun);
  }

  #beginHolds() {
    const least = this.#isClamped ? this.#use(tokensToHold(this.#called!.request, 1), 1) : undefined;
    const first = { possible: this.#possibleUse, estimate: this.#firstEstimate, least };
    return this.#holds.begin(this.#use(this.#held, 1), first, this.#now);
  }

  /** Whether the output limit is lowered to what is left. */
  get #isClamped(): boolean {
    const { request } = this.#called ?? {};
    return request?.clampOutput === true && request.outputLimit !== undefined && !growsWithOutput(request);
  }

  /** Has an amount in each category of which the request may take something. */
  get #possibleUse(): CountedUse {
    const { request, target } = this.#called ?? {};
    const tokens = !request || request.outputLimit === undefined ? noTokens : onePerCategory;
    return { requests: 1, tokens, cost: target && !isFree(this.#priceOf(target)) ? one : 0n };
  }

  #begun(failed: FailedHold | undefined): Rejection | Promise<Rejection> {
    if (!failed) return undefined;
    return this.#isClamped && isShort(failed) ? this.#clamp(this.#called!.request, failed) : this.#holds.reject(failed);
  }

  /** Lowers the output limit to what is left. */
  async #clamp(request: ModelRequest, first: FailedHold): Promise<Rejection> {
    this.#holds.release();
    this.#held = tokensToHold(request, 1);
    if (await this.#beginHolds()) return this.#holds.reject(first);
    const low = await this.#holdMost(1, request.outputLimit!, clampPrecision, (limit) => tokensToHold(request, limit));
    if (typeof low !== "number") return this.#holds.reject(low);
    const { thinkingBudget } = request;
    if (thinkingBudget !== undefined && low <= thinkingBudget) {
      this.#holds.release();
      return reject(this.exchange, "credit_exhausted", {
        detail: `The remaining budget allows ${low} tokens of output, but thinking.budget_tokens is ${thinkingBudget}.`,
        decision: { reason: "credit_exhausted" },
      });
    }
    this.outputLimit = low;
    return undefined;
  }

  /** Holds as many tokens as are left, between a number that is held and one that cannot be. Returns their number. */
  async #holdMost(
    held: number,
    tooMany: number,
    precision: number,
    tokensFor: (count: number) => TokenCounts,
  ): Promise<number | FailedHold> {
    let low = held;
    let high = tooMany;
    while (high - low > precision && !this.#isSettled) {
      const count = Math.floor((low + high) / 2);
      const failed = await this.#hold(tokensFor(count));
      if (!failed) low = count;
      else if (isShort(failed)) high = count;
      else return failed;
    }
    return low;
  }

  retarget(target: ModelTarget, wasSent: boolean): Rejection | Promise<Rejection> {
    const called = this.#called!;
    if (wasSent) this.#lostCost += this.#costOf(estimatedInput(called.request));
    const before = this.#costOf(this.#held);
    called.target = target;
    const cost = this.#costOf(this.#held) - before;
    if (cost <= 0n) return undefined;
    const held = this.#holds.grow({ requests: 0, tokens: noTokens, cost }, this.#now);
    const end = (failed: FailedHold | undefined) => failed && this.#holds.reject(failed);
    return held instanceof Promise ? held.then(end) : end(held);
  }

  responded(response: HttpResponse): void {
    if (this.#status !== 0) return;
    const { status, headers, body } = response;
    this.#status = status;
    this.#providerRequestId = (headers.get("x-request-id") ?? headers.get("request-id"))?.slice(0, maxRequestIdLength);
    const { operation } = this.#called!.request;
    if (operation !== "messages/count_tokens") {
      const isEventStream = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
      this.#usage = new ResponseUsage(operation, isEventStream);
    }
    if (body instanceof Body) {
      body.observe({ piece: (piece) => this.#read(piece), end() {} });
      this.exchange.detachedResponse?.read(body);
      body.whenOver = () => {
        if (this.holding) void this.holding.then(() => this.#settle());
        else this.#settle();
      };
      return;
    }
    // It is settled at once, so no estimate is needed.
    if (body !== undefined) this.#pass(Buffer.isBuffer(body) ? body : Buffer.from(body as Uint8Array));
    this.#settle();
  }

  failed(how: "not-sent" | "broken" | "cancelled"): void {
    if (this.#status !== 0) return;
    this.#status = how === "cancelled" ? clientGoneStatus : failedStatus;
    this.#settle();
  }

  finish(status: number): Promise<void> | undefined {
    if (this.#status === 0) {
      this.#status = this.#called ? failedStatus : status;
      this.#settle();
    }
    if (this.#isSettled) return undefined;
    this.#settled ??= Promise.withResolvers();
    return this.#settled.promise;
  }

  amountsOf(policy: object): MeterAmounts | undefined {
    return this.#holds.amountsOf(policy);
  }

  #read(piece: Buffer): void {
    const passedTokens = this.#pass(piece);
    if (passedTokens >= this.#nextEstimate) this.#estimate(passedTokens);
  }

  /** Reads a piece, and returns the tokens that have passed. */
  #pass(piece: Buffer): number {
    this.#firstByte ??= performance.now();
    if (!this.#usage) return 0;
    this.#usage.push(piece);
    const { passedTokens } = this.#usage;
    if (passedTokens >= this.#held.output) this.#grow();
    return passedTokens;
  }

  /** What counts if this process is killed before the response: the request and its input. */
  get #firstEstimate(): CountedUse {
    const { request } = this.#called ?? {};
    return this.#use(request && hasTokens(request) ? estimatedInput(request) : noTokens, 1);
  }

  /** Sets what counts if this process is killed: what has passed. */
  #estimate(passedTokens: number): void {
    if (this.#isSettled) return;
    this.#nextEstimate = outputToHold(passedTokens, Number.POSITIVE_INFINITY);
    const tokens = this.#used();
    this.#holds.estimate({ requests: 1, tokens, cost: this.#servedCost(tokens).cost });
  }

  /** Extends the holds of a stream before its text passes. */
  #grow(): void {
    if (this.holding || this.#isSettled || !growsWithOutput(this.#called!.request)) return;
    const held = this.#holdPassed();
    if (held === undefined) return;
    this.holding = this.#growLater(held).finally(() => {
      this.holding = undefined;
    });
  }

  /** Pieces that arrive in the meantime are held, too. */
  async #growLater(growing: GrowingHold): Promise<void> {
    let failed = await growing;
    while (!failed && !this.#isSettled) {
      const next = this.#holdPassed();
      if (!next) break;
      failed = await next;
    }
    if (!failed) return;
    // What is left is taken, so that the next request is rejected. The piece itself does not pass.
    const { passedTokens } = this.#usage!;
    if (isShort(failed))
      await this.#holdMost(this.#held.output, passedTokens + 1, 1, (output) => ({ ...this.#held, output }));
    this.#isCut = true;
    this.#end(failed);
  }

  /** Holds the output up to the next step. */
  #holdPassed(): GrowingHold {
    const output = outputToHold(this.#usage!.passedTokens, maxOutput(this.#called!.request));
    return output <= this.#held.output ? undefined : this.#hold({ ...this.#held, output });
  }

  /** Ends a stream whose output cannot be held. */
  #end(failed: FailedHold): void {
    const { onHoldFailed } = this;
    if (!onHoldFailed || this.#isSettled) return;
    this.onHoldFailed = undefined;
    const { rejection } = failed;
    if (!rejection) onHoldFailed("storage_unavailable", "The budget cannot be counted.");
    else if (rejection.reason === "exceeded")
      onHoldFailed(rejection.shortage.code, `The budget of the meter ${rejection.shortage.meter} is used up.`);
    else onHoldFailed(rejection.reason, "The subscription has changed.");
  }

  /** Extends the holds to these tokens. */
  #hold(tokens: TokenCounts): GrowingHold {
    const before = this.#held;
    const output = tokens.output - before.output;
    const cost = this.#costOf(tokens) - this.#costOf(before);
    const held = this.#holds.grow({ requests: 0, tokens: { ...noTokens, output }, cost }, this.#now);
    const keep = (failed: FailedHold | undefined) => {
      if (!failed) this.#held = tokens;
      return failed;
    };
    return held instanceof Promise ? held.then(keep) : keep(held);
  }

  #use(tokens: TokenCounts, requests: number): CountedUse {
    return { requests, tokens, cost: this.#costOf(tokens) };
  }

  /** The exact cost of tokens by the price of the target. */
  #costOf(tokens: TokenCounts): Cost {
    if (!this.#called) return 0n;
    const price = this.#priceOf(this.#called.target);
    return price ? costOf(price, tokens) : 0n;
  }

  #priceOf(target: ModelTarget): ModelPrice | undefined {
    return priceOf(target, this.#called!.known, this.exchange.now);
  }

  /** Time passes during a stream. */
  get #now(): number {
    const { now, started } = this.exchange.incoming;
    return now + Math.floor(performance.now() - started);
  }

  /** Counts the usage, once. */
  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#usage?.end();
    const used = this.#usedAtEnd();
    const served = this.#servedCost(used);
    const charge = this.#holds.settle(
      replacedStatuses.has(this.#status) ? failedStatus : this.#status,
      used,
      served.cost,
    );
    if (this.#called) this.exchange.modelUse = this.#useForRecord(this.#called, used, served, charge);
    this.#settled?.resolve();
  }

  /** Usage is estimated only for 2xx responses and, as input alone, for requests that the client aborted. */
  #used(): ReadUsage {
    const { request } = this.#called ?? {};
    if (!request || !hasTokens(request)) return noUsage;
    if (this.#usage) return this.#usage.usage(request.textBytes, this.#status >= 200 && this.#status < 300);
    return this.#status === clientGoneStatus ? { ...estimatedInput(request), basis: "estimated" } : noUsage;
  }

  /**
   * A stream beyond the budget counts what is held of it. Output that was not shown and not reported counts as it is held,
   * or leaving early would be free.
   */
  #usedAtEnd(): ReadUsage {
    const used = this.#used();
    const { output } = this.#held;
    if (this.#isCut) return { ...used, output: Math.min(used.output, output), basis: "estimated" };
    if (!this.#called?.request.hidesOutput || used.basis === "reported") return used;
    const input = this.#usage?.reported.hasInput ? used.input : Math.max(used.input, this.#held.input);
    return { ...this.#held, ...used, input, output: Math.max(used.output, output) };
  }

  #servedCost(used: TokenCounts): ServedCost {
    if (!this.#called || used.input + used.cached + used.cacheWrite + used.output === 0)
      return { cost: 0n, currency: undefined, unpriced: undefined };
    const { target, known } = this.#called;
    const { model, serviceTier, tools = noTools } = this.#usage?.reported ?? {};
    const targets = this.exchange.running.models?.models.targets ?? [];
    return servedCost(target, targets, known, { model, serviceTier, tools }, used, this.exchange.now);
  }

  #useForRecord(
    { request, target }: CalledModel,
    { basis, ...tokens }: ReadUsage,
    { cost, currency, unpriced }: ServedCost,
    charge: bigint | undefined,
  ): ModelUse {
    const { operation, alias } = request;
    const { provider, model, api } = target;
    return {
      operation,
      alias,
      api,
      provider,
      model,
      servedModel: this.#usage?.reported.model,
      ...tokens,
      basis,
      cost: roundedCost(cost + this.#lostCost),
      currency,
      charge,
      unpriced,
      firstByteMs: this.#firstByte === undefined ? undefined : this.#firstByte - this.exchange.incoming.started,
      providerRequestId: this.#providerRequestId,
    };
  }
}

function hasTokens({ operation }: ModelRequest): boolean {
  return operation !== "messages/count_tokens";
}

function estimatedInput({ textBytes }: ModelRequest): TokenCounts {
  return { ...noTokens, input: estimatedTokens(textBytes) };
}

/** The tokens that are held before a request is sent. */
function tokensToHold(request: ModelRequest | undefined, outputLimit: number | undefined): TokenCounts {
  if (!request || !hasTokens(request)) return noTokens;
  const max = request.operation === "embeddings" ? 0 : maxOutput({ ...request, outputLimit });
  const output = growsWithOutput(request) ? outputToHold(0, max) : max;
  return { ...noTokens, input: heldInput(request), output, ...(request.asksAudio && { audioOutput: output }) };
}
