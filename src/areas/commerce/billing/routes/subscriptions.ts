import { noBody } from "../../../../api/body.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { bucketPath, inBucket, subscriptionPath } from "../../metering-buckets/in-bucket.ts";
import { actIn, type BucketContext, presentMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { meteringBucket } from "../../metering-buckets/schema.ts";
import { presentSubscription } from "../../subscriptions/present-subscription.ts";
import { subscription } from "../../subscriptions/schema.ts";
import { findSubscription, subscriptionRevisionOf } from "../../subscriptions/subscriptions.ts";
import { moveClock } from "../periods/bucket-clock.ts";
import { voidEvent } from "../periods/corrections.ts";
import { cancelSubscription, changePlans, pauseSubscription, resumeOrUndo } from "../periods/plan-changes.ts";
import { previewPlanChange, upcomingInvoice } from "../periods/previews.ts";
import { upcomingInvoice as upcoming } from "../schemas/invoice-schema.ts";
import { clockInput } from "../schemas/settings-schema.ts";
import {
  cancelSubscriptionInput,
  changeInput,
  changePreview,
  eventCorrection,
  voidedEvent,
} from "../schemas/subscription-schema.ts";

interface Call<Body> {
  context: BucketContext;
  params: { subscriptionId: string };
  body: Body;
}

/** Changes a subscription, and returns it. */
function changed<Body>(change: (context: BucketContext, id: string, body: Body) => Promise<unknown>) {
  return async ({ context, params, body }: Call<Body>) => {
    await change(context, params.subscriptionId, body);
    const found = await findSubscription(context.transaction, context.bucket, params.subscriptionId);
    const { now } = context.act;
    return { body: presentSubscription(found, now), revision: subscriptionRevisionOf(found, now), composed: true };
  };
}

export function billedSubscriptionRoutes(storage: Storage) {
  return [
    inBucket.read({
      operationId: "getUpcomingInvoice",
      path: `${subscriptionPath}/upcoming-invoice`,
      summary: "Preview the next invoice of a subscription",
      description: "What will be billed if nothing more is used. Returns 404 if there will be no invoice.",
      access: "read",
      response: upcoming,
      handle: async ({ act, bucket, params }) => {
        const body = await upcomingInvoice(storage, actIn(bucket, act), bucket, params.subscriptionId);
        return { body, revision: { id: params.subscriptionId, version: "upcoming" }, composed: true };
      },
    }),
    inBucket.write({
      operationId: "changeSubscriptionPlans",
      method: "POST",
      path: `${subscriptionPath}/$change`,
      summary: "Change the plans of a subscription",
      description:
        "By default now if the total fee rises, otherwise at the end of the paid period. A change now credits the unused " +
        "rest of the old fee and charges the new one for the rest of the period.",
      access: "bill",
      body: changeInput,
      response: subscription,
      problems: ["meter_rated_twice", "subscription_not_in_force"],
      handle: changed(changePlans),
    }),
    inBucket.read({
      operationId: "previewSubscriptionChange",
      method: "POST",
      path: `${subscriptionPath}/$change/preview`,
      summary: "Preview a change of plans",
      description: "Returns when it would happen and the invoice that it would create. Nothing is changed.",
      access: "read",
      body: changeInput,
      response: changePreview,
      problems: ["meter_rated_twice", "subscription_not_in_force"],
      handle: async ({ act, bucket, params, body }) => ({
        body: await previewPlanChange(storage, actIn(bucket, act), bucket, params.subscriptionId, body),
      }),
    }),
    inBucket.write({
      operationId: "cancelSubscription",
      method: "POST",
      path: `${subscriptionPath}/$cancel`,
      summary: "Cancel a subscription",
      description: "At the end of the paid period, or now. Refunds nothing unless `refund` is set.",
      access: "bill",
      body: cancelSubscriptionInput,
      response: subscription,
      problems: ["subscription_not_in_force"],
      handle: changed((context, id, body) => cancelSubscription(context, id, body ?? {})),
    }),
    inBucket.write({
      operationId: "resumeSubscription",
      method: "POST",
      path: `${subscriptionPath}/$resume`,
      summary: "Resume a paused subscription, or undo a cancellation",
      description:
        "A period that is paid for continues; otherwise the fee is charged for the rest of the current period. A " +
        "cancellation is undone until the end of the period.",
      access: "bill",
      body: noBody,
      response: subscription,
      problems: ["subscription_not_canceling"],
      handle: changed(resumeOrUndo),
    }),
    inBucket.write({
      operationId: "pauseSubscription",
      method: "POST",
      path: `${subscriptionPath}/$pause`,
      summary: "Pause a subscription",
      description:
        "The status is `inactive` from now on: nothing is allowed, and nothing is billed until `$resume`. What was used " +
        "before is billed; the rest of the period is not refunded.",
      access: "bill",
      body: noBody,
      response: subscription,
      problems: ["subscription_not_in_force", "subscription_change_scheduled"],
      handle: changed(pauseSubscription),
    }),
    inBucket.write({
      operationId: "moveClock",
      method: "POST",
      path: `${bucketPath}/clock`,
      summary: "Move the time of a test bucket",
      description:
        "Forward only. Each step of billing that is due happens at its time, in order. After a failure, repeat the request, also " +
        "with the same `Idempotency-Key`: it continues where it ended. A long move writes several `metering-bucket.updated` " +
        "entries to the audit log.",
      access: "bill",
      body: clockInput,
      response: meteringBucket,
      problems: ["not_a_test_bucket"],
      before: ({ act, params, body }) => moveClock(storage, act, params.bucketId, body.now),
      beforeCommits: true,
      handle: async ({ act, bucket }) => ({
        body: presentMeteringBucket(bucket, act.account.name),
        revision: bucket,
      }),
    }),
  ];
}

export function correctionRoutes() {
  return [
    inBucket.write({
      operationId: "voidEvent",
      method: "POST",
      path: `${bucketPath}/events/$void`,
      area: "Usage",
      summary: "Take a usage event back",
      description:
        "Usage falls by the amounts of the event, on all nodes within a second. Its id stays a duplicate. Credits that " +
        "paid for it are granted again; what was invoiced is returned with the next invoice, or as a grant. Repeating it " +
        "changes nothing. An event that is no longer stored is a 404.",
      access: "bill",
      body: eventCorrection,
      response: voidedEvent,
      handle: async ({ context, body }) => {
        const { customerKey, voidedOn } = await voidEvent(context, body);
        const { source, id } = body;
        return { body: { source, id, customerKey, voidedOn: formatDateTime(voidedOn) } };
      },
    }),
  ];
}
