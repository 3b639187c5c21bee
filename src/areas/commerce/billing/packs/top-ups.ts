import { type Act, accountOf, serverTimeOf, systemAct } from "../../../../core/access.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { minorDigits, parseMinorOf } from "../../../../lib/currencies.ts";
import { formatMinor, type Minor, parseMinor } from "../../../../lib/text/minor-units.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import { allWith } from "../../../../platform/storage/query.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import {
  type BucketContext,
  bucketColumns,
  findMeteringBucket,
  joinBucket,
  type MeteringBucket,
  timeIn,
} from "../../metering-buckets/metering-buckets.ts";
import { allowsUsage, statusAt } from "../../subscriptions/state.ts";
import type { DueCustomer } from "../credit-grants/grant-store.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { ChangedCustomers, customerId } from "../customers/changed-customers.ts";
import {
  type Customer,
  type CustomerPatch,
  disableTopUp,
  findCustomer,
  findCustomerIfAny,
  methodOf,
  presentBuyer,
  type TopUp,
  topUpOf,
} from "../customers/customers.ts";
import { mailAbout } from "../invoices/billing-mails.ts";
import { updateInvoice } from "../invoices/invoice-store.ts";
import { findInvoice } from "../invoices/invoices.ts";
import { type TaxedBuyer, taxLines, taxTerms } from "../invoices/taxes.ts";
import type { HeldUsage } from "../overage/overage-lines.ts";
import { createCheckout } from "../payments/checkouts.ts";
import { providerFor } from "../payments/providers.ts";
import { totalOf } from "../plan-terms/lines.ts";
import { profileOf } from "../settings/settings.ts";
import { creditsAt } from "../spending/credit-use.ts";
import { openPurchases, type PackPurchase } from "./pack-purchases.ts";
import { type Pack, packNamed } from "./packs.ts";
import { sellPack } from "./purchases.ts";

/** The page of a checkout, and where it leads to afterwards. */
export interface CheckoutPage {
  url(token: string): string;
  returnUrl: string;
}

type ValidPatch = Omit<CustomerPatch, "topUp"> & { topUp?: TopUp | null | undefined };

/** Checks the automatic top-up in a change of a customer. Throws 400, and 409 if payments are not collected. */
export async function withValidTopUp(
  { transaction, act, bucket }: BucketContext,
  customerKey: string,
  { topUp, ...patch }: CustomerPatch,
): Promise<ValidPatch> {
  if (topUp === undefined || topUp === null) return topUp === undefined ? patch : { ...patch, topUp };
  const pack = await packNamed(transaction, bucket, topUp.packExternalId);
  if (!pack) throw invalid("/topUp/packExternalId", "is not a credit pack of the bucket");
  const below = belowOf(pack, topUp.below);
  if (below >= BigInt(pack.grant_amount))
    throw invalid("/topUp/below", "must be less than the grant of the pack: the top-up would repeat");
  const digits = minorDigits(pack.currency)!;
  const maximum = parseMinor(topUp.maximumPerMonth, digits);
  if (maximum === undefined)
    throw invalid("/topUp/maximumPerMonth", `must have at most ${digits} decimals in ${pack.currency}`);
  const customer = await findCustomerIfAny(transaction, bucket, customerKey);
  const total = await totalPriceOf(transaction, act, pack, buyerAfter(customer, patch));
  // A disabled top-up may have any maximum, so that it can be disabled after taxes have risen.
  if (topUp.isEnabled && maximum < total)
    throw invalid(
      "/topUp/maximumPerMonth",
      `must be at least ${formatMinor(total, digits)}, which the pack costs with tax: otherwise nothing is bought`,
    );
  if (!(await providerFor(transaction, act, bucket)).paysOnline) throw new Problem("top_up_unavailable");
  return { ...patch, topUp: { packId: pack.id, ...topUp } };
}

/** The customer as far as taxes depend on it, after a change. */
function buyerAfter(customer: Customer | undefined, { address, taxStatus }: Omit<CustomerPatch, "topUp">): TaxedBuyer {
  const buyer: TaxedBuyer = customer ? presentBuyer(customer) : {};
  return {
    address: address === undefined ? buyer.address : (address ?? undefined),
    taxStatus: taxStatus === undefined ? buyer.taxStatus : (taxStatus ?? undefined),
  };
}

function belowOf({ grant_currency: currency }: Pack, below: number | string): bigint {
  if (currency === null) {
    const units = typeof below === "number" ? amountOf(below) : undefined;
    if (units === undefined || units <= 0n)
      throw invalid("/topUp/below", "must be a number of units that is greater than 0, with at most 9 decimals");
    return units;
  }
  const digits = minorDigits(currency)!;
  const minor = typeof below === "string" ? parseMinor(below, digits) : undefined;
  if (minor === undefined || minor <= 0n)
    throw invalid("/topUp/below", `must be a decimal as text that is greater than 0, with at most ${digits} decimals`);
  return minor;
}

/** The available credit in the meter or currency of the pack, after usage and holds. */
async function availableOf(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  { grant_meter: meter, grant_currency: currency }: Pack,
  now: number,
  held: HeldUsage,
) {
  const state = await creditsAt(reads, bucket, customerKey, now, { held });
  const available = state.wallet.balanceOf(meter === null ? { currency: currency! } : { meter });
  return { current: state.current, available };
}

/**
 * The top-up that a customer needs now. Undefined if it needs none, or must not have one in this month. `isTooLow` if the
 * pack costs more than the maximum of a whole month, because taxes have risen.
 */
export async function neededTopUp(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  customer: Customer,
  now: number,
  held: HeldUsage,
): Promise<{ pack: Pack; maximum: Minor; isTooLow: boolean } | undefined> {
  const topUp = topUpOf(customer);
  if (!topUp?.isEnabled || methodOf(customer) === undefined) return undefined;
  const pack = await packNamed(reads, bucket, topUp.packExternalId);
  if (pack?.id !== topUp.packId || !(await providerFor(reads, act, bucket)).paysOnline) return undefined;
  const { customer_key } = customer;
  const { current, available } = await availableOf(reads, bucket, customer_key, pack, now, held);
  // Without access, credit cannot be used.
  if (!current || !allowsUsage(statusAt(current.row, current.plans, now))) return undefined;
  if (available >= belowOf(pack, topUp.below)) return undefined;
  const open = await openPurchases(reads, bucket, customer_key);
  if (open.some(({ is_top_up }) => is_top_up === 1)) return undefined;
  const maximum = parseMinorOf(pack.currency, topUp.maximumPerMonth);
  const total = await totalPriceOf(reads, act, pack, presentBuyer(customer));
  const spent = await spentInMonth(reads, bucket, customer_key, pack.currency, now);
  const isTooMuch = spent + total > maximum;
  // In a month with a top-up nothing is bought, at any tax: only the next month shows whether the maximum is too low.
  return isTooMuch && spent > 0n ? undefined : { pack, maximum, isTooLow: isTooMuch };
}

/** What top-ups of the calendar month cost, with tax, without those that failed. */
export async function spentInMonth(
  reads: Reads,
  bucket: MeteringBucket,
  customerKey: string,
  currency: string,
  now: number,
): Promise<Minor> {
  const date = new Date(now);
  const month = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset);
  const topUps = await reads.all<Pick<PackPurchase, "currency" | "total">>(
    `SELECT currency, total FROM pack_purchases WHERE bucket_seq = ? AND customer_key = ? AND is_top_up = 1
       AND state <> 'failed' AND created_on >= ? AND created_on < ?`,
    [bucket.seq, customerKey, month(0), month(1)],
  );
  const same = topUps.filter((each) => each.currency === currency);
  return same.reduce((sum, { total }) => sum + BigInt(total), 0n);
}

/** The top-up would exceed the maximum of the month. Its transaction is rolled back. */
export class MaximumReached extends Error {}

/**
 * Starts the top-up that a customer needs, or turns it off if it could never buy. Throws MaximumReached if taxes have risen
 * in the meantime.
 * @param page where the customer confirms a payment in the sandbox
 */
export async function startTopUp(
  context: BucketContext,
  customerKey: string,
  held: HeldUsage,
  page: CheckoutPage,
): Promise<PackPurchase | undefined> {
  const { transaction, act, bucket } = context;
  // Locked, because another node may be starting the same top-up.
  await lockCustomerBilling(transaction, bucket, customerKey);
  const customer = await findCustomerIfAny(transaction, bucket, customerKey);
  const needed = customer && (await neededTopUp(transaction, act, bucket, customer, act.now, held));
  if (!needed) return undefined;
  const { pack, maximum, isTooLow } = needed;
  if (isTooLow) {
    await disableTopUp(context, customerKey, "maximum_too_low");
    return undefined;
  }
  const purchase = await sellPack(context, customerKey, pack, { isTopUp: true });
  const isFailed = purchase.state === "failed";
  const spent = await spentInMonth(transaction, bucket, customerKey, pack.currency, act.now);
  if (!isFailed && spent > maximum) throw new MaximumReached();
  const provider = await providerFor(transaction, act, bucket);
  if (purchase.state === "open" && provider.needsConfirmation?.(methodOf(customer))) {
    const invoice = await findInvoice(transaction, bucket, purchase.invoice_id);
    const { url, returnUrl } = page;
    const token = await createCheckout(transaction, bucket, { customerKey, returnUrl }, serverTimeOf(act));
    await updateInvoice(transaction, invoice, { collection_url: url(token) });
    await mailAbout(context, "top-up-action", invoice);
  }
  return purchase;
}

/** What a pack costs a customer now, with tax. Without a billing profile there are no taxes. */
async function totalPriceOf(
  reads: Reads,
  { account }: Pick<Act, "account">,
  pack: Pick<Pack, "price">,
  buyer: TaxedBuyer,
): Promise<Minor> {
  const price = BigInt(pack.price);
  const profile = await profileOf(reads, account.seq);
  return profile ? price + totalOf(taxLines(taxTerms(profile, profile.taxBehavior, buyer), price, 0)) : price;
}

const minuteMilliseconds = 60_000;

/** A customer whose automatic top-up is on, and what changes with its credit. */
interface TopUpCustomer extends DueCustomer {
  bucket_seq: number;
  version: number;
  /** Of its grants and of what they pay. Null without any. */
  revision: number | null;
  /** The sum of the versions of its counters. Null without usage. */
  counted: number | string | null;
}

function topUpCustomers(
  reads: Reads,
  after: Pick<TopUpCustomer, "bucket_seq" | "customer_key">,
  limit: number,
): Promise<TopUpCustomer[]> {
  return reads.all(
    `SELECT customers.bucket_seq, customers.customer_key, customers.version, customer_credits.revision,
       ${bucketColumns}, (SELECT SUM(usage_counters.version) FROM subscriptions CROSS JOIN usage_counters
        WHERE usage_counters.subscription_seq = subscriptions.seq AND subscriptions.bucket_seq = customers.bucket_seq
          AND subscriptions.customer_key = customers.customer_key) AS counted
     FROM customers ${joinBucket("customers.bucket_seq")}
     LEFT JOIN customer_credits ON customer_credits.bucket_seq = customers.bucket_seq
       AND customer_credits.customer_key = customers.customer_key
     WHERE (customers.bucket_seq, customers.customer_key) > (?, ?) AND customers.top_up IS NOT NULL
       AND customers.top_up LIKE '%"isEnabled":true%'
     ORDER BY customers.bucket_seq, customers.customer_key LIMIT ?`,
    [after.bucket_seq, after.customer_key, limit],
  );
}

/** The customers of subscriptions. */
function customersOfSubscriptions(reads: Reads, seqs: Iterable<number>) {
  return allWith<Pick<TopUpCustomer, "bucket_seq" | "customer_key">>(
    reads,
    ["bigint"],
    Array.from(seqs, (seq) => [seq]),
    (held) => `SELECT bucket_seq, customer_key FROM subscriptions WHERE seq IN (SELECT column1 FROM ${held} AS held)`,
  );
}

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
  readonly #customers = new ChangedCustomers();

  constructor(private readonly dependencies: Dependencies) {}

  async start(signal?: AbortSignal): Promise<void> {
    const { storage, clock, failed, heldIn, heldSubscriptions } = this.dependencies;
    const now = clock.now();
    let held: Set<string> | undefined;
    await this.#customers.compare({
      storage,
      now,
      pageAfter: async (after, limit) => {
        const customers = await topUpCustomers(storage.reads, after, limit);
        if (customers.length > 0)
          held ??= new Set((await customersOfSubscriptions(storage.reads, heldSubscriptions())).map(customerId));
        return customers;
      },
      stateOf: ({ version, revision, counted, ...customer }) => {
        // What is held changes without a trace. Unchanged credit is compared once a minute, because it may expire.
        const step = held?.has(customerId(customer)) ? `held ${now}` : Math.floor(now / minuteMilliseconds);
        return `${version} ${revision} ${counted} ${step}`;
      },
      isDue: async (reads, bucket, { customer_key, ...account }, time) => {
        const customer = await findCustomer(reads, bucket, customer_key);
        const needed = await neededTopUp(reads, { account: accountOf(account) }, bucket, customer, time, heldIn);
        return needed !== undefined;
      },
      perform: async (customer) => !(await this.#startFor(customer, now)),
      failed,
      signal,
    });
  }

  /** Returns whether a top-up was started. */
  async #startFor(customer: TopUpCustomer, now: number): Promise<boolean> {
    const { storage, heldIn, page } = this.dependencies;
    const { account_seq: seq, bucket_id, customer_key } = customer;
    const cause = { account: accountOf(customer), now };
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
