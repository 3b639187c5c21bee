import { type Act, serverTimeOf } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { newId } from "../../../../lib/ids.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { BucketContext, MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { Plan } from "../../plans/plans.ts";
import { hasCosts, priceOf, ratesOf } from "../../plans/prices.ts";
import { isUnpaidPurchase } from "../../subscriptions/state.ts";
import {
  createSubscription,
  findSubscriptionForUpdate,
  plansNamed,
  type Subscription,
  subscriptionsOf,
} from "../../subscriptions/subscriptions.ts";
import { onBook } from "../book/book.ts";
import { lockCustomerBilling } from "../credit-grants/wallet.ts";
import { type Customer, ensureCustomer, findCustomer, presentBuyer } from "../customers/customers.ts";
import { allInvoicesOf, invoicesOfSubscription } from "../invoices/invoice-store.ts";
import { findInvoice } from "../invoices/invoices.ts";
import { dayMilliseconds } from "../packs/pack-purchases.ts";
import { purchasePack } from "../packs/purchases.ts";
import { isBeingCharged, providerFor } from "../payments/providers.ts";
import { endPurchase, schedule, settleBilling } from "../periods/billing-steps.ts";
import { presentUpcoming } from "../periods/previews.ts";
import { billingHooks } from "../periods/subscription-hooks.ts";
import { segmentKindAt } from "../plan-terms/segments.ts";
import { profileOf } from "../settings/settings.ts";
import { completePurchase, endFreeSubscriptions } from "./completion.ts";

/** How long a purchase may be paid. */
const purchaseMilliseconds = 24 * 60 * 60 * 1000;

export interface Purchase {
  customerKey: string;
  planExternalIds: string[];
  /** The customer had a trial elsewhere. */
  withoutTrial?: boolean | undefined;
}

/**
 * Subscribes a customer to plans. The subscription is `incomplete` until its first invoice is paid; a customer with a
 * payment method pays at once. It replaces the customer's free subscriptions, and purchases that were not paid. Throws
 * 409 while such a purchase is being charged: the customer might pay twice.
 */
export async function purchase(
  context: BucketContext,
  { customerKey, planExternalIds, withoutTrial = false }: Purchase,
): Promise<Subscription> {
  const { transaction, act, bucket } = context;
  // Serializes the purchases of a customer.
  await lockCustomerBilling(transaction, bucket, customerKey);
  const former = await subscriptionsOf(transaction, bucket, customerKey);
  for (const { row } of former) await settleBilling(context, row.id, act.now);
  const current = await subscriptionsOf(transaction, bucket, customerKey);
  if (
    current.some(
      (each) => !isUnpaidPurchase(each.row) && isPriced(each.plans) && segmentKindAt(each, act.now) !== "idle",
    )
  )
    throw new Problem("customer_has_subscription");
  const plans = await plansNamed(transaction, bucket, planExternalIds);
  const { isTrial, needsMethod, needsProfile } = purchaseNeeds(plans, current, withoutTrial);
  if (needsProfile && !(await profileOf(transaction, act.account.seq))) throw new Problem("billing_profile_missing");
  for (const each of current)
    if (isUnpaidPurchase(each.row)) {
      await requireNoCharge(transaction, bucket, each);
      await endPurchase(context, each);
      await schedule(context, each.row.id);
    }
  const created = await createSubscription(context, {
    planIds: plans.map(({ id }) => id),
    planExternalIds,
    status: needsMethod ? "incomplete" : isTrial ? "trialing" : "active",
    ...(needsMethod ? { expiresOn: act.now + purchaseMilliseconds } : {}),
    ...(isTrial ? { trialStartDate: act.now } : {}),
    renewalStrategy: "monthly",
    // The schema requires a region; it is not used.
    region: "us-central1",
    customerKey,
    subscriptionExternalId: newId("prch", serverTimeOf(act)),
    customerExternalId: customerKey,
  });
  await billingHooks.created(context, created);
  if (needsMethod) await completePurchase(context, created.row.id);
  else await endFreeSubscriptions(context, created);
  return findSubscriptionForUpdate(transaction, bucket, created.row.id);
}

/** Throws 409 while a payment of the previous purchase is pending, which takes seconds, or days with a bank debit. */
async function requireNoCharge(transaction: WriteTransaction, bucket: MeteringBucket, { row }: Subscription) {
  const open = await invoicesOfSubscription(transaction, bucket.seq, row.id, "open");
  const seqs = open.map(({ seq }) => seq);
  if (await isBeingCharged(transaction, seqs)) throw new Problem("payment_in_progress");
}

function isPriced(plans: Plan[]): boolean {
  return plans.some(({ price }) => price !== null);
}

/** Throws 409 if the seller requires a name and an address on invoices, and the customer has not entered them. */
export async function requireBuyer({ transaction, act, bucket }: BucketContext, key: string) {
  const customer = await findCustomer(transaction, bucket, key);
  if (!(await requiresBuyer(transaction, act, bucket, customer))) return;
  const { legalName, address } = presentBuyer(customer);
  if (legalName === undefined || address?.line1 === undefined) throw new Problem("buyer_details_missing");
}

/** Not if the provider's page asks for them: it issues the invoices. With a payment method, there is no such page. */
export async function requiresBuyer(
  reads: Reads,
  act: Pick<Act, "account">,
  bucket: MeteringBucket,
  customer: Customer | undefined,
): Promise<boolean> {
  if ((await profileOf(reads, act.account.seq))?.buyerAddress !== "required") return false;
  return !(await providerFor(reads, act, bucket)).issuesInvoices || (customer?.payment_method ?? null) !== null;
}

/** What a customer with these subscriptions needs to buy plans. */
export function purchaseNeeds(plans: Plan[], subscriptions: Subscription[], withoutTrial: boolean) {
  const isTrial = !withoutTrial && plans.some(({ trial_days }) => trial_days !== null) && !subscriptions.some(hadTrial);
  const needsMethod = isTrial ? plans.some((plan) => plan.is_trial_collect_payment === 1) : !isFree(plans);
  // A trial has no invoice yet.
  return { isTrial, needsMethod, needsProfile: needsMethod && !isTrial };
}

function isFree(plans: Plan[]): boolean {
  return plans.every((plan) => !hasCosts({ price: priceOf(plan), rates: ratesOf(plan) }));
}

/** A customer gets one trial. */
function hadTrial({ row }: Subscription): boolean {
  return row.trial_end_date !== null;
}

/** The first invoice of a purchase, if it has one. Throws the same errors as the purchase. */
export function previewPurchase(storage: Storage, act: Act, bucket: MeteringBucket, input: Purchase) {
  const { customerKey, planExternalIds } = input;
  return onBook(storage, { act, bucket, customerKeys: [customerKey], planExternalIds }, async (transaction) => {
    const { row } = await purchase({ transaction, act, bucket }, input);
    const [invoice] = await allInvoicesOf(transaction, bucket.seq, row.id);
    return invoice && presentUpcoming(invoice);
  });
}

/** The invoice of a purchase, and until when the credit could be used if it is paid now. Throws the errors of the purchase. */
export function previewPackPurchase(
  storage: Storage,
  act: Act,
  bucket: MeteringBucket,
  customerKey: string,
  packExternalId: string,
) {
  return onBook(storage, { act, bucket, customerKeys: [customerKey] }, async (transaction) => {
    await ensureCustomer({ transaction, act, bucket }, customerKey);
    const { invoice_id, expires_in_days: days } = await purchasePack(
      { transaction, act, bucket },
      customerKey,
      packExternalId,
    );
    const invoice = presentUpcoming(await findInvoice(transaction, bucket, invoice_id));
    return { invoice, expiresOn: days === null ? undefined : formatDateTime(act.now + days * dayMilliseconds) };
  });
}
