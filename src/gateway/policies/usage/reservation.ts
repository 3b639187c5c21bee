import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import { type Amount, amountOf, maxAmount } from "../../../lib/amount.ts";
import { JsonNumbers } from "../../../lib/text/json-numbers.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import { readRequestBody } from "../../exchange/request-body.ts";
import type { UsageOptions } from "./schema.ts";

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
