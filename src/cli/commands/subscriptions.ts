import type { Subscription, SubscriptionCreate, Tollgate } from "../../client/index.ts";
import { unusedExternalId } from "../../client/unused-external-id.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import {
  amount,
  argument,
  flag,
  jsonObject,
  listOption,
  named,
  oneOf,
  option,
  optionOr,
  time,
} from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { findSubscriptionId, isActive } from "../options/find-subscription.ts";
import { defaultBucket } from "../options/key-bucket-options.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { findPlanId, findPlans } from "../options/plan-options.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** With more key buckets, only the oldest are searched. */
const searchedBuckets = 20;

/** A subscription may precede its consumer, but may also have a typo. */
async function noteMissingConsumer(client: Tollgate, bucketId: string, customer: string, terminal: Terminal) {
  // Other names are those of users of `jwt` or of events.
  if (!/^[a-z0-9-]{1,128}$/.test(customer)) return;
  const { keyBucket } = await client.metering.get(bucketId);
  const buckets =
    keyBucket === undefined
      ? (await client.buckets.list({ limit: searchedBuckets }).page()).data.map(({ name }) => name)
      : [keyBucket];
  for (const bucket of buckets) {
    const found = client.consumers(bucket).list({ names: [customer], limit: 1 });
    if ((await found.page()).total > 0) return;
  }
  const where = keyBucket ?? buckets[0] ?? defaultBucket;
  terminal.note(
    `No consumer is named ${customer}, so no key uses this subscription yet. Create one: tollgate consumers create ${customer} --bucket ${where}`,
  );
}

const words = [
  "active",
  "trialing",
  "inactive",
  "incomplete",
  "incomplete-expired",
  "past-due",
  "canceled",
  "unpaid",
] as const;

const statuses = { ...oneOf(...words), placeholder: "STATUS" };

const statusesText = `A status is one of ${words.join(", ")}.`;

const shared = {
  one: "a subscription",
  options: meteringBucketOption,
  async api(client: Tollgate, { bucket }: { bucket: string | undefined }) {
    const bucketId = await meteringBucket(client, bucket);
    return { bucketId, subscriptions: client.subscriptions(bucketId), plans: client.plans(bucketId) };
  },
};

const subscription = resource({
  ...shared,
  id: { subscription: argument("its id, or the customer's name") },
  sample: "acme",
  idOf: ({ subscriptions }, given) => findSubscriptionId(subscriptions, given),
});

/** What cannot be undone does not take the name of a customer, who may have several. */
const exactly = resource({
  ...shared,
  id: { id: argument("the subscription's id") },
  sample: "sbsc_0QGzNqW81Kx8VhTb3mPcRdZu",
});

export const subscriptions = group({
  name: "subscriptions",
  summary: "Subscriptions: customers and their plans",
  commands: {
    list: subscription.listOf({
      summary: "List the subscriptions of a metering bucket",
      details: statusesText,
      options: {
        customer: option("only subscriptions of this customer", named("NAME")),
        status: option("only those with this status", statuses),
        plan: option("only with this plan, by its id or its identifier in your billing system", named("PLAN")),
        externalId: option("only the one with this identifier in your billing system"),
      },
      columns: ["id", "customerKey", "status", "planExternalIds", "renewalStrategy", "nextBillingCycle"],
      examples: {
        "tollgate subscriptions list --customer acme": "The subscriptions of acme.",
        "tollgate subscriptions list --status past-due --all": "All subscriptions that are past due.",
      },
      query: async ({ customer, status, plan, externalId }, { plans }) => ({
        customerKey: customer,
        subscriptionExternalId: externalId,
        planId: plan && (await findPlanId(plans, plan)),
        status,
      }),
      read: ({ subscriptions }, query) => subscriptions.list(query),
    }),
    create: subscription.command({
      summary: "Subscribe a customer to plans",
      details: `A gateway finds the subscription of a consumer by its name: <customer> is the consumer's name.\nIf a customer has several active or trialing subscriptions, only the newest applies, and it starts at zero. A second one needs --replace or --additional.\n${statusesText}`,
      arguments: { customer: argument("the consumer's name, and the subject of usage events") },
      options: {
        plan: listOption("a plan, by its id or its identifier in your billing system", named("PLAN")),
        replace: flag("cancel the customer's active and trialing subscriptions"),
        additional: flag("keep the customer's active and trialing subscriptions"),
        status: optionOr("the initial status", "active", statuses),
        renewal: optionOr("the length of a period", "monthly", oneOf("monthly", "yearly")),
        region: optionOr(
          "the region, for your billing system",
          "us-central1",
          oneOf("us-central1", "us-east1", "europe-west4"),
        ),
        externalId: option(
          "the subscription's identifier in your billing system; by default the customer's name, with a number if that is in use",
        ),
        customerExternalId: option("the customer's identifier in your billing system; the name by default"),
        anchor: option("the start of the first period; now by default", time),
        trialEnd: option("when the trial ends", time),
        metadata: option("any JSON object to store with it", jsonObject),
      },
      examples: {
        "tollgate subscriptions create acme --plan price_gold": "Monthly from now on.",
        "tollgate subscriptions create acme --plan price_gold --status trialing": "With the plan's trial.",
        "tollgate subscriptions create acme --plan price_pro --replace":
          "Cancels the current subscription; usage starts at zero.",
      },
      async call(
        { bucketId, subscriptions, plans },
        { customer, plan, replace, additional, ...rest },
        { client, terminal },
      ) {
        if (replace && additional) throw new UsageError("--replace and --additional exclude each other.");
        const chosen = await findPlans(plans, plan);
        const theirs = await subscriptions.list({ customerKey: customer }).all();
        const active = theirs.filter(isActive);
        const newest = active.at(-1);
        if (newest && !replace && !additional)
          throw new UsageError(
            `${customer} has the subscription ${newest.id}, which is ${newest.status}; a second one starts at zero.`,
            `To change its plans: tollgate subscriptions update ${customer} --plan PLAN. Otherwise add --replace or --additional.`,
          );
        await noteMissingConsumer(client, bucketId, customer, terminal);
        return replaceSubscriptions(subscriptions, replace ? active : [], {
          planIds: chosen.map(({ id }) => id),
          planExternalIds: chosen.map(({ planExternalId }) => planExternalId),
          status: rest.status,
          type: "periodic",
          renewalStrategy: rest.renewal,
          region: rest.region,
          customerKey: customer,
          subscriptionExternalId: rest.externalId ?? unusedExternalId(customer, replace ? [] : theirs),
          customerExternalId: rest.customerExternalId ?? customer,
          quotaResetAnchor: rest.anchor,
          trialEndDate: rest.trialEnd,
          metadata: rest.metadata,
        });
      },
    }),
    show: subscription.action({
      summary: "Show a subscription",
      details: "For a customer's name, shows the newest active or trialing subscription.",
      examples: "For its usage: tollgate usage show",
      call: ({ subscriptions }, id) => subscriptions.get(id),
    }),
    update: subscription.action({
      summary: "Change a subscription: its status, its plans",
      details: statusesText,
      options: {
        status: option("the new status", statuses),
        plan: listOption("the new plans, by id or identifier", named("PLAN")),
        prorate: option("with --plan: the share of the new maximum for the rest of this period, 0 to 1", amount),
        trialEnd: option("when the trial ends", time),
        metadata: option("any JSON object, which replaces the existing one", jsonObject),
        dryRun: flag("with --plan: only show the effect"),
        ...clearOption("metadata", "trialEndDate"),
      },
      examples: {
        "tollgate subscriptions update sbsc_0QGzNqW81Kx8VhTb3mPcRdZu --status canceled": "Ends the subscription now.",
        "tollgate subscriptions update acme --plan price_pro --prorate 0.5": "An upgrade in the middle of the month.",
        "tollgate subscriptions update acme --plan price_pro --prorate 0.5 --dry-run":
          "Shows the effect without changing anything.",
      },
      async call({ subscriptions, plans }, id, { status, plan, prorate, trialEnd, metadata, dryRun, clear }) {
        const chosen = plan && (await findPlans(plans, plan));
        const planExternalIds = chosen?.map(({ planExternalId }) => planExternalId);
        if (dryRun) {
          if (!planExternalIds || status || trialEnd || metadata || clear)
            throw new UsageError(
              "--dry-run can only be combined with --plan and --prorate.",
              "Name the plans from then on.",
            );
          return subscriptions.preview(id, { planExternalIds, prorate });
        }
        const changes = changesOf({ status, planExternalIds, prorate, trialEndDate: trialEnd, metadata }, clear);
        return subscriptions.update(id, changes);
      },
    }),
    change: subscription.action({
      summary: "Change the plans and the fees of a subscription",
      details:
        "By default now if the total fee rises, otherwise at the end of the paid period. A change now credits the unused " +
        "rest of the old fee and charges the new one for the rest of the period.",
      options: {
        plan: listOption("the new plans, by id or identifier", named("PLAN")),
        timing: option("when it happens", oneOf("now", "period-end")),
        dryRun: flag("only show when it would happen, and its invoice"),
      },
      examples: {
        "tollgate subscriptions change acme --plan price_pro --dry-run": "What it would cost.",
        "tollgate subscriptions change acme --plan price_pro": "An upgrade happens now.",
      },
      async call({ subscriptions, plans }, id, { plan, timing, dryRun }) {
        const chosen = await findPlans(plans, plan);
        const change = { planExternalIds: chosen.map(({ planExternalId }) => planExternalId), timing };
        return dryRun ? subscriptions.previewChange(id, change) : subscriptions.change(id, change);
      },
    }),
    cancel: subscription.action({
      summary: "Cancel a subscription, by default at the end of the paid period",
      options: {
        timing: option("when it ends; period-end by default", oneOf("now", "period-end")),
        refund: flag("with --timing now: grant the unused rest of the fees as money"),
      },
      examples: {
        "tollgate subscriptions cancel acme": "Undone by: tollgate subscriptions resume acme",
        "tollgate subscriptions cancel acme --timing now --refund": "Ends immediately.",
      },
      call: ({ subscriptions }, id, { timing, refund }) =>
        subscriptions.cancel(id, { timing, ...(refund && { refund }) }),
    }),
    purchase: subscription.command({
      summary: "Sell plans to a customer, who pays at the address that is shown",
      details:
        "The subscription is incomplete until it is paid, and expires after 24 hours. A free plan needs no payment.",
      arguments: { customer: argument("the customer's name") },
      options: {
        plan: listOption("the plans, by id or identifier", named("PLAN")),
        returnUrl: option("where the customer goes after the payment", named("URL")),
      },
      examples: {
        "tollgate subscriptions purchase acme --plan price_pro --return-url https://app.example.com/billing":
          "Send the customer to the address that is shown.",
      },
      async call({ subscriptions, plans }, { customer, plan, returnUrl }) {
        if (returnUrl === undefined)
          throw new UsageError("--return-url is missing.", "For example: --return-url https://app.example.com/billing");
        const planExternalIds = (await findPlans(plans, plan)).map(({ planExternalId }) => planExternalId);
        return subscriptions.purchase({ customerKey: customer, planExternalIds, returnUrl });
      },
    }),
    pause: subscription.action({
      summary: "Pause a subscription: nothing is allowed or billed until it is resumed",
      details: "What was used before is billed. The rest of the paid period is not refunded.",
      examples: "Undone by: tollgate subscriptions resume acme",
      call: ({ subscriptions }, id) => subscriptions.pause(id),
    }),
    resume: subscription.action({
      summary: "Resume a paused subscription, or undo a cancellation before the period ends",
      examples: "It renews again.",
      call: ({ subscriptions }, id) => subscriptions.resume(id),
    }),
    delete: exactly.delete({
      summary: "Delete a subscription and its usage",
      details: "To end it and keep its usage: tollgate subscriptions update --status canceled",
      effect: "with its usage",
      examples: "Asks first.",
      call: ({ subscriptions }, id) => subscriptions.delete(id),
    }),
  },
});

type Subscriptions = ReturnType<Tollgate["subscriptions"]>;

/**
 * Cancels the replaced subscriptions first, because the new one may reuse an external id. If creation fails, they are
 * resumed.
 */
async function replaceSubscriptions(
  subscriptions: Subscriptions,
  replaced: Subscription[],
  input: SubscriptionCreate,
): Promise<Subscription> {
  const canceled: Subscription[] = [];
  try {
    for (const each of replaced) {
      await subscriptions.update(each.id, { status: "canceled" });
      canceled.push(each);
    }
    return await subscriptions.create(input);
  } catch (error) {
    for (const { id, status } of canceled) await subscriptions.update(id, { status });
    throw error;
  }
}
