import type { Act } from "../../../core/access.ts";
import { unconditional } from "../../../lib/http/etag.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { actIn } from "../../metering-buckets/metering-buckets.ts";
import { behaviorOf, findCustomer, type PaymentMethod, setPaymentMethod } from "../customers/customers.ts";
import type { InvoiceRow } from "../invoices/invoice-store.ts";
import { collectOpen, openInvoices, payOpen } from "../purchases/collection.ts";
import type { Checkout } from "./checkouts.ts";

export type Behavior = PaymentMethod["behavior"];

/** What the sandbox asks the customer for: a method, or the second step of one. */
export interface SandboxStep {
  step: "method" | "confirmation";
  open: InvoiceRow[];
  /** Why the last payment was not made. */
  failure?: "declined" | "not-confirmed" | undefined;
}

/** The page as its customer sees it. */
export async function currentStep(reads: Reads, { bucket, customerKey }: Checkout): Promise<SandboxStep> {
  const open = await openInvoices(reads, bucket, customerKey);
  const behavior = behaviorOf(await findCustomer(reads, bucket, customerKey));
  if (open.length > 0 && behavior === "needs-action") return { step: "confirmation", open };
  const declined = open.some(({ failed_on }) => failed_on !== null) && behavior === "fails";
  return { step: "method", open, failure: declined ? "declined" : undefined };
}

/** Sets the payment method and pays what is open. Returns what is left to do, or undefined if that is nothing. */
export async function chooseMethod(
  transaction: WriteTransaction,
  act: Act,
  { bucket, customerKey }: Checkout,
  behavior: Behavior,
): Promise<SandboxStep | undefined> {
  const inBucket = actIn(bucket, act);
  await setPaymentMethod(transaction, inBucket, bucket, customerKey, { type: "sandbox", behavior }, unconditional);
  await collectOpen(transaction, inBucket, bucket, customerKey);
  const open = await openInvoices(transaction, bucket, customerKey);
  if (open.length === 0) return undefined;
  return behavior === "needs-action"
    ? { step: "confirmation", open }
    : { step: "method", open, failure: behavior === "fails" ? "declined" : undefined };
}

/** The second step of a payment, as the customer's bank would ask for it. */
export async function confirmCheckout(
  transaction: WriteTransaction,
  act: Act,
  { bucket, customerKey }: Checkout,
  isConfirmed: boolean,
): Promise<SandboxStep | undefined> {
  const behavior = behaviorOf(await findCustomer(transaction, bucket, customerKey));
  const open = await openInvoices(transaction, bucket, customerKey);
  if (behavior !== "needs-action") return { step: "method", open };
  if (!isConfirmed) return { step: "method", open, failure: "not-confirmed" };
  await payOpen(transaction, actIn(bucket, act), bucket, customerKey);
  return undefined;
}
