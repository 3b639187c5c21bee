import { type Cost, chargeOf } from "../../../core/model-prices/cost.ts";
import type { MeterAmounts } from "../../../counting/quotas/hold.ts";
import { type Amount, amountOf } from "../../../lib/amount.ts";
import type { TokenCounts } from "../../exchange/model-use.ts";
import type { PolicyPlace } from "../../exchange/policy.ts";
import type { CustomerQuotas } from "../quota/customer-quotas.ts";
import type { ModelCount, UsageOptions } from "./schema.ts";

/** What a request used or may use. */
export interface CountedUse {
  requests: number;
  tokens: TokenCounts;
  cost: Cost;
}

/** A meter of a policy `usage`. */
export interface ModelMeter {
  name: string;
  count: ModelCount;
  aliases: ReadonlySet<string> | undefined;
  factor: Amount;
}

/** The meters of a policy `usage` on a models route. */
export class ModelMeters {
  readonly #meters: ModelMeter[];
  readonly finishesAfterDisconnect: boolean;

  constructor(
    { meters, onDisconnect }: UsageOptions,
    readonly quotas: CustomerQuotas,
    /** Whether responses count for `requests`, by status. */
    readonly countsStatus: readonly boolean[],
    /** The name of the policy, and whether it is in `observe`. */
    readonly place: Pick<PolicyPlace, "name" | "observes">,
  ) {
    this.#meters = Object.entries(meters).map(([name, { count, aliases, factor = 1 }]) => ({
      name,
      count: count!,
      aliases: aliases && new Set(aliases),
      factor: amountOf(factor)!,
    }));
    this.finishesAfterDisconnect = onDisconnect !== "estimate" && !place.observes;
  }

  /** Returns the meters that count a request. Only the number of requests counts without tokens. */
  of(alias: string | undefined, hasTokens: boolean): readonly ModelMeter[] {
    return this.#meters.filter(
      ({ count, aliases }) =>
        (aliases === undefined || (alias !== undefined && aliases.has(alias))) && (hasTokens || count === "requests"),
    );
  }
}

/** Returns the amount of each meter. */
export function amountsOf(meters: readonly ModelMeter[], use: CountedUse): Map<string, Amount> {
  const amounts = new Map<string, Amount>();
  for (const meter of meters) amounts.set(meter.name, amountOfMeter(meter, use));
  return amounts;
}

/** Returns what the meters with the count `cost` charge. Undefined if there is none. */
export function chargeIn(meters: readonly ModelMeter[], amounts: MeterAmounts): Amount | undefined {
  let charge: Amount | undefined;
  for (const { name, count } of meters) if (count === "cost") charge = (charge ?? 0n) + (amounts.get(name) ?? 0n);
  return charge;
}

function amountOfMeter({ count, factor }: ModelMeter, { requests, tokens, cost }: CountedUse): Amount {
  if (count === "cost") return chargeOf(cost, factor);
  const { input, cached, cacheWrite, output } = tokens;
  const number =
    count === "requests" ? requests : count === "tokens" ? input + cached + cacheWrite + output : tokens[count];
  return BigInt(number) * factor;
}
