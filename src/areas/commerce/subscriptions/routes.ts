import { list, read, routeScope, write } from "../../../api/endpoint.ts";
import { Presented } from "../../../api/presented.ts";
import { contextIn, findMeteringBucket, timeIn } from "../metering-buckets/metering-buckets.ts";
import { subscriptionPath, subscriptionsPath } from "../metering-buckets/paths.ts";
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
  const endpoints = routeScope({ area: "Metering", inAccountOfCaller: true }, [
    list({
      operationId: "listSubscriptions",
      path: subscriptionsPath,
      summary: "List subscriptions",
      access: "read",
      query: subscriptionQuery,
      item: subscription,
      listName: "SubscriptionList",
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const now = timeIn(bucket, act.now);
        const { data, total } = await listSubscriptions(reads, bucket, query, now, query);
        return { data: Presented.from(data, (found) => presentSubscription(found, now)), total };
      },
    }),
    write({
      operationId: "createSubscription",
      method: "POST",
      path: subscriptionsPath,
      summary: "Create a subscription",
      access: "bill",
      body: subscriptionInput,
      response: createdSubscription,
      problems: ["subscription_exists"],
      handle: async ({ act, params, body }, transaction) => {
        const context = await contextIn(transaction, act, params.bucketId);
        const { bucket } = context;
        await hooks.creating(transaction, bucket, body.customerKey);
        const created = await createSubscription(context, body);
        await hooks.created(context, created);
        const warnings = await customerWarnings(transaction, bucket, body.customerKey);
        const replied = reply(await findSubscription(transaction, bucket, created.row.id), context.act.now);
        return warnings.length === 0 ? replied : { ...replied, body: { ...replied.body, warnings } };
      },
    }),
    read({
      operationId: "getSubscription",
      path: subscriptionPath,
      summary: "Read a subscription",
      access: "read",
      response: subscription,
      handle: async ({ reads, act, params }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        return reply(await findSubscription(reads, bucket, params.subscriptionId), timeIn(bucket, act.now));
      },
    }),
    write({
      operationId: "updateSubscription",
      method: "PATCH",
      path: subscriptionPath,
      summary: "Change a subscription",
      access: "bill",
      body: subscriptionPatch,
      response: subscription,
      problems: ["subscription_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const context = await contextIn(transaction, act, params.bucketId);
        const before = await hooks.changing(context, params.subscriptionId);
        const prorate = body.prorate === undefined ? undefined : { share: body.prorate, usedIn };
        const patch = { ...body, prorate };
        const updated = await updateSubscription(context, before, patch, precondition);
        await hooks.changed(context, before, updated);
        return reply(await findSubscription(transaction, context.bucket, before.row.id), context.act.now);
      },
    }),
    write({
      operationId: "deleteSubscription",
      method: "DELETE",
      path: subscriptionPath,
      summary: "Delete a subscription with its usage",
      access: "bill",
      handle: async ({ act, params, precondition }, transaction) => {
        const context = await contextIn(transaction, act, params.bucketId);
        const id = params.subscriptionId;
        const keptUntil = await hooks.deleting(context, id);
        await deleteSubscription(context, id, precondition, keptUntil);
        return {};
      },
    }),
  ]);
  return { endpoints };
}

/** The next reset depends on the time, so the ETag covers the body. */
function reply(found: Subscription, now: number) {
  return { body: presentSubscription(found, now), revision: subscriptionRevisionOf(found, now), composed: true };
}
