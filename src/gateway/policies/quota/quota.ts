import type { HoldOptions } from "../../../counting/quotas/customer-quota.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import type { HeldAmounts, QuotaHolds } from "../../../counting/quotas/hold-quota.ts";
import { amountOf } from "../../../lib/amount.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import {
  addPendingDecision,
  type Policy,
  type PolicyPlace,
  type PolicyState,
  type RequestContext,
  stateOf,
  takePendingDecision,
} from "../../exchange/policy.ts";
import { CustomerQuotas, countedByStatus, type HeldAhead } from "./customer-quotas.ts";
import type { QuotaOptions } from "./schema.ts";

interface QuotaState extends PolicyState {
  hold: HeldAmounts;
}

/** Enforces the quotas of plans: holds amounts on enter, settles or releases them on leave. */
export class QuotaPolicy implements Policy {
  readonly #quotas: CustomerQuotas;
  readonly #amounts: MeterAmounts;
  readonly #holdOptions: HoldOptions;
  readonly #counts: boolean[];

  constructor(quotas: QuotaHolds, options: QuotaOptions, place: PolicyPlace) {
    this.#quotas = new CustomerQuotas(quotas, options.bucketId, place);
    this.#amounts = new Map(Object.entries(options.meters).map(([meter, weight]) => [meter, amountOf(weight)!]));
    this.#holdOptions = {
      mayExceed: options.overQuota === "allow",
      ...(place.observes && { observes: true }),
    };
    this.#counts = countedByStatus(options.statuses);
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const ahead = takePendingDecision<Awaited<HeldAhead>>(context, this);
    const held = this.#quotas.hold(context, this.#amounts, this.#holdOptions, ahead);
    return held instanceof Promise ? held.then((hold) => this.#keep(context, hold)) : this.#keep(context, held);
  }

  prefetch(context: RequestContext): boolean {
    const result = this.#quotas.holdAhead(context, this.#amounts, this.#holdOptions);
    const undo = (held: unknown) => {
      if (held !== null && typeof held === "object" && !("reason" in held)) (held as HeldAmounts).release();
    };
    return result !== undefined && addPendingDecision(context, { policy: this, result, undo });
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse {
    const state = stateOf<QuotaState>(context, this);
    if (!state) return response;
    // A request that the gateway itself rejected does not count.
    if (context.rejection === undefined && this.#counts[response.status]) state.hold.settle();
    else state.hold.release();
    return response;
  }

  #keep(context: RequestContext, held: HeldAmounts | HttpResponse): HttpResponse | undefined {
    if (held instanceof HttpResponse) return held;
    const state: QuotaState = { policy: this, previous: context.state, hold: held };
    context.state = state;
    return held.exceeded && this.#quotas.reject(context, held.exceeded);
  }
}
