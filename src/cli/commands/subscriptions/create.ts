import { meteringBucket, meteringBucketOption } from "../../metering-bucket.ts";
import { remoteCommand, showFields } from "../../remote.ts";
import { findPlans, statuses, statusesText } from "../../subscription-options.ts";
import { UsageError } from "../../usage-error.ts";
import { argument, jsonObject, listOption, named, oneOf, option, optionOr, time } from "../../values.ts";

export const command = remoteCommand({
  summary: "Subscribe a customer to plans",
  details: `A gateway finds the subscription of a consumer by its name: <customer> is the consumer's name.\n${statusesText}`,
  arguments: { customer: argument("the consumer's name, and the subject of usage events") },
  options: {
    ...meteringBucketOption,
    plan: listOption("a plan, by its id or its identifier in your billing system", named("PLAN")),
    status: optionOr("how it begins", "active", statuses),
    renewal: optionOr("how long a period is", "monthly", oneOf("monthly", "yearly")),
    region: optionOr("where it is", "us-central1", oneOf("us-central1", "us-east1", "europe-west4")),
    externalId: option("the subscription's identifier in your billing system; the customer's name by default"),
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
  ],
  async call(
    client,
    { customer, bucket, plan, anchor, externalId = customer, customerExternalId = customer, ...rest },
  ) {
    if (plan.length === 0) throw new UsageError("Which plan?", "Name it: --plan price_gold");
    const bucketId = await meteringBucket(client, bucket);
    const plans = await findPlans(client, bucketId, plan);
    return client.subscriptions(bucketId).create({
      planIds: plans.map(({ id }) => id),
      planExternalIds: plans.map(({ planExternalId }) => planExternalId),
      status: rest.status,
      type: "periodic",
      renewalStrategy: rest.renewal,
      region: rest.region,
      customerKey: customer,
      subscriptionExternalId: externalId,
      customerExternalId,
      quotaResetAnchor: anchor,
      trialEndDate: rest.trialEnd,
      metadata: rest.metadata,
    });
  },
  show: showFields,
});
