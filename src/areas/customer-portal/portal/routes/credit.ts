import { list, read, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { invalid } from "../../../../core/problems/problem.ts";
import { formatMinorOf } from "../../../../lib/currencies.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { listCustomerEntries } from "../../../commerce/billing/credit-grants/grants.ts";
import { presentCustomerEntry } from "../../../commerce/billing/credit-grants/present-grant.ts";
import {
  findCustomer,
  findCustomerIfAny,
  methodLabel,
  presentTopUp,
  type TopUp,
  topUpOf,
} from "../../../commerce/billing/customers/customers.ts";
import { findInvoice } from "../../../commerce/billing/invoices/invoices.ts";
import { presentPurchases } from "../../../commerce/billing/packs/pack-purchases.ts";
import { packNamed, presentPack, publicPacks } from "../../../commerce/billing/packs/packs.ts";
import { needsPaymentPage, openPurchases, purchasePack } from "../../../commerce/billing/packs/purchases.ts";
import { spentInMonth } from "../../../commerce/billing/packs/top-ups.ts";
import { providerFor } from "../../../commerce/billing/payments/providers.ts";
import { changeCustomer } from "../../../commerce/billing/periods/grant-actions.ts";
import { previewPackPurchase, requireBuyer } from "../../../commerce/billing/purchases/purchases.ts";
import { creditEntriesQuery } from "../../../commerce/billing/schemas/grant-schema.ts";
import type { purchaseStates } from "../../../commerce/billing/schemas/pack-schema.ts";
import { profileOf } from "../../../commerce/billing/settings/settings.ts";
import type { MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { listPlans } from "../../../commerce/plans/plans.ts";
import { usableCredits } from "../credit/credits.ts";
import {
  boughtPack,
  creditOverview,
  creditPatch,
  packChoice,
  packPreview,
  portalCreditEntry,
} from "../credit/schema.ts";
import { customerEntrance } from "../customer/customer.ts";
import { checkoutUrl } from "../plans/checkout-url.ts";
import { shownTax } from "../plans/customer-plans.ts";
import { type CustomerAccount, forCustomer, subscriptionIn } from "../plans/offers.ts";
import { ensureBuyer } from "../sign-in/customers.ts";
import type { PlanServices } from "./plans.ts";

const creditPath = "/portal/api/credit";

/** The customer's credit: what is left, buying more, and the automatic top-up. */
export function portalCreditRoutes({ storage, ...services }: PlanServices) {
  const { withAccount, lockToBuy } = customerEntrance(services);
  return [
    read({
      operationId: "getPortalCredit",
      path: creditPath,
      summary: "Read the customer's credit, and what there is to buy",
      description: "Needs the scope `usage:read` or `plans:write`.",
      access: "customer",
      response: creditOverview,
      handle: async (input) => {
        const mayBuy = input.caller.customer!.scopes.includes("plans:write");
        const { account, scopes } = await withAccount(input.reads, input, mayBuy ? "plans:write" : "usage:read");
        return { body: await creditOverviewOf(input.reads, account, scopes) };
      },
    }),
    list({
      operationId: "listPortalCreditHistory",
      path: `${creditPath}/history`,
      summary: "List the history of the customer's credit",
      description: "Usage is entered at the end of each hour.",
      access: "customer",
      query: creditEntriesQuery,
      item: portalCreditEntry,
      listName: "PortalCreditHistory",
      handle: async (input) => {
        const { bucket, customerKey } = (await withAccount(input.reads, input, "usage:read")).account;
        return presentPage(
          await listCustomerEntries(input.reads, bucket, customerKey, input.query),
          presentCustomerEntry,
        );
      },
    }),
    read({
      operationId: "previewPortalPack",
      method: "POST",
      path: `${creditPath}/$preview`,
      summary: "Preview the purchase of credit",
      description: "Returns the invoice that it would create, with tax. Nothing is changed.",
      access: "customer",
      body: packChoice,
      response: packPreview,
      problems: ["purchase_unavailable", "payment_in_progress", "credit_pack_not_payable"],
      handle: async (input) => {
        const { account } = await withAccount(input.reads, input, "plans:write");
        const { act, bucket, customerKey } = account;
        await requirePublic(input.reads, account, input.body.packExternalId);
        const preview = previewPackPurchase(storage, act, bucket, customerKey, input.body.packExternalId);
        return { body: await forCustomer(preview) };
      },
    }),
    write({
      operationId: "buyPortalPack",
      method: "POST",
      path: `${creditPath}/$purchase`,
      summary: "Buy credit",
      description:
        "The customer pays at `url`. There is none if the payment method has paid or is being charged, or if the business does " +
        "not collect payments online: then an invoice says how to pay.",
      access: "customer",
      body: packChoice,
      response: boughtPack,
      problems: ["purchase_unavailable", "payment_in_progress", "credit_pack_not_payable", "buyer_details_missing"],
      handle: async (input, transaction) => {
        const { account, consumer } = await lockToBuy(transaction, input);
        const { act, bucket, customerKey } = account;
        await ensureBuyer({ transaction, act, bucket }, consumer);
        await requirePublic(transaction, account, input.body.packExternalId);
        await requireBuyer({ transaction, act, bucket }, customerKey);
        const bought = await forCustomer(
          purchasePack({ transaction, act, bucket }, customerKey, input.body.packExternalId),
        );
        const state = bought.state as (typeof purchaseStates)[number];
        const provider = await providerFor(transaction, act, bucket);
        if (!(await needsPaymentPage(transaction, bucket, bought, provider))) return { body: { state } };
        return { body: { state, url: await checkoutUrl(services.hosts, transaction, input, account, "credit") } };
      },
    }),
    write({
      operationId: "updatePortalCredit",
      method: "PATCH",
      path: creditPath,
      summary: "Change the automatic top-up",
      description: "`null` removes it. The pack is one that the customer can buy, or the one that was set before.",
      access: "customer",
      body: creditPatch,
      response: creditOverview,
      problems: ["top_up_unavailable"],
      handle: async (input, transaction) => {
        const { account, consumer, scopes } = await lockToBuy(transaction, input);
        const { act, bucket, customerKey } = account;
        await ensureBuyer({ transaction, act, bucket }, consumer);
        const { topUp } = input.body;
        if (topUp) {
          const before = topUpOf(await findCustomer(transaction, bucket, customerKey));
          if (topUp.packExternalId !== before?.packExternalId)
            await requirePublic(transaction, account, topUp.packExternalId, "/topUp/packExternalId");
        }
        await changeCustomer({ transaction, act, bucket }, customerKey, { topUp }, unconditional);
        return { body: await creditOverviewOf(transaction, account, scopes) };
      },
    }),
  ];
}

/** Throws 400 if customers cannot buy the pack. */
async function requirePublic(
  reads: Reads,
  { bucket }: CustomerAccount,
  packExternalId: string,
  pointer = "/packExternalId",
): Promise<void> {
  const packs = await publicPacks(reads, bucket);
  if (!packs.some(({ external_id }) => external_id === packExternalId))
    throw invalid(pointer, "is not credit that you can buy");
}

/** The customer's credit, what there is to buy, what is not paid yet, and the automatic top-up. */
async function creditOverviewOf(reads: Reads, account: CustomerAccount, scopes: readonly string[]) {
  const { bucket, act, customerKey } = account;
  const customer = await findCustomerIfAny(reads, bucket, customerKey);
  const label = customer && methodLabel(customer);
  const topUp = customer && topUpOf(customer);
  const packs = await publicPacks(reads, bucket);
  return {
    packs: packs.map(presentPack),
    isAvailable: (await profileOf(reads, act.account.seq)) !== undefined,
    ...(await shownTax(reads, act, bucket, customerKey)),
    paysOnline: (await providerFor(reads, act, bucket)).paysOnline,
    ...(label === undefined ? {} : { paymentMethod: { label } }),
    hasPlan: (await subscriptionIn(reads, account)).current !== undefined,
    meters: await meterLabels(reads, bucket),
    ...(scopes.includes("usage:read") ? await shownCredits(reads, account) : {}),
    purchases: await shownPurchases(reads, account),
    ...(topUp ? { topUp: await shownTopUp(reads, account, topUp) } : {}),
  };
}

async function meterLabels(reads: Reads, bucket: MeteringBucket): Promise<Record<string, string>> {
  const { data } = await listPlans(reads, bucket, undefined, { limit: 1000, offset: 0 });
  const labels: Record<string, string> = {};
  for (const { meters } of data)
    for (const [name, { label }] of Object.entries(JSON.parse(meters) as Record<string, { label?: string }>))
      if (label !== undefined) labels[name] ??= label;
  return labels;
}

/** What expires first comes first. */
async function shownCredits(reads: Reads, account: CustomerAccount) {
  const { credits, left } = await usableCredits(reads, account);
  const expiry = ({ expiresOn }: (typeof credits)[number]) => expiresOn ?? "9999";
  return { left, credits: credits.toSorted((a, b) => expiry(a).localeCompare(expiry(b))) };
}

async function shownPurchases(reads: Reads, { bucket, act, customerKey }: CustomerAccount) {
  const open = await openPurchases(reads, bucket, customerKey);
  if (open.length === 0) return [];
  const presented = await presentPurchases(reads, act, bucket, customerKey, open, { withUrl: true });
  return Promise.all(
    presented.map(async (purchase) => {
      const { failed_on } = await findInvoice(reads, bucket, purchase.invoiceId);
      return { ...purchase, ...(failed_on === null ? {} : { hasFailed: true as const }) };
    }),
  );
}

async function shownTopUp(reads: Reads, { bucket, act, customerKey }: CustomerAccount, topUp: TopUp) {
  const pack = await packNamed(reads, bucket, topUp.packExternalId);
  if (pack?.id !== topUp.packId) return presentTopUp(topUp);
  const spent = await spentInMonth(reads, bucket, customerKey, pack.currency, act.now);
  const { currency } = pack;
  return { ...presentTopUp(topUp), spent: formatMinorOf(currency, spent), currency };
}
