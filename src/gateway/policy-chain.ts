import type { GatewayAddresses } from "../core/hosts/addresses.ts";
import { Problem } from "../core/problems/problem.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";
import { ProtocolError } from "../platform/http1/message/protocol-error.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Tracer } from "../platform/telemetry/tracer.ts";
import { rejectForCode, runHandler } from "./code/handler.ts";
import type { RequestCompletion } from "./completion/request-completion.ts";
import { continueTrace } from "./completion/request-trace.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { observeRejection } from "./exchange/observation.ts";
import type { Policy } from "./exchange/policy.ts";
import { clientGoneStatus, reject, rejectBody } from "./exchange/rejection.ts";
import type { McpOnDemand } from "./mcp/on-demand.ts";
import type { ModelsOnDemand } from "./models/on-demand.ts";
import { preflightResponse } from "./route-selection.ts";
import { SandboxFailure } from "./sandbox/protocol.ts";
import { BalancedCall } from "./upstreams/calls/balanced-call.ts";
import type { UpstreamProxy } from "./upstreams/calls/proxy.ts";

interface PolicyChainOptions {
  proxy: UpstreamProxy;
  models: ModelsOnDemand;
  mcp: McpOnDemand;
  completion: RequestCompletion;
  addresses: GatewayAddresses;
  log: Log;
  tracer?: Tracer | undefined;
}

/** Runs an exchange: the policies of its route in order, the target, and the policies in reverse order. */
export class PolicyChain {
  constructor(private readonly options: PolicyChainOptions) {}

  /** Runs the remaining policies, then the target. Avoids promises where nothing is awaited. */
  enter(exchange: Exchange): void {
    const { policies } = exchange.running;
    try {
      const isFirst = exchange.method === "OPTIONS" && exchange.entered === 0;
      const preflight = isFirst ? preflightResponse(policies, exchange) : undefined;
      if (preflight) {
        this.#leave(exchange, preflight);
        return;
      }
      while (exchange.entered < policies.length) {
        const entering = this.#enterPolicy(exchange, policies[exchange.entered]!);
        if (entering instanceof Promise) {
          if (exchange.hasDecisionGroup) prefetchDecisions(exchange);
          entering.then(
            (response) => this.#entered(exchange, response),
            (error: unknown) => this.#entered(exchange, this.#failed(exchange, error), error),
          );
          return;
        }
        if (entering && !observes(exchange, entering)) {
          this.stop(exchange, entering);
          return;
        }
        if (exchange.marks) exchange.marks[exchange.entered] = performance.now();
        exchange.entered += 1;
      }
      this.#sendToTarget(exchange);
    } catch (error) {
      this.stop(exchange, this.#failed(exchange, error));
    }
  }

  #enterPolicy(exchange: Exchange, policy: Policy): ReturnType<NonNullable<Policy["enter"]>> {
    const { sampled } = exchange.incoming;
    try {
      return sampled ? this.options.tracer!.run(sampled, () => policy.enter?.(exchange)) : policy.enter?.(exchange);
    } catch (error) {
      // Only a policy in `observe` may fail without the request.
      if (!exchange.running.steps[exchange.entered]!.observes) throw error;
      observeRejection(exchange, exchange.entered, this.#failed(exchange, error), !(error instanceof Problem));
      return undefined;
    }
  }

  /** @param error what the policy threw */
  #entered(exchange: Exchange, response: HttpResponse | undefined, error?: unknown): void {
    if (response && !observes(exchange, response, error)) {
      this.stop(exchange, response);
      return;
    }
    if (exchange.marks) exchange.marks[exchange.entered] = performance.now();
    exchange.entered += 1;
    this.enter(exchange);
  }

  /** Called when a policy or the target responds. The remaining policies are not entered. */
  stop(exchange: Exchange, response: HttpResponse): void {
    const { marks, entered } = exchange;
    exchange.stoppedAt = entered;
    if (exchange.pendingDecision) undoPendingDecisions(exchange);
    if (marks && entered < marks.length) marks[entered] = performance.now();
    else if (marks) exchange.targetEnded = performance.now();
    this.#leave(exchange, response);
  }

  #sendToTarget(exchange: Exchange): void {
    const { origin, balanced, models, mcp } = exchange.running;
    if (this.options.tracer) continueTrace(exchange);
    if (origin) {
      this.options.proxy.send(exchange, origin);
      return;
    }
    if (balanced) {
      new BalancedCall(exchange, balanced, this.options.proxy).start();
      return;
    }
    if (models) {
      const serving = this.options.models.serve(exchange, models);
      if (serving instanceof Promise)
        serving.then(
          (response) => response && this.stop(exchange, response),
          (error: unknown) => this.stop(exchange, this.#failed(exchange, error)),
        );
      else if (serving) this.stop(exchange, serving);
      return;
    }
    if (mcp) {
      this.options.mcp.serve(exchange, mcp).then(
        (response) => this.stop(exchange, response),
        (error: unknown) => this.stop(exchange, this.#failed(exchange, error)),
      );
      return;
    }
    const { target } = exchange.route;
    if (!("handler" in target))
      throw new Error(`The route ${exchange.route.path} has no target, and its policy did not respond.`);
    const { protocol } = this.options.addresses;
    exchange.attempts = 1;
    runHandler(exchange, exchange.version.code, target.handler, protocol).then(
      (response) => this.stop(exchange, response),
      (error: unknown) => this.stop(exchange, this.#failed(exchange, error)),
    );
  }

  /** Leaves the entered policies in reverse order. Each of them gets a response, whatever happened. */
  #leave(exchange: Exchange, first: HttpResponse): void {
    const { policies } = exchange.running;
    let response = first;
    while (exchange.entered > 0) {
      exchange.entered -= 1;
      try {
        const leaving = policies[exchange.entered]!.leave?.(exchange, response) ?? response;
        if (leaving instanceof Promise) {
          leaving.then(
            (left) => this.#leave(exchange, left),
            (error: unknown) => this.#leaveFailed(exchange, response, error),
          );
          return;
        }
        response = leaving;
      } catch (error) {
        response.discard();
        response = this.#failed(exchange, error);
      }
    }
    this.options.completion.finish(exchange.incoming, exchange.version, response, exchange);
  }

  #leaveFailed(exchange: Exchange, response: HttpResponse, error: unknown): void {
    response.discard();
    this.#leave(exchange, this.#failed(exchange, error));
  }

  #failed(exchange: Exchange, error: unknown): HttpResponse {
    if (error instanceof SandboxFailure) return rejectForCode(exchange, error);
    if (error instanceof Problem) {
      const { code, detail, errors, headers, retryAfterSeconds } = error;
      return reject(exchange, code, {
        detail,
        ...(errors ? { errors } : {}),
        ...(headers ? { headers } : {}),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
    // A policy that reads the body fails if the client aborts it, which is not a server error.
    if (exchange.request.isAborted) return new HttpResponse(clientGoneStatus);
    const bodyFailure = exchange.request.body?.failure;
    if (bodyFailure instanceof ProtocolError) return rejectBody(exchange, bodyFailure);
    this.options.log.error("a request to a deployment failed", { requestId: exchange.requestId, error });
    return reject(exchange, "internal_error");
  }
}

/** Whether the policy that rejects is in `observe`: then its rejection is recorded, and the request continues. */
function observes(exchange: Exchange, rejection: HttpResponse, error?: unknown): boolean {
  const { running, entered } = exchange;
  if (!running.steps[entered]!.observes) return false;
  observeRejection(exchange, entered, rejection, error !== undefined && !(error instanceof Problem));
  return true;
}

/** Requests the decisions of the next policies in the same message as that of the current one. */
function prefetchDecisions(exchange: Exchange): void {
  const { policies } = exchange.running;
  let index = Math.max(exchange.entered + 1, exchange.prefetchedUntil);
  while (policies[index]?.prefetch?.(exchange)) index += 1;
  exchange.prefetchedUntil = index;
}

function undoPendingDecisions(exchange: Exchange): void {
  for (let pending = exchange.pendingDecision; pending; pending = pending.previous)
    pending.result.then(pending.undo, () => {});
  exchange.pendingDecision = undefined;
}
