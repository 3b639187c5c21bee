import { hash } from "node:crypto";
import { notFound } from "../../../../core/problems/problem.ts";
import { customerPlace } from "../../../../counting/quotas/customer-place.ts";
import type { HoldOptions } from "../../../../counting/quotas/customer-quota.ts";
import type { MeterAmounts } from "../../../../counting/quotas/hold.ts";
import type { QuotaHold, QuotaHolds, QuotaRejection } from "../../../../counting/quotas/hold-quota.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { newId } from "../../../../lib/ids.ts";
import type { NamedWrite } from "../../../../platform/storage/named-write.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import type { QuotaTakes, TakeRequest, TakeResult } from "../../../api-keys/keys/quota-takes.ts";
import type { MeteringBucketDirectory } from "../../metering-buckets/directory.ts";
import type { DurableTake, DurableTakeResult } from "./durable-take.ts";

const maxAmounts = 10_000;
const enforced: HoldOptions = { reportsUsage: true };
const observed: HoldOptions = { reportsUsage: true, observes: true };

interface KeyQuotaTakesOptions {
  storage: Storage;
  buckets: MeteringBucketDirectory;
  quotas: QuotaHolds;
  durable: NamedWrite<DurableTake, DurableTakeResult>;
}

/**
 * Takes from the plan of a key's consumer for verify-key: from memory like the policy `quota`, and in a transaction if
 * the amounts are held or the request has an Idempotency-Key.
 */
export class KeyQuotaTakes implements QuotaTakes {
  /** By text, because quotas cache what they derive by identity. */
  readonly #amounts = new Map<string, MeterAmounts>();

  constructor(private readonly options: KeyQuotaTakesOptions) {}

  hasBucket(accountSeq: number, bucketId: string): boolean | Promise<boolean> {
    return this.options.buckets.has(accountSeq, bucketId);
  }

  take(request: TakeRequest): TakeResult | Promise<TakeResult> {
    if (request.hold || request.once) return this.#takeDurably(request);
    const { act, bucketId, customerKey, keyBucket, meters } = request;
    const { now } = act;
    const place = customerPlace(act.account.seq, bucketId, customerKey, keyBucket);
    const options = request.observes ? observed : enforced;
    const held = this.options.quotas.hold(place, this.#amountsOf(meters), now, options);
    return held instanceof Promise ? held.then((result) => settle(result, now)) : settle(held, now);
  }

  async #takeDurably(request: TakeRequest): Promise<TakeResult> {
    const { act, bucketId, customerKey, keyBucket, meters, hold, once, observes } = request;
    const { storage, durable } = this.options;
    const { now } = act;
    const taken = await storage.write(
      durable.with({
        act,
        bucketId,
        customerKey,
        keyBucket,
        amounts: this.#amountsOf(meters),
        hold: hold && {
          id: newId("hold", now),
          expiresOn: now + hold.expiresInSeconds * 1000,
          onExpiry: hold.onExpiry,
        },
        observes,
        once: once && { ...once, fingerprint: fingerprintOf(request), now },
      }),
    );
    if (!taken) throw notFound("metering bucket");
    return taken;
  }

  #amountsOf(meters: Record<string, number>): MeterAmounts {
    let text = "";
    for (const meter in meters) text += `${meter} ${meters[meter]} `;
    const known = this.#amounts.get(text);
    if (known) return known;
    const amounts = new Map(Object.entries(meters).map(([meter, amount]) => [meter, amountOf(amount)!]));
    if (this.#amounts.size >= maxAmounts) this.#amounts.clear();
    this.#amounts.set(text, amounts);
    return amounts;
  }
}

function settle(held: QuotaHold | QuotaRejection, now: number): TakeResult {
  if ("reason" in held) return rejected(held, now);
  held.settle();
  const members = held.usage ?? "";
  return held.exceeded ? { ...rejected(held.exceeded, now), members, isTaken: true } : { members };
}

function rejected(rejection: QuotaRejection, now: number): TakeResult {
  if (rejection.reason !== "exceeded") return { rejection: rejection.reason, members: "" };
  const { shortage, periodEnd, testTime, usage = "" } = rejection;
  const { code, amount, max } = shortage;
  // The next period does not help without a payment, or if it allows less than the amount.
  const helps = code === "quota_exceeded" && amount <= max;
  const retryAfterSeconds = helps ? Math.ceil((periodEnd - (testTime ?? now)) / 1000) : undefined;
  return { rejection: code, retryAfterSeconds, members: usage };
}

/** The request apart from the key's value: another key of the same consumer may repeat it. */
function fingerprintOf({ bucketId, customerKey, meters, hold, observes }: TakeRequest): Buffer {
  const sorted = Object.entries(meters).sort(([one], [other]) => (one < other ? -1 : 1));
  const request = ["verify-key", bucketId, customerKey, sorted, hold ?? null, ...(observes ? ["observe"] : [])];
  return hash("sha256", JSON.stringify(request), "buffer");
}
