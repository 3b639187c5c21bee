import { routeScope } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { inBucket, subscriptionPath, subscriptionsPath } from "../metering-buckets/in-bucket.ts";
import { customerWarnings } from "../metering-buckets/shared-customers.ts";
import type { UsageReader } from "./allowance.ts";
import { presentSubscription } from "./present-subscription.ts";
import {
  createdSubscription,
  subscription,
  subscriptionInput,
  subscriptionPatch,
  subscriptionQuery,
} from "./schema.ts";
import {
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  type Subscription,
  type SubscriptionHooks,
  subscriptionRevisionOf,
  updateSubscription,
} from "./subscriptions.ts";

export function subscriptionArea(hooks: SubscriptionHooks, usedIn: UsageReader) {
  const endpoints = routeScope({ area: "Metering" }, [
    inBucket.list({
      operationId: "listSubscriptions",
      path: subscriptionsPath,
      summary: "List subscriptions",
      access: "read",
      query: subscriptionQuery,
      item: subscription,
      listName: "SubscriptionList",
      handle: async ({ reads, bucket, now, query }) =>
        presentPage(await listSubscriptions(reads, bucket, query, now, query), (found) =>
          presentSubscription(found, now),
        ),
    }),
    inBucket.write({
      operationId: "createSubscription",
      method: "POST",
      path: subscriptionsPath,
      summary: "Create a subscription",
      access: "bill",
      body: subscriptionInput,
      response: createdSubscription,
      problems: ["subscription_exists"],
      handle: async ({ context, bucket, body }, transaction) => {
        await hooks.creating(transaction, bucket, body.customerKey);
        const created = await createSubscription(context, body);
        await hooks.created(context, created);
        const warnings = await customerWarnings(transaction, bucket, body.customerKey);
        const replied = reply(await findSubscription(transaction, bucket, created.row.id), context.act.now);
        return warnings.length === 0 ? replied : { ...replied, body: { ...replied.body, warnings } };
      },
    }),
    inBucket.read({
      operationId: "getSubscription",
      path: subscriptionPath,
      summary: "Read a subscription",
      access: "read",
      response: subscription,
      handle: async ({ reads, bucket, now, params }) =>
        reply(await findSubscription(reads, bucket, params.subscriptionId), now),
    }),
    inBucket.write({
      operationId: "updateSubscription",
      method: "PATCH",
      path: subscriptionPath,
      summary: "Change a subscription",
      access: "bill",
      body: subscriptionPatch,
      response: subscription,
      problems: ["subscription_exists"],
      handle: async ({ context, bucket, params, body, precondition }, transaction) => {
        const before = await hooks.changing(context, params.subscriptionId);
        const prorate = body.prorate === undefined ? undefined : { share: body.prorate, usedIn };
        const patch = { ...body, prorate };
        const updated = await updateSubscription(context, before, patch, precondition);
        await hooks.changed(context, before, updated);
        return reply(await findSubscription(transaction, bucket, before.row.id), context.act.now);
      },
    }),
    inBucket.remove({
      operationId: "deleteSubscription",
      path: subscriptionPath,
      summary: "Delete a subscription with its usage",
      access: "bill",
      handle: async ({ context, params, precondition }) => {
        const id = params.subscriptionId;
        const keptUntil = await hooks.deleting(context, id);
        await deleteSubscription(context, id, precondition, keptUntil);
      },
    }),
  ]);
  return { endpoints };
}

/** The next reset depends on the time, so the ETag covers the body. */
function reply(found: Subscription, now: number) {
  return { body: presentSubscription(found, now), revision: subscriptionRevisionOf(found, now), composed: true };
}
