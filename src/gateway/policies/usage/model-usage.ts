import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import type { QuotaHolds } from "../../../counting/quotas/hold-quota.ts";
import { numberOf } from "../../../lib/amount.ts";
import type { ExchangeOutcome, Policy, PolicyPlace, PolicyState, RequestContext } from "../../exchange/policy.ts";
import { CustomerQuotas, countedByStatus } from "../quota/customer-quotas.ts";
import { ModelMeters } from "./model-meters.ts";
import type { UsageOptions } from "./schema.ts";

interface ModelMetersState extends PolicyState {
  policy: ModelUsagePolicy;
}

/** Returns the meters of the policies `usage` that a request has passed on a models route. */
export function modelMetersOf({ state }: RequestContext): ModelMeters[] {
  const all: ModelMeters[] = [];
  for (let each = state; each; each = each.previous)
    if (each.policy instanceof ModelUsagePolicy) all.unshift(each.policy.meters);
  return all;
}

/** The policy `usage` on a models route: the handler holds and counts, because it knows the request and the response. */
export class ModelUsagePolicy implements Policy {
  readonly meters: ModelMeters;

  constructor(quotas: QuotaHolds, options: UsageOptions, place: PolicyPlace) {
    const customers = new CustomerQuotas(quotas, options.bucketId, place);
    this.meters = new ModelMeters(options, customers, countedByStatus(options.statuses), place);
  }

  enter(context: RequestContext): undefined {
    const state: ModelMetersState = { policy: this, previous: context.state };
    context.state = state;
  }

  done(context: RequestContext, { status }: ExchangeOutcome): DecisionDetail | undefined | Promise<DecisionDetail> {
    const call = context.modelCall;
    const finished = call?.finish(status);
    return finished ? finished.then(() => this.#detail(context)!) : this.#detail(context);
  }

  #detail({ modelCall, modelUse }: RequestContext): DecisionDetail | undefined {
    const amounts = modelCall?.amountsOf(this.meters);
    if (!amounts) return undefined;
    const numbers = Object.fromEntries([...amounts].map(([meter, amount]) => [meter, numberOf(amount)]));
    return { reason: modelUse?.basis === "estimated" ? "estimated" : "counted", amounts: numbers };
  }
}
