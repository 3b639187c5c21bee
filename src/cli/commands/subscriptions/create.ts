import type { Tollgate } from "../../../client/index.ts";
import { unusedExternalId } from "../../../client/unused-external-id.ts";
import {
  argument,
  flag,
  jsonObject,
  listOption,
  named,
  oneOf,
  option,
  optionOr,
  time,
} from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { isActive, replaceSubscriptions } from "../../options/find-subscription.ts";
import { defaultBucket } from "../../options/key-bucket-options.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { findPlans, statuses, statusesText } from "../../options/subscription-options.ts";
import { UsageError } from "../../process/usage-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";

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
  for (const bucket of buckets)
    if (
      (
        await client
          .consumers(bucket)
          .list({ names: [customer], limit: 1 })
          .page()
      ).total > 0
    )
      return;
  const where = keyBucket ?? buckets[0] ?? defaultBucket;
  terminal.note(
    `No consumer is named ${customer}, so no key uses this subscription yet. Create one: tollgate consumers create ${customer} --bucket ${where}`,
  );
}

export const command = remoteCommand({
  summary: "Subscribe a customer to plans",
  details: `A gateway finds the subscription of a consumer by its name: <customer> is the consumer's name.\nIf a customer has several active or trialing subscriptions, only the newest applies, and it starts at zero. A second one needs --replace or --additional.\n${statusesText}`,
  arguments: { customer: argument("the consumer's name, and the subject of usage events") },
  options: {
    ...meteringBucketOption,
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
  examples: [
    { command: "tollgate subscriptions create acme --plan price_gold", text: "Monthly from now on." },
    {
      command: "tollgate subscriptions create acme --plan price_gold --status trialing",
      text: "With the plan's trial.",
    },
    {
      command: "tollgate subscriptions create acme --plan price_pro --replace",
      text: "Cancels the current subscription; usage starts at zero.",
    },
  ],
  async call(client, { customer, bucket, plan, replace, additional, ...rest }, terminal) {
    if (plan.length === 0) throw new UsageError("--plan is missing.", "For example: --plan price_gold");
    if (replace && additional) throw new UsageError("--replace and --additional exclude each other.");
    const bucketId = await meteringBucket(client, bucket);
    const plans = await findPlans(client, bucketId, plan);
    const theirs = await client.subscriptions(bucketId).list({ customerKey: customer }).all();
    const active = theirs.filter(isActive);
    const newest = active.at(-1);
    if (newest && !replace && !additional)
      throw new UsageError(
        `${customer} has the subscription ${newest.id}, which is ${newest.status}; a second one starts at zero.`,
        `To change its plans: tollgate subscriptions update ${customer} --plan PLAN. Otherwise add --replace or --additional.`,
      );
    await noteMissingConsumer(client, bucketId, customer, terminal);
    return replaceSubscriptions(client, bucketId, replace ? active : [], {
      planIds: plans.map(({ id }) => id),
      planExternalIds: plans.map(({ planExternalId }) => planExternalId),
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
  show: showFields,
});
