import type { z } from "zod";
import { minorDigits } from "../../../lib/currencies.ts";
import { formatMinor } from "../../../lib/text/minor-units.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import {
  findCustomerIfAny,
  methodLabel,
  presentTopUp,
  type TopUp,
  topUpOf,
} from "../../billing/customers/customers.ts";
import { findInvoice } from "../../billing/invoices/invoices.ts";
import { packNamed, presentPack, publicPacks } from "../../billing/packs/packs.ts";
import { presentPurchases } from "../../billing/packs/present-purchases.ts";
import { openPurchases } from "../../billing/packs/purchases.ts";
import { spentInMonth } from "../../billing/packs/top-ups.ts";
import { providerFor } from "../../billing/payments/providers.ts";
import type { packPurchase } from "../../billing/schemas/pack-schema.ts";
import { profileOf } from "../../billing/settings/settings.ts";
import type { MeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { listPlans } from "../../plans/plans.ts";
import { type CustomerAccount, subscriptionIn } from "../plans/offers.ts";
import { shownTax } from "../plans/shown-tax.ts";
import { usableCredits } from "./credits.ts";

/** The customer's credit, what there is to buy, what is not paid yet, and the automatic top-up. */
export async function creditOverviewOf(
  reads: Reads,
  account: CustomerAccount,
  { maySeeCredit }: { maySeeCredit: boolean },
) {
  const { bucket, act, customerKey } = account;
  const customer = await findCustomerIfAny(reads, bucket, customerKey);
  const label = customer && methodLabel(customer);
  const topUp = customer && topUpOf(customer);
  const packs = await publicPacks(reads, bucket);
  return {
    packs: packs.map((row) => {
      const { packExternalId, label, price, grant } = presentPack(row);
      return { packExternalId, label, price, grant };
    }),
    isAvailable: (await profileOf(reads, act.account.seq)) !== undefined,
    ...(await shownTax(reads, act, bucket, customerKey)),
    paysOnline: (await providerFor(reads, act, bucket)).paysOnline,
    ...(label === undefined ? {} : { paymentMethod: { label } }),
    hasPlan: (await subscriptionIn(reads, account)).current !== undefined,
    meters: await meterLabels(reads, bucket),
    ...(maySeeCredit ? await shownCredits(reads, account) : {}),
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
    presented.map(async ({ invoiceId, id, label, isTopUp, total, createdOn, ...purchase }) => {
      const { failed_on } = await findInvoice(reads, bucket, invoiceId);
      const { needsAction, url, expiresOn } = purchase as Partial<z.output<typeof packPurchase>>;
      return {
        ...{ id, label, isTopUp, total, createdOn },
        ...(needsAction ? { needsAction } : {}),
        ...(url === undefined ? {} : { url }),
        ...(failed_on === null ? {} : { hasFailed: true as const }),
        ...(expiresOn === undefined ? {} : { expiresOn }),
      };
    }),
  );
}

async function shownTopUp(reads: Reads, { bucket, act, customerKey }: CustomerAccount, topUp: TopUp) {
  const pack = await packNamed(reads, bucket, topUp.packExternalId);
  if (pack?.id !== topUp.packId) return presentTopUp(topUp);
  const spent = await spentInMonth(reads, bucket, customerKey, pack.currency, act.now);
  const { currency } = pack;
  return { ...presentTopUp(topUp), spent: formatMinor(spent, minorDigits(currency)!), currency };
}
