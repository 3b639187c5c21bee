import type { DecisionDetail } from "../../../areas/request-log/request-record.ts";
import type { HoldOptions } from "../../../counting/quotas/customer-quota.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import type { HeldAmounts, QuotaHolds } from "../../../counting/quotas/hold-quota.ts";
import { type Amount, numberOf } from "../../../lib/amount.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { DetachedResponse } from "../../exchange/detached-response.ts";
import {
  type ExchangeOutcome,
  type Policy,
  type PolicyPlace,
  type PolicyState,
  type RequestContext,
  stateOf,
} from "../../exchange/policy.ts";
import { clientGoneStatus } from "../../exchange/rejection.ts";
import { CustomerQuotas, countedByStatus } from "../quota/customer-quotas.ts";
import { AmountSources, type ResponseAmounts } from "./amounts.ts";
import { estimatedAmount, Reservation } from "./reservation.ts";
import type { UsageOptions } from "./schema.ts";

interface UsageState extends PolicyState {
  hold: HeldAmounts;
  held: MeterAmounts;
  /** The usage that the response reports. Undefined if there was no response, or one that does not count. */
  response: ResponseAmounts | undefined;
  /** Whether the client disconnected before the response, which the target may still produce. */
  wasAbandoned: boolean;
}

/** Counts the amounts that a response reports. An estimate is reserved from the quota until then. */
export class UsagePolicy implements Policy {
  readonly #quotas: CustomerQuotas;
  readonly #sources: AmountSources;
  readonly #reservation: Reservation;
  readonly #counts: boolean[];
  readonly #holdOptions: HoldOptions;
  /** Whether the response is read to its end without the client, which the target would notice. */
  readonly #finishes: boolean;

  constructor(
    quotas: QuotaHolds,
    private readonly options: UsageOptions,
    private readonly place: PolicyPlace,
  ) {
    this.#quotas = new CustomerQuotas(quotas, options.bucketId, place);
    this.#sources = new AmountSources(options.meters);
    this.#reservation = new Reservation(options, place.observes);
    this.#counts = countedByStatus(options.statuses);
    this.#holdOptions = { isShared: options.reserve !== undefined, ...(place.observes && { observes: true }) };
    this.#finishes = options.onDisconnect === "finish" && !place.observes;
  }

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    if (this.#sources.readsBodies && !this.place.observes) context.headers.set("accept-encoding", "identity");
    const amounts = this.#reservation.of(context);
    return amounts instanceof Promise
      ? amounts.then((known) => (known instanceof HttpResponse ? known : this.#hold(context, known)))
      : this.#hold(context, amounts);
  }

  #hold(context: RequestContext, amounts: MeterAmounts): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    const hold = this.#quotas.hold(context, amounts, this.#holdOptions);
    return hold instanceof Promise
      ? hold.then((held) => this.#keep(context, held, amounts))
      : this.#keep(context, hold, amounts);
  }

  #keep(context: RequestContext, hold: HeldAmounts | HttpResponse, held: MeterAmounts): HttpResponse | undefined {
    if (hold instanceof HttpResponse) return hold;
    const state: UsageState = {
      policy: this,
      previous: context.state,
      hold,
      held,
      response: undefined,
      wasAbandoned: false,
    };
    context.state = state;
    if (this.#finishes) context.detachedResponse ??= new DetachedResponse();
    return hold.exceeded && this.#quotas.reject(context, hold.exceeded);
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse {
    const state = stateOf<UsageState>(context, this);
    if (!state || context.rejection !== undefined) return response;
    const { request } = context;
    if (request.isAborted && response.status === clientGoneStatus) {
      state.wasAbandoned = request.body === undefined || context.body !== undefined || request.body.hasEnded;
      return response;
    }
    if (!this.#counts[response.status]) return response;
    state.response = this.#sources.read(response);
    if (this.#finishes && response.body instanceof Body) context.detachedResponse!.read(response.body);
    return response;
  }

  done(context: RequestContext, outcome: ExchangeOutcome): DecisionDetail | undefined | Promise<DecisionDetail> {
    const state = stateOf<UsageState>(context, this);
    // Rejected in `observe`, without a quota that it could count in.
    if (!state) return undefined;
    if (!state.response && !state.wasAbandoned) {
      state.hold.release();
      return undefined;
    }
    const finished = this.#finishes ? context.detachedResponse?.finished : undefined;
    return finished
      ? finished.then((isComplete) => this.#settle(state, isComplete))
      : this.#settle(state, outcome.wasSent);
  }

  /** Counts the reported amounts. Without a report: the estimate if the response was aborted, else the default. */
  #settle(state: UsageState, isComplete: boolean): DecisionDetail {
    const actual = new Map<string, Amount>();
    const missing: string[] = [];
    for (const [meter, source] of Object.entries(this.options.meters)) {
      const reported = state.response?.of(meter);
      if (reported === undefined) missing.push(meter);
      const owesEstimate = !isComplete && this.#reservation.isReserved(meter);
      actual.set(
        meter,
        reported !== undefined
          ? estimatedAmount(reported)
          : owesEstimate
            ? state.held.get(meter)!
            : estimatedAmount(source.default ?? 0),
      );
    }
    state.hold.settle(actual);
    const held = [...state.held].filter(([meter]) => this.#reservation.isReserved(meter));
    return {
      reason: missing.length === 0 ? "counted" : isComplete ? "amount_missing" : "disconnected",
      amounts: numbersOf(actual),
      ...(missing.length > 0 && { missing }),
      ...(held.length > 0 && { held: numbersOf(held) }),
    };
  }
}

function numbersOf(amounts: Iterable<[string, Amount]>): Record<string, number> {
  return Object.fromEntries([...amounts].map(([meter, amount]) => [meter, numberOf(amount)]));
}
