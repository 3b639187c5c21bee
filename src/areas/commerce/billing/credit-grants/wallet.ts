import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { settleUsage } from "../../metering/usage/settled-usage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import * as store from "./grant-store.ts";
import { type Funding, type Money, noMoney } from "./money-terms.ts";
import { recordGrant } from "./present-grant.ts";

type Grant = store.GrantRow;

/** A part of an amount, and the grant that it comes from. */
interface Taken {
  grant: Grant;
  amount: bigint;
  purpose: store.Purpose;
}

type BucketKeys = Pick<MeteringBucket, "seq">;

/**
 * The lock of everything that is billed to a customer, with its settled usage: all that computes money does it from this
 * usage. It is acquired first: a transaction that locks the row of a subscription, an invoice or the customer before it can
 * deadlock with one that has the lock.
 */
export async function lockCustomerBilling(
  transaction: WriteTransaction,
  { seq: bucketSeq }: BucketKeys,
  customerKey: string,
): Promise<void> {
  await transaction.lock(lockOf(bucketSeq, customerKey));
  await settleUsage(transaction, [{ bucketSeq, customerKey }]);
}

/**
 * The lock without settled usage, for what is computed from periods that have ended: requests continue. Whatever needs the
 * usage of the current period acquires the lock again by `lockCustomerBilling`.
 */
export async function lockEndedPeriods(
  transaction: WriteTransaction,
  { seq: bucketSeq }: BucketKeys,
  customerKey: string,
): Promise<void> {
  if (await transaction.lock(lockOf(bucketSeq, customerKey)))
    await settleUsage(transaction, [{ bucketSeq, customerKey }], { stops: false });
}

/**
 * The same for the customers of a bucket whose subscriptions no other transaction bills or has locked. Returns their
 * keys. A transaction that has one customer acquires others in this way: it must not wait for them.
 * @param needsUsage whether the usage of a customer is settled too
 */
export async function tryLockCustomers(
  transaction: WriteTransaction,
  { seq: bucketSeq }: BucketKeys,
  keys: string[],
  needsUsage: (customerKey: string) => boolean,
): Promise<string[]> {
  const areFree = await transaction.tryLockAll(keys.map((key) => lockOf(bucketSeq, key)));
  const locked = keys.filter((_, index) => areFree[index]).map((customerKey) => ({ bucketSeq, customerKey }));
  const free = await settleUsage(transaction, locked, { ifFree: true, stops: false });
  await settleUsage(
    transaction,
    free.filter(({ customerKey }) => needsUsage(customerKey)),
  );
  return free.map(({ customerKey }) => customerKey);
}

function lockOf(bucketSeq: number, customerKey: string): string {
  return `credits ${bucketSeq} ${customerKey}`;
}

/** The grants of a customer at a time, in the order of their use. What is taken or adjusted is written by `save`. */
export class Wallet {
  readonly #taken: Taken[] = [];
  readonly #adjusted = new Map<Grant, bigint>();

  private constructor(
    readonly grants: Grant[],
    private readonly now: number,
    private readonly until: number,
  ) {}

  /** @param until a later time: grants that become usable until then can be used too */
  static async read(reads: Reads, bucketSeq: number, customerKey: string, now: number, until = now): Promise<Wallet> {
    return new Wallet(await store.grantsInOrder(reads, bucketSeq, customerKey), now, until);
  }

  /** The grants of a meter or currency that can be used, in order. */
  usable({ meter, currency }: { meter?: string; currency?: string }, funding?: Funding): Grant[] {
    return this.grants.filter(
      (grant) =>
        isUsable(grant, this.now, this.until) &&
        (meter === undefined ? grant.currency === currency : grant.meter === meter) &&
        (funding === undefined || grant.funding === funding),
    );
  }

  /** The units, or the money, that can be used. */
  balanceOf(...which: Parameters<Wallet["usable"]>): bigint {
    return this.usable(...which).reduce((sum, { balance }) => sum + BigInt(balance), 0n);
  }

  /** The meters of which there is a grant, whether it can be used or not. */
  get meters(): Set<string> {
    return new Set(this.grants.flatMap(({ meter }) => meter ?? []));
  }

  /** Whether a grant of the meter is, or was, usable. */
  hasBegun(meter: string): boolean {
    return this.grants.some((grant) => grant.meter === meter && grant.effective_on <= this.now);
  }

  get isUsedUp(): boolean {
    return this.grants.every(({ balance }) => balance === "0");
  }

  /** When a grant becomes usable or expires next. */
  get changesOn(): number {
    const times = this.grants.flatMap(({ effective_on, expires_on }) => [effective_on, expires_on ?? 0]);
    return Math.min(...times.filter((time) => time > this.now));
  }

  /** Takes up to an amount, in order. No balance becomes negative. Returns what was taken. */
  take(grants: Grant[], wanted: bigint, purpose: store.Purpose): Money {
    const taken = { ...noMoney };
    let rest = wanted;
    for (const grant of grants) {
      if (rest <= 0n) break;
      const balance = BigInt(grant.balance);
      const amount = balance < rest ? balance : rest;
      if (amount === 0n) continue;
      rest -= amount;
      grant.balance = String(balance - amount);
      taken[grant.funding as Funding] += amount;
      const known = this.#taken.find((each) => each.grant === grant && isSame(each.purpose, purpose));
      if (known) known.amount += amount;
      else this.#taken.push({ grant, amount, purpose });
    }
    return taken;
  }

  /** Changes the amount of grants together, after all is taken. What is too much is removed from what is left of them, in order. */
  adjust(grants: Grant[], change: bigint): void {
    let rest = change;
    for (const grant of grants) {
      const part = rest < 0n && -rest > BigInt(grant.balance) ? -BigInt(grant.balance) : rest;
      if (part === 0n) continue;
      rest -= part;
      grant.amount = String(BigInt(grant.amount) + part);
      grant.balance = String(BigInt(grant.balance) + part);
      this.#adjusted.set(grant, part);
    }
  }

  /** Whether there is something to write. */
  get hasChanged(): boolean {
    return this.#taken.length > 0 || this.#adjusted.size > 0;
  }

  /** Writes the entries of what was adjusted and taken. The lock must be held since the wallet was read. */
  async save(context: BucketContext): Promise<void> {
    const { transaction, act } = context;
    const adjusted = [...this.#adjusted].map(([grant, change]) => ({ grant, change, after: { ...grant } }));
    for (const { grant, change } of adjusted) {
      grant.amount = String(BigInt(grant.amount) - change);
      grant.balance = String(BigInt(grant.balance) - change);
    }
    const before = new Map<Grant, bigint>();
    for (const { grant, amount } of this.#taken)
      before.set(grant, (before.get(grant) ?? BigInt(grant.balance)) + amount);
    const balances = new Map(before);
    for (const { grant, amount, purpose } of this.#taken) {
      const balance = balances.get(grant)! - amount;
      if (balance < 0n) throw new Error("The balance of a grant must not be negative");
      balances.set(grant, balance);
      await store.insertEntry(context, { ...grant, balance: String(balance) }, "consumed", -amount, purpose);
    }
    for (const [grant, balance] of before) {
      const old = { ...grant, balance: String(balance) };
      const changed = { balance: grant.balance, version: grant.version + 1, updated_on: act.now };
      await transaction.update("grants", grant.seq, changed);
      Object.assign(grant, changed);
      recordGrant(context, "grant.consumed", grant, old);
      if (grant.balance === "0") recordGrant(context, "grant.depleted", grant);
    }
    this.#taken.length = 0;
    for (const { grant, change, after } of adjusted) {
      const { amount, balance } = after;
      Object.assign(grant, await changeGrant(context, grant, "adjusted", change, { amount, balance }));
      if (balance === "0") recordGrant(context, "grant.depleted", grant);
    }
    this.#adjusted.clear();
  }
}

function isUsable({ balance, ended_on, effective_on, expires_on }: Grant, now: number, until: number): boolean {
  return balance !== "0" && ended_on === null && effective_on <= until && (expires_on === null || now < expires_on);
}

function isSame(left: store.Purpose, right: store.Purpose): boolean {
  return (
    left.subscriptionId === right.subscriptionId && left.meter === right.meter && left.invoiceId === right.invoiceId
  );
}

/** Changes a grant, which then has another version, with an entry of the ledger. */
export async function changeGrant(
  context: BucketContext,
  before: Grant,
  kind: "expired" | "voided" | "refunded" | "restored" | "adjusted",
  amount: bigint,
  values: Partial<Grant>,
  purpose?: store.Purpose,
): Promise<Grant> {
  const { transaction, act } = context;
  const changed = { ...values, version: before.version + 1, updated_on: act.now };
  await transaction.update("grants", before.seq, changed);
  const after = { ...before, ...changed };
  // A grant that was used up already has nothing that could expire.
  if (kind === "expired" && amount === 0n) return after;
  await store.insertEntry(context, after, kind, amount, purpose);
  recordGrant(context, `grant.${kind}`, after, before);
  return after;
}
