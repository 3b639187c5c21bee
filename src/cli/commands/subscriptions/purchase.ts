import { argument, listOption, named, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { findPlans } from "../../options/subscription-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Sell plans to a customer, who pays at the address that is shown",
  details: "The subscription is incomplete until it is paid, and expires after 24 hours. A free plan needs no payment.",
  arguments: { customer: argument("the customer's name") },
  options: {
    ...meteringBucketOption,
    plan: listOption("the plans, by id or identifier", named("PLAN")),
    returnUrl: option("where the customer goes after the payment", named("URL")),
  },
  examples: [
    {
      command: "tollgate subscriptions purchase acme --plan price_pro --return-url https://app.example.com/billing",
      text: "Send the customer to the address that is shown.",
    },
  ],
  async call(client, { customer, bucket, plan, returnUrl }) {
    if (plan.length === 0) throw new UsageError("--plan is missing.", "For example: --plan price_gold");
    if (returnUrl === undefined)
      throw new UsageError("--return-url is missing.", "For example: --return-url https://app.example.com/billing");
    const bucketId = await meteringBucket(client, bucket);
    const plans = await findPlans(client, bucketId, plan);
    const planExternalIds = plans.map(({ planExternalId }) => planExternalId);
    return client.subscriptions(bucketId).purchase({ customerKey: customer, planExternalIds, returnUrl });
  },
  show: showFields,
});
