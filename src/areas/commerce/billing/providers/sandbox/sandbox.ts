import type { z } from "zod";
import type { Act } from "../../../../../core/access.ts";
import { invalid } from "../../../../../core/problems/problem.ts";
import { unconditional } from "../../../../../lib/http/etag.ts";
import type { Reads, WriteTransaction } from "../../../../../platform/storage/storage.ts";
import { actIn } from "../../../metering-buckets/metering-buckets.ts";
import { readMethod, setPaymentMethod } from "../../customers/customers.ts";
import type { InvoiceRow } from "../../invoices/invoice-store.ts";
import { presentInvoice } from "../../invoices/present-invoice.ts";
import {
  type Checkout,
  type CheckoutPage,
  type CheckoutStep,
  localProvider,
  type PaymentOutcome,
  type PaymentProvider,
  type PaymentService,
  type StoredMethod,
} from "../../payments/interface.ts";
import { type SandboxBehavior, type sandboxMethod, sandboxMethods } from "../../payments/provider-schema.ts";
import { openInvoices, payOpen, requestOpenPayments } from "../../purchases/completion.ts";
import { checkoutPage } from "./page.ts";

const outcomes: Record<SandboxBehavior, PaymentOutcome> = {
  succeeds: "paid",
  fails: "failed",
  "needs-action": "waiting",
};

/** Pays without money, at once and as the payment method says. For tests. */
export const sandbox: PaymentProvider = {
  ...localProvider,
  type: "sandbox",
  paysOnline: true,
  movesMoney: false,
  requestPayment: async (_transaction, { method }) => {
    const behavior = behaviorOf(await method());
    return behavior ? outcomes[behavior] : "waiting";
  },
  needsConfirmation: (method) => behaviorOf(method) === "needs-action",
  refund: async (_transaction, { amount, method }) => (behaviorOf(await method()) === "fails" ? 0n : amount),
  stopPayments: async () => "stopped",
  labelOf: (method) => `Test card (${behaviorOf(method)!.replace("-", " ")})`,
};

/** Undefined if there is no method of the sandbox. */
export function behaviorOf(method: StoredMethod | undefined): SandboxBehavior | undefined {
  return method?.type === "sandbox" ? (method as z.output<typeof sandboxMethod>).behavior : undefined;
}

/** The page as its customer sees it. */
async function currentStep(reads: Reads, { bucket, customerKey }: Checkout): Promise<CheckoutStep> {
  const open = await openInvoices(reads, bucket, customerKey);
  const behavior = behaviorOf(await readMethod(reads, bucket, customerKey));
  if (open.length > 0 && behavior === "needs-action") return { step: "confirmation", due: dueOf(open) };
  const isDeclined = open.some(({ failed_on }) => failed_on !== null) && behavior === "fails";
  return { step: "method", due: dueOf(open), failure: isDeclined ? "declined" : undefined };
}

/** Sets the payment method and pays what is open, or takes the second step. Returns what is left to do. */
async function submit(
  transaction: WriteTransaction,
  act: Act,
  { bucket, customerKey }: Checkout,
  form: URLSearchParams | undefined,
): Promise<CheckoutStep | undefined> {
  const context = { transaction, act: actIn(bucket, act), bucket };
  const dueNow = async () => dueOf(await openInvoices(transaction, bucket, customerKey));
  const confirmed = form?.get("confirm");
  if (confirmed === "yes" || confirmed === "no") {
    const isWaiting = behaviorOf(await readMethod(transaction, bucket, customerKey)) === "needs-action";
    if (isWaiting && confirmed === "yes") return payOpen(context, customerKey).then(() => undefined);
    return { step: "method", due: await dueNow(), failure: isWaiting ? "not-confirmed" : undefined };
  }
  const behavior = sandboxMethods.find((method) => method === form?.get("method"));
  if (!behavior) throw invalid("/method", `must be one of ${sandboxMethods.join(", ")}`);
  await setPaymentMethod(context, customerKey, { type: "sandbox", behavior }, unconditional);
  await requestOpenPayments(context, customerKey);
  const due = await dueNow();
  if (due.length === 0) return undefined;
  return behavior === "needs-action"
    ? { step: "confirmation", due }
    : { step: "method", due, failure: behavior === "fails" ? "declined" : undefined };
}

function dueOf(open: InvoiceRow[]): CheckoutStep["due"] {
  return open.map((row) => {
    const { number, currency, amountDue, seller, lines } = presentInvoice(row);
    return {
      ...(number === undefined ? {} : { number }),
      ...{ currency, amountDue, seller: seller?.legalName },
      lines: lines.map(({ description, kind, meter, amount }) => ({ text: description ?? meter ?? kind, amount })),
    };
  });
}

/** Serves the payment page of the sandbox. */
export const sandboxService = (lookOf: CheckoutPage["lookOf"]): PaymentService => ({
  checkout: { currentStep, lookOf, submit, render: checkoutPage },
});
