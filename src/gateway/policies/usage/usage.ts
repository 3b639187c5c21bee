import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import type { HoldOptions } from "../../../counting/quotas/customer-quota.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import type { HeldAmounts, QuotaHolds } from "../../../counting/quotas/hold-quota.ts";
import { type Amount, amountOf, maxAmount, numberOf } from "../../../lib/amount.ts";
import { EventNumbers } from "../../../lib/text/event-numbers.ts";
import { JsonNumbers } from "../../../lib/text/json-numbers.ts";
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
import { clientGoneStatus, reject } from "../../exchange/rejection.ts";
import { readRequestBody } from "../../exchange/request-body.ts";
import { CustomerQuotas, countedByStatus } from "../quota/customer-quotas.ts";
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

/** Extracts the amounts of a response while it streams. */
export interface ResponseAmounts {
  /** The amount so far; undefined if the meter has none. */
  of(meter: string): number | undefined;
}

/** The sources of the amounts of meters. */
export class AmountSources {
  readonly #meters: [meter: string, source: UsageOptions["meters"][string]][];
  /** Whether bodies are read: those must not be compressed. */
  readonly readsBodies: boolean;

  constructor(meters: UsageOptions["meters"]) {
    this.#meters = Object.entries(meters);
    this.readsBodies = this.#meters.some(([, { pointer, event }]) => (pointer ?? event) !== undefined);
  }

  /** Observes the body without delaying it. A header takes precedence over the body. */
  read(response: HttpResponse): ResponseAmounts {
    const type = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
    const isStream = type === "text/event-stream";
    const inBody = this.#meters.flatMap(([meter, { pointer, event }]) => {
      const path = isStream ? event : pointer;
      return path === undefined ? [] : { meter, path };
    });
    const pointers = inBody.map(({ path }) => path);
    const numbers = isStream ? new EventNumbers(pointers) : new JsonNumbers(pointers);
    if (pointers.length > 0) observe(response, numbers);
    const headers = new Map(
      this.#meters.map(([meter, { header }]) => [meter, header && numberIn(response.headers.get(header))] as const),
    );
    return {
      of: (meter) => {
        const inHeader = headers.get(meter);
        if (typeof inHeader === "number") return inHeader;
        return notNegative(numbers.values[inBody.findIndex((one) => one.meter === meter)]);
      },
    };
  }
}

function observe(response: HttpResponse, numbers: JsonNumbers | EventNumbers): void {
  const { body } = response;
  if (body instanceof Body) body.observe({ piece: (bytes) => numbers.push(bytes), end: () => numbers.end() });
  else if (body !== undefined) {
    numbers.push(Buffer.from(body));
    numbers.end();
  }
}

function numberIn(header: string | null): number | undefined {
  return header !== null && /^\d+(?:\.\d+)?$/.test(header.trim()) ? Number(header) : undefined;
}

function notNegative(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 ? value : undefined;
}

const maxBodyBytes = 1024 * 1024;

/** Reserved for a meter without a reservation: a request requires a non-empty quota. */
const atLeast: Amount = 1n;

/** The amounts that are reserved for a request until the response reports the used ones. */
export class Reservation {
  readonly #reserve: NonNullable<UsageOptions["reserve"]>;
  readonly #pointers: string[];
  /** Set if no amount depends on the request. */
  readonly #fixed: MeterAmounts | undefined;

  constructor(
    private readonly options: Pick<UsageOptions, "meters" | "reserve">,
    private readonly observes = false,
  ) {
    this.#reserve = options.reserve ?? {};
    this.#pointers = Object.values(this.#reserve).flatMap(({ pointer }) => pointer ?? []);
    this.#fixed = this.#pointers.length === 0 ? this.#amounts([]) : undefined;
  }

  /** Returns the amounts or a rejection. Reads the request's body if it contains an amount. */
  of(context: RequestContext): MeterAmounts | Promise<MeterAmounts | HttpResponse> {
    return this.#fixed ?? this.#inRequest(context);
  }

  isReserved(meter: string): boolean {
    return Object.hasOwn(this.#reserve, meter);
  }

  async #inRequest(context: RequestContext): Promise<MeterAmounts | HttpResponse> {
    const bytes = await readRequestBody(context, maxBodyBytes, this.observes);
    if (!Buffer.isBuffer(bytes)) return bytes;
    const numbers = new JsonNumbers(this.#pointers);
    numbers.push(bytes);
    numbers.end();
    const errors = this.#pointers.flatMap((pointer, at) =>
      (numbers.values[at] ?? 0) < 0 ? [{ pointer, detail: "must be at least 0" }] : [],
    );
    if (numbers.hasDuplicates) errors.push({ pointer: this.#pointers[0]!, detail: "occurs more than once" });
    if (errors.length > 0)
      return reject(context, "request_invalid", { errors, decision: { reason: "invalid", errors } });
    return this.#amounts(numbers.values);
  }

  /** A request without the number is estimated at the maximum. */
  #amounts(values: (number | undefined)[]): MeterAmounts {
    let at = 0;
    const amounts = new Map<string, Amount>();
    for (const meter of Object.keys(this.options.meters)) amounts.set(meter, atLeast);
    for (const [meter, { amount, pointer, factor = 1, maximum }] of Object.entries(this.#reserve)) {
      const value = pointer === undefined ? amount! : (values[at++] ?? maximum ?? 0) * (factor ?? 1);
      const estimate = Math.min(value, maximum ?? maxAmount);
      const held = estimatedAmount(estimate);
      amounts.set(meter, held > atLeast ? held : atLeast);
    }
    return amounts;
  }
}

/** Rounded to a billionth. */
export function estimatedAmount(value: number): Amount {
  return amountOf(value) ?? amountOf(Number(Math.min(value, maxAmount).toFixed(6))) ?? 0n;
}
