import { named, option } from "../../arguments/values.ts";
import { listCommand } from "../../connection/remote.ts";
import { findPlanId } from "../../options/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { statuses, statusesText } from "../../options/subscription-options.ts";

export const command = listCommand({
  summary: "List the subscriptions of a metering bucket",
  details: statusesText,
  arguments: {},
  options: {
    ...meteringBucketOption,
    customer: option("only subscriptions of this customer", named("NAME")),
    status: option("only those with this status", statuses),
    plan: option("only with this plan, by its id or its identifier in your billing system", named("PLAN")),
    externalId: option("only the one with this identifier in your billing system"),
  },
  examples: [
    { command: "tollgate subscriptions list --customer acme", text: "The subscriptions of acme." },
    { command: "tollgate subscriptions list --status past-due --all", text: "All subscriptions that are past due." },
  ],
  things: "subscriptions",
  filters: ["customer", "status", "plan", "externalId"],
  columns: ["id", "customerKey", "status", "planExternalIds", "renewalStrategy", "nextBillingCycle"],
  async list(client, { bucket, customer, status, plan, externalId, limit, offset }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.subscriptions(bucketId).list({
      customerKey: customer,
      subscriptionExternalId: externalId,
      planId: plan && (await findPlanId(client, bucketId, plan)),
      status,
      limit,
      offset,
    });
  },
});
