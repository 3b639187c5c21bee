import { systemAct } from "../../../core/access.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { findMeteringBucket, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { findCustomer } from "../customers/customers.ts";
import type { HeldUsage } from "../overage/overage-lines.ts";
import { customersOfSubscriptions, type TopUpCustomer, topUpCustomers } from "./top-up-store.ts";
import { type CheckoutPage, MaximumReached, neededTopUp, startTopUp } from "./top-ups.ts";

const pageSize = 500;
const minuteMilliseconds = 60_000;

interface Dependencies {
  storage: Storage;
  clock: Clock;
  /** What requests hold from quotas, and the subscriptions that they hold from. */
  heldIn: HeldUsage;
  heldSubscriptions(): Iterable<number>;
  page: CheckoutPage;
  failed(error: unknown): void;
}

/**
 * Starts the automatic top-ups of customers whose available credit has fallen too low. Any number of nodes may do so: a
 * transaction that starts one locks the billing of the customer and compares again.
 */
export class TopUps {
  /** What was compared, by customer: unchanged credit is compared once a minute, because it may expire. */
  #compared = new Map<string, string>();

  constructor(private readonly dependencies: Dependencies) {}

  async start(signal?: AbortSignal): Promise<void> {
    const { storage, clock, failed, heldSubscriptions } = this.dependencies;
    const now = clock.now();
    const keyOf = ({ bucket_seq, customer_key }: Pick<TopUpCustomer, "bucket_seq" | "customer_key">) =>
      `${bucket_seq} ${customer_key}`;
    let held: Set<string> | undefined;
    const compared = new Map<string, string>();
    for (let after = { bucket_seq: 0, customer_key: "" }; !signal?.aborted; ) {
      const customers = await topUpCustomers(storage.reads, after, pageSize);
      if (customers.length > 0)
        held ??= new Set((await customersOfSubscriptions(storage.reads, heldSubscriptions())).map(keyOf));
      for (const customer of customers) {
        if (signal?.aborted) return;
        const key = keyOf(customer);
        const { version, revision, counted } = customer;
        const state = `${version} ${revision} ${counted} ${Math.floor(now / minuteMilliseconds)}`;
        try {
          const isSame = this.#compared.get(key) === state && !held?.has(key);
          if (isSame || !(await this.#startFor(customer, now))) compared.set(key, state);
        } catch (error) {
          // The customer or bucket was deleted concurrently.
          if (!(error instanceof Problem && error.code === "not_found")) failed(error);
        }
      }
      const last = customers.at(-1);
      if (!last || customers.length < pageSize) break;
      after = last;
    }
    this.#compared = compared;
  }

  /** Returns whether a top-up was started. */
  async #startFor(customer: TopUpCustomer, now: number): Promise<boolean> {
    const { storage, heldIn, page } = this.dependencies;
    const { account_seq: seq, account_id: id, account_name: name, bucket_id, customer_key } = customer;
    const cause = { account: { seq, id, name }, now };
    const bucket = await findMeteringBucket(storage.reads, seq, bucket_id);
    const row = await findCustomer(storage.reads, bucket, customer_key);
    // Most customers need no top-up, so this is checked without a write transaction.
    if (!(await neededTopUp(storage.reads, cause, bucket, row, timeIn(bucket, now), heldIn))) return false;
    try {
      const started = await storage.write(async (transaction) => {
        const current = await findMeteringBucket(transaction, seq, bucket_id);
        const act = systemAct(cause, timeIn(current, now));
        return startTopUp({ transaction, act, bucket: current }, customer_key, heldIn, page);
      });
      return started !== undefined;
    } catch (error) {
      if (error instanceof MaximumReached) return false;
      throw error;
    }
  }
}
