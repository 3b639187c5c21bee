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
import { isActive, replaceSubscriptions, unusedExternalId } from "../../metering/customer-subscription.ts";
import { meteringBucket, meteringBucketOption } from "../../metering/metering-bucket.ts";
import { findPlans, statuses, statusesText } from "../../metering/subscription-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Subscribe a customer to plans",
  details: `A gateway finds the subscription of a consumer by its name: <customer> is the consumer's name.\nOf several active or trialing subscriptions only the newest counts, and it starts at zero: a second one needs --replace or --additional.\n${statusesText}`,
  arguments: { customer: argument("the consumer's name, and the subject of usage events") },
  options: {
    ...meteringBucketOption,
    plan: listOption("a plan, by its id or its identifier in your billing system", named("PLAN")),
    replace: flag("cancel the customer's active and trialing subscriptions"),
    additional: flag("keep the customer's active and trialing subscriptions"),
    status: optionOr("how it begins", "active", statuses),
    renewal: optionOr("how long a period is", "monthly", oneOf("monthly", "yearly")),
    region: optionOr("where it is", "us-central1", oneOf("us-central1", "us-east1", "europe-west4")),
    externalId: option(
      "the subscription's identifier in your billing system; the customer's name by default, with a number where that is taken",
    ),
    customerExternalId: option("the customer's; their name by default"),
    anchor: option("when periods begin; now by default", time),
    trialEnd: option("when the trial ends", time),
    metadata: option("what you want to keep with it", jsonObject),
  },
  examples: [
    { command: "tollgate subscriptions create acme --plan price_gold", text: "From now on, month by month." },
    {
      command: "tollgate subscriptions create acme --plan price_gold --status trialing",
      text: "For as long as the plan's trial.",
    },
    {
      command: "tollgate subscriptions create acme --plan price_pro --replace",
      text: "Cancels the one that acme has; usage starts at zero.",
    },
  ],
  async call(client, { customer, bucket, plan, replace, additional, ...rest }) {
    if (plan.length === 0) throw new UsageError("Which plan?", "Name it: --plan price_gold");
    if (replace && additional) throw new UsageError("--replace and --additional exclude each other.");
    const bucketId = await meteringBucket(client, bucket);
    const plans = await findPlans(client, bucketId, plan);
    const theirs = await client.subscriptions(bucketId).list({ customerKey: customer }).all();
    const inForce = theirs.filter(isActive);
    const newest = inForce.at(-1);
    if (newest && !replace && !additional)
      throw new UsageError(
        `${customer} has the subscription ${newest.id}, which is ${newest.status}; a second one starts at zero.`,
        `Other plans: tollgate subscriptions update ${customer} --plan PLAN. Else add --replace or --additional.`,
      );
    return replaceSubscriptions(client, bucketId, replace ? inForce : [], {
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
