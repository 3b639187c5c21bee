import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { listCommand } from "../../support/remote.ts";
import { statuses, statusesText } from "../../support/subscription-options.ts";
import { named, option } from "../../support/values.ts";

export const command = listCommand({
  summary: "List the subscriptions of a metering bucket",
  details: statusesText,
  arguments: {},
  options: {
    ...meteringBucketOption,
    customer: option("only of this customer", named("NAME")),
    status: option("only of this status", statuses),
    plan: option("only with this plan", named("ID")),
    externalId: option("only that of this identifier in your billing system"),
  },
  examples: [
    { command: "tollgate subscriptions list --customer acme", text: "What acme has." },
    { command: "tollgate subscriptions list --status past-due --all", text: "Who has not paid." },
  ],
  things: "subscriptions",
  columns: ["id", "customerKey", "status", "planExternalIds", "renewalStrategy", "nextBillingCycle"],
  list: async (client, { bucket, customer, status, plan, externalId, limit, offset }) =>
    client.subscriptions(await meteringBucket(client, bucket)).list({
      customerKey: customer,
      subscriptionExternalId: externalId,
      planId: plan,
      status,
      limit,
      offset,
    }),
});
