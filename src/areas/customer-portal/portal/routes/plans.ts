import { noBody } from "../../../../api/body.ts";
import { read, write } from "../../../../api/endpoint.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { presentInvoice } from "../../../commerce/billing/invoices/present-invoice.ts";
import { providerFor } from "../../../commerce/billing/payments/providers.ts";
import { cancelSubscription, changePlans, resumeSubscription } from "../../../commerce/billing/periods/plan-changes.ts";
import { previewPlanChange } from "../../../commerce/billing/periods/previews.ts";
import { openInvoices } from "../../../commerce/billing/purchases/completion.ts";
import {
  previewPurchase,
  purchase,
  purchaseNeeds,
  requireBuyer,
} from "../../../commerce/billing/purchases/purchases.ts";
import { usageAt } from "../../../commerce/metering/usage/usage.ts";
import type { Plan } from "../../../commerce/plans/plans.ts";
import { isUnpaidPurchase } from "../../../commerce/subscriptions/state.ts";
import type { Subscription } from "../../../commerce/subscriptions/subscriptions.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";
import { checkoutUrl, portalCheckoutsPath } from "../plans/checkout-url.ts";
import { customerPlans } from "../plans/customer-plans.ts";
import {
  accountIn,
  type CustomerAccount,
  forCustomer,
  hasFee,
  isBought,
  presentCurrent,
  requireOffered,
  subscriptionIn,
} from "../plans/offers.ts";
import {
  checkoutLink,
  choicePreview,
  chosenPlan,
  planChoice,
  portalCancelInput,
  portalCheckoutInput,
  portalPlans,
} from "../plans/schema.ts";
import { ensureBuyer } from "../sign-in/customers.ts";
import { isReturning } from "../sign-in/former-customers.ts";

export interface PlanServices extends CustomerServices {
  storage: Storage;
}

const plansPath = "/portal/api/plans";
const subscriptionPath = "/portal/api/subscription";
const noSubscription = () => new Problem("subscription_not_in_force");

/** The customer's plan: what there is to choose, what a choice costs, choosing and cancelling. */
export function portalPlanRoutes({ storage, ...services }: PlanServices) {
  const { enter, withAccount, lockToBuy } = customerEntrance(services);
  return [
    read({
      operationId: "listPortalPlans",
      path: plansPath,
      summary: "List the plans that the customer can choose, and the current one",
      access: "customer",
      response: portalPlans,
      handle: async (input) => {
        const { consumer, scopes, settings } = await enter(input, undefined);
        if (settings.meteringBucket === undefined) return { body: { data: [], paysOnline: false } };
        const account = await accountIn(input.reads, input.act, settings, consumer.name);
        const withoutTrial = await isReturning(input.reads, consumer.seq);
        const body = await customerPlans(input.reads, account, settings, withoutTrial);
        // The provider's page shows the invoice.
        const maySee = scopes.includes("plans:write") || scopes.includes("invoices:read");
        return { body: maySee ? { ...body, ...(await secondStep(input.reads, account)) } : body };
      },
    }),
    read({
      operationId: "previewPortalPlan",
      method: "POST",
      path: `${plansPath}/$preview`,
      summary: "Preview the choice of a plan",
      description:
        "Returns when it would happen, the limits before and after it, and the invoice that it would create. Nothing is changed.",
      access: "customer",
      body: planChoice,
      response: choicePreview,
      problems: ["purchase_unavailable", "payment_in_progress"],
      handle: async (input) => {
        const { settings, account, consumer } = await withAccount(input.reads, input, "plans:write");
        const { bucket, act, customerKey } = account;
        const plan = await requireOffered(input.reads, bucket, settings, input.body.planExternalId);
        const { current } = await subscriptionIn(input.reads, account);
        const planExternalIds = [plan.external_id];
        const limits = await limitChanges(input.reads, current, plan, act.now);
        if (isBought(current, plan)) {
          const withoutTrial = await isReturning(input.reads, consumer.seq);
          const bought = { customerKey, planExternalIds, withoutTrial };
          const invoice = await forCustomer(previewPurchase(storage, act, bucket, bought));
          return { body: { isPurchase: true, timing: "now" as const, on: formatDateTime(act.now), limits, invoice } };
        }
        const change = { planExternalIds, timing: input.body.timing };
        const preview = await forCustomer(previewPlanChange(storage, act, bucket, current!.row.id, change));
        return { body: { isPurchase: false, limits, ...preview } };
      },
    }),
    write({
      operationId: "choosePortalPlan",
      method: "POST",
      path: `${subscriptionPath}/$choose`,
      summary: "Choose a plan",
      description:
        "Changes the customer's plan, by default now if the fee rises and otherwise at the end of the paid period. Without a plan, or instead " +
        "of a free one, a plan with a price is bought: the customer pays at `url`.",
      access: "customer",
      body: planChoice,
      response: chosenPlan,
      problems: ["purchase_unavailable", "payment_in_progress", "subscription_not_in_force", "buyer_details_missing"],
      handle: async (input, transaction) => {
        const { settings, account, consumer } = await lockToBuy(transaction, input);
        const { bucket, act, customerKey } = account;
        const withoutTrial = await isReturning(transaction, consumer.seq);
        await ensureBuyer({ transaction, act, bucket }, consumer);
        const plan = await requireOffered(transaction, bucket, settings, input.body.planExternalId);
        const { current, all } = await subscriptionIn(transaction, account);
        const planExternalIds = [plan.external_id];
        if (!isBought(current, plan)) {
          const change = { planExternalIds, timing: input.body.timing };
          await forCustomer(changePlans({ transaction, act, bucket }, current!.row.id, change));
          return { body: await currentOnly(transaction, account) };
        }
        if (purchaseNeeds([plan], all, withoutTrial).needsMethod)
          await requireBuyer({ transaction, act, bucket }, customerKey);
        const bought = await forCustomer(
          purchase({ transaction, act, bucket }, { customerKey, planExternalIds, withoutTrial }),
        );
        const paysOnline = (await providerFor(transaction, act, bucket)).paysOnline;
        const body = await currentOnly(transaction, account);
        if (!isUnpaidPurchase(bought.row) || !paysOnline) return { body };
        return { body: { ...body, url: await checkoutUrl(services.hosts, transaction, input, account) } };
      },
    }),
    write({
      operationId: "cancelPortalPlan",
      method: "POST",
      path: `${subscriptionPath}/$cancel`,
      summary: "Cancel the customer's plan",
      description:
        "At the end of the paid period by default. Nothing is refunded. A plan without a fee always ends with its period, because it could be chosen again with its whole quota.",
      access: "customer",
      body: portalCancelInput,
      response: chosenPlan,
      problems: ["subscription_not_in_force"],
      handle: async (input, transaction) => {
        const { account } = await withAccount(transaction, input, "plans:write");
        const { current } = await subscriptionIn(transaction, account);
        if (!current) throw noSubscription();
        const timing = input.body?.timing;
        if (timing === "now" && !hasFee(current))
          throw invalid("/timing", "must be period-end for a plan without a fee");
        await cancelSubscription({ transaction, act: account.act, bucket: account.bucket }, current.row.id, { timing });
        return { body: await currentOnly(transaction, account) };
      },
    }),
    write({
      operationId: "resumePortalPlan",
      method: "POST",
      path: `${subscriptionPath}/$resume`,
      summary: "Undo the cancellation of the customer's plan, or a change that is scheduled",
      access: "customer",
      body: noBody,
      response: chosenPlan,
      problems: ["subscription_not_in_force", "subscription_not_canceling"],
      handle: async (input, transaction) => {
        const { account } = await withAccount(transaction, input, "plans:write");
        const { current } = await subscriptionIn(transaction, account);
        if (!current) throw noSubscription();
        const { act, bucket } = account;
        const scheduled = presentCurrent(current, act.now).planChange;
        if (scheduled) {
          // The current plans undo the change.
          const planExternalIds = current.plans.map(({ external_id }) => external_id);
          await changePlans({ transaction, act, bucket }, current.row.id, { planExternalIds });
        } else await resumeSubscription({ transaction, act, bucket }, current.row.id);
        return { body: await currentOnly(transaction, account) };
      },
    }),
    write({
      operationId: "createPortalCheckout",
      method: "POST",
      path: portalCheckoutsPath,
      summary: "Get the address where the customer enters a payment method and pays what is open",
      description: "Returns 409 if the business does not collect payments online.",
      access: "customer",
      whileSuspended: true,
      body: portalCheckoutInput,
      response: checkoutLink,
      problems: ["no_online_payment"],
      handle: async (input, transaction) => {
        const { account, consumer } = await lockToBuy(transaction, input);
        const { act, bucket } = account;
        await ensureBuyer({ transaction, act, bucket }, consumer);
        if (!(await providerFor(transaction, act, bucket)).paysOnline) throw new Problem("no_online_payment");
        const url = await checkoutUrl(services.hosts, transaction, input, account, input.body?.returnTo);
        return { body: { url } };
      },
    }),
  ];
}

/** The oldest payment that waits for the customer's bank. */
async function secondStep(reads: Reads, { bucket, customerKey }: CustomerAccount) {
  for (const row of await openInvoices(reads, bucket, customerKey)) {
    const { collection, amountDue, currency } = presentInvoice(row);
    if (collection?.state === "needs_action" && collection.url !== undefined)
      return { secondStep: { url: collection.url, amountDue, currency } };
  }
  return {};
}

async function currentOnly(reads: Reads, account: CustomerAccount) {
  const { current } = await subscriptionIn(reads, account);
  return current ? { subscription: presentCurrent(current, account.act.now) } : {};
}

type Meters = Record<string, { label?: string; max: number }>;

const metersOf = ({ meters }: Pick<Plan, "meters">) => JSON.parse(meters) as Meters;

/** What each meter allows in a period under the current plans and under another one, beside what was used. */
async function limitChanges(reads: Reads, current: Subscription | undefined, plan: Plan, now: number) {
  const used = current ? (await usageAt(reads, current, now)).meters : {};
  const before: Meters = {};
  for (const each of current?.plans ?? [])
    for (const [meter, { label, max }] of Object.entries(metersOf(each)))
      before[meter] = { max: (before[meter]?.max ?? 0) + max, ...labeled(before[meter]?.label ?? label) };
  const after = metersOf(plan);
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].map((meter) => ({
    meter,
    ...labeled(after[meter]?.label ?? before[meter]?.label),
    ...(before[meter] ? { before: before[meter].max } : {}),
    ...(after[meter] ? { after: after[meter].max } : {}),
    used: used[meter]?.used ?? 0,
  }));
}

const labeled = (label: string | undefined) => (label === undefined ? {} : { label });
