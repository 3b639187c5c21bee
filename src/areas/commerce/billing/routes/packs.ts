import { noBody } from "../../../../api/body.ts";
import { allows } from "../../../../core/access.ts";
import { formatMinorOf } from "../../../../lib/currencies.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { isUnpaidPurchase } from "../../subscriptions/state.ts";
import { findCustomer } from "../customers/customers.ts";
import { presentPurchases } from "../packs/pack-purchases.ts";
import { createPack, deletePack, findPack, listPacks, type Pack, presentPack, updatePack } from "../packs/packs.ts";
import { findPackPurchase, listPurchases, needsPaymentPage, purchasePack, refundPack } from "../packs/purchases.ts";
import { createCheckout } from "../payments/checkouts.ts";
import { providerFor } from "../payments/providers.ts";
import { purchase } from "../purchases/purchases.ts";
import type { refundStates } from "../schemas/invoice-schema.ts";
import {
  pack,
  packInput,
  packPatch,
  packPurchase,
  packPurchaseInput,
  packQuery,
  packRefund,
  purchasedPack,
} from "../schemas/pack-schema.ts";
import { purchased, purchaseInput } from "../schemas/subscription-schema.ts";
import { meterWarnings } from "./grants.ts";

const packsPath = `${bucketPath}/credit-packs` as const;
const packPath = `${packsPath}/{packId}` as const;

async function shown(reads: Reads, bucket: MeteringBucket, packs: Pack[]) {
  const meters = packs.map(({ grant_meter }) => grant_meter);
  const warnings = await meterWarnings(reads, bucket, "pack", meters);
  return packs.map((row, index) => ({ ...presentPack(row), ...warnings[index] }));
}

async function reply(reads: Reads, bucket: MeteringBucket, row: Pack) {
  const [body] = await shown(reads, bucket, [row]);
  return { body: body!, revision: row, composed: true };
}

export function packRoutes() {
  return [
    inBucket.list({
      operationId: "listCreditPacks",
      path: packsPath,
      summary: "List credit packs",
      access: "read",
      query: packQuery,
      item: pack,
      listName: "CreditPackList",
      handle: async ({ reads, bucket, query }) => {
        const { data, total } = await listPacks(reads, bucket, query.packExternalId, query);
        return { data: await shown(reads, bucket, data), total };
      },
    }),
    inBucket.write({
      operationId: "createCreditPack",
      method: "POST",
      path: packsPath,
      summary: "Create a credit pack",
      description: "Credit that customers buy for a price. Price and grant cannot be changed afterwards.",
      access: "bill",
      body: packInput,
      response: pack,
      problems: ["credit_pack_exists"],
      handle: async ({ act, bucket, body }, transaction) =>
        reply(transaction, bucket, await createPack({ transaction, act, bucket }, body)),
    }),
    inBucket.read({
      operationId: "getCreditPack",
      path: packPath,
      summary: "Read a credit pack",
      access: "read",
      response: pack,
      handle: async ({ reads, bucket, params }) => reply(reads, bucket, await findPack(reads, bucket, params.packId)),
    }),
    inBucket.write({
      operationId: "updateCreditPack",
      method: "PATCH",
      path: packPath,
      summary: "Change a credit pack",
      description: "Its label, whether customers see it in the portal, and its place there.",
      access: "bill",
      body: packPatch,
      response: pack,
      handle: async ({ act, bucket, params, body, precondition }, transaction) =>
        reply(transaction, bucket, await updatePack({ transaction, act, bucket }, params.packId, body, precondition)),
    }),
    inBucket.remove({
      operationId: "deleteCreditPack",
      path: packPath,
      summary: "Delete a credit pack",
      description: "What was bought stays. Automatic top-ups with the pack buy nothing any more.",
      access: "bill",
      handle: ({ act, bucket, params, precondition }, transaction) =>
        deletePack({ transaction, act, bucket }, params.packId, precondition),
    }),
  ];
}

const purchasesPath = `${bucketPath}/customers/{customerKey}/packs` as const;
const purchasePath = `${purchasesPath}/{purchaseId}` as const;

/** `publicUrl` is the address of this server. */
export function packPurchaseRoutes(publicUrl: () => string) {
  return [
    inBucket.list({
      operationId: "listPackPurchases",
      path: purchasesPath,
      summary: "List the purchases of credit packs of a customer",
      access: "read",
      isMasked: true,
      item: packPurchase,
      listName: "PackPurchaseList",
      handle: async ({ reads, act, bucket, now, params, query, caller }) => {
        const { customer_key } = await findCustomer(reads, bucket, params.customerKey);
        const { data, total } = await listPurchases(reads, bucket, customer_key, query);
        const options = { refundedOn: now, withUrl: allows("bill", caller.role) };
        return { data: await presentPurchases(reads, act, bucket, customer_key, data, options), total };
      },
    }),
    inBucket.write({
      operationId: "purchasePack",
      method: "POST",
      path: `${purchasesPath}/$purchase`,
      summary: "Sell a credit pack to a customer",
      description:
        "Creates an invoice without a subscription, which no grant pays. The credit is granted when it is paid. Send the customer " +
        "to `url` to pay; afterwards they go to `returnUrl`, which does not mean that they paid. There is no `url` if the customer's " +
        "payment method has paid or is being charged, or if you mark invoices as paid yourself. A purchase that is not paid online " +
        "within 24 hours is `canceled`, and so is one that another purchase replaces.",
      access: "bill",
      body: packPurchaseInput,
      response: purchasedPack,
      problems: ["billing_profile_missing", "payment_in_progress", "credit_pack_not_payable"],
      handle: async ({ context, act, bucket, params, body }, transaction) => {
        const { customerKey } = params;
        const { packExternalId, returnUrl } = body;
        const purchase = await purchasePack(context, customerKey, packExternalId);
        const purchaseId = purchase.id;
        const provider = await providerFor(transaction, act, bucket);
        if (!(await needsPaymentPage(transaction, bucket, purchase, provider))) return { body: { purchaseId } };
        const token = await createCheckout(transaction, bucket, { customerKey, returnUrl }, act.now);
        return { body: { purchaseId, url: `${publicUrl()}${checkoutsPath}/${token}` } };
      },
    }),
    inBucket.read({
      operationId: "getPackPurchase",
      path: purchasePath,
      summary: "Read the purchase of a credit pack",
      access: "read",
      isMasked: true,
      response: packPurchase,
      handle: async ({ reads, act, bucket, now, params, caller }) => {
        const row = await findPackPurchase(reads, bucket, params.customerKey, params.purchaseId);
        const options = { refundedOn: now, withUrl: allows("bill", caller.role) };
        const [body] = await presentPurchases(reads, act, bucket, row.customer_key, [row], options);
        return { body: body!, composed: true };
      },
    }),
    inBucket.write({
      operationId: "refundPack",
      method: "POST",
      path: `${purchasePath}/$refund`,
      summary: "Refund what is left of a credit pack",
      description:
        "Returns the price with tax × what is left ÷ what was granted, rounded down, to the payment method by a credit note. What " +
        "is left can no longer be used. If the refund fails, it is restored and the credit note is void. A purchase that was " +
        "marked as paid is refunded outside of Tollgate.",
      access: "bill",
      body: noBody,
      response: packRefund,
      problems: ["purchase_not_paid", "nothing_to_refund", "billing_profile_missing"],
      handle: async ({ context, params }) => {
        const { customerKey, purchaseId } = params;
        const note = await refundPack(context, customerKey, purchaseId);
        const amount = formatMinorOf(note.currency, note.refunded);
        return { body: { amount, state: note.refund_state as (typeof refundStates)[number] } };
      },
    }),
  ];
}

export const checkoutsPath = "/v1/checkouts";

/** `publicUrl` is the address of this server. */
export function purchaseRoutes(publicUrl: () => string) {
  return [
    inBucket.write({
      operationId: "purchaseSubscription",
      method: "POST",
      path: `${bucketPath}/subscriptions/$purchase`,
      summary: "Sell plans to a customer",
      description:
        "Creates a subscription that is `incomplete` until it is paid, and `incomplete-expired` after 24 hours. Send the customer to " +
        "`url` to pay; afterwards they go to `returnUrl`, which does not mean that they paid. There is no `url` if nothing is to be " +
        "paid, if the customer's payment method has paid, or if you mark invoices as paid yourself. Replaces free subscriptions of the customer.",
      access: "bill",
      body: purchaseInput,
      response: purchased,
      problems: ["customer_has_subscription", "payment_in_progress", "billing_profile_missing", "meter_rated_twice"],
      handle: async ({ context, act, bucket, body }, transaction) => {
        const { row } = await purchase(context, body);
        const needsCheckout = isUnpaidPurchase(row) && (await providerFor(transaction, act, bucket)).paysOnline;
        if (!needsCheckout) return { body: { subscriptionId: row.id } };
        const token = await createCheckout(transaction, bucket, body, act.now);
        return { body: { subscriptionId: row.id, url: `${publicUrl()}${checkoutsPath}/${token}` } };
      },
    }),
  ];
}
