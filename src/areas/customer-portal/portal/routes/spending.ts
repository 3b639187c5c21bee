import { read, write } from "../../../../api/endpoint.ts";
import { unconditional } from "../../../../lib/http/etag.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import {
  currencyOfCustomer,
  ensureCustomer,
  findCustomerIfAny,
  shownCaps,
} from "../../../commerce/billing/customers/customers.ts";
import { changeCustomer } from "../../../commerce/billing/periods/grant-actions.ts";
import { pricedRates, priceOf } from "../../../commerce/plans/prices.ts";
import { usableCredits } from "../credit/credits.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";
import { type CustomerAccount, subscriptionIn } from "../plans/offers.ts";
import { spending, spendingPatch } from "../plans/schema.ts";

const spendingPath = "/portal/api/spending";

/** The customer's own cap, that of the business, and credits. */
export function spendingRoutes(services: CustomerServices) {
  const { enter, withAccount } = customerEntrance(services);
  return [
    read({
      operationId: "getPortalSpending",
      path: spendingPath,
      summary: "Read the customer's credits and caps",
      access: "customer",
      response: spending,
      handle: async (input) => {
        const { settings } = await enter(input, "usage:read");
        if (settings.meteringBucket === undefined) return { body: { credits: [] } };
        const { account } = await withAccount(input.reads, input, "usage:read");
        return { body: await presentSpending(input.reads, account) };
      },
    }),
    write({
      operationId: "updatePortalSpending",
      method: "PATCH",
      path: spendingPath,
      summary: "Change the customer's cap",
      description:
        "`spendCap` limits what usage beyond the plan costs in a period; it applies to usage from now on. `null` removes it. " +
        "The business may have set a `creditLimit`: the lower one applies.",
      access: "customer",
      body: spendingPatch,
      response: spending,
      handle: async (input, transaction) => {
        const { account } = await withAccount(transaction, input, "plans:write");
        const { bucket, act, customerKey } = account;
        await ensureCustomer({ transaction, act, bucket }, customerKey);
        await changeCustomer({ transaction, act, bucket }, customerKey, input.body, unconditional);
        return { body: await presentSpending(transaction, account) };
      },
    }),
  ];
}

async function presentSpending(reads: Reads, account: CustomerAccount) {
  const { bucket, customerKey } = account;
  const customer = await findCustomerIfAny(reads, bucket, customerKey);
  if (!customer) return { credits: [] };
  const { current } = await subscriptionIn(reads, account);
  const ofPlan = current?.plans.map(priceOf).find((each) => each !== undefined)?.currency;
  const currency = (await currencyOfCustomer(reads, customer)) ?? ofPlan;
  const caps = await shownCaps(reads, customer);
  const { spendCap, spendCaps = [spendCap], creditLimit, creditLimits = [creditLimit] } = caps;
  const ofCaps = [...spendCaps, ...creditLimits].map((cap) => cap?.currency);
  const currencies = [...new Set([currency, ofPlan, ...ofCaps])].filter((each) => each !== undefined);
  return {
    ...(currency === undefined ? {} : { currency }),
    ...(currencies.length > 1 ? { currencies } : {}),
    ...(current && { overage: overageOf(current.plans) }),
    ...caps,
    credits: (await usableCredits(reads, account)).credits,
  };
}

function overageOf(plans: Parameters<typeof pricedRates>[0][]) {
  const overages = plans.flatMap(pricedRates).map(([, { overage }]) => overage);
  return (["bill", "prepaid"] as const).find((each) => overages.includes(each)) ?? ("block" as const);
}
