import { type AreaContext, areaOf } from "../../../../api/area.ts";
import { noBody } from "../../../../api/body.ts";
import { list, read, remove, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { Wakeable } from "../../../../lib/tasks/wakeable.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { EgressMode } from "../../../../platform/egress/addresses.ts";
import { Egress } from "../../../../platform/egress/egress.ts";
import {
  type Attempt,
  type Delivery,
  findDelivery,
  inspectDelivery,
  listDeliveries,
  removeOldMessages,
  replayDeliveries,
  retryDelivery,
  sendTest,
} from "../deliveries/deliveries.ts";
import { DeliveryEngine } from "../deliveries/delivery-engine.ts";
import { requestHeaders, WebhookSender } from "../deliveries/sender.ts";
import { FanOut } from "../events/fan-out.ts";
import { runTimedEvents } from "../events/timed-events.ts";
import { presentWithState } from "../present.ts";
import { removeDeletedWebhooks } from "../removal.ts";
import {
  type DeliveryStatus,
  delivery,
  deliveryDetail,
  deliveryList,
  deliveryQuery,
  replayed,
  replayInput,
  rotationInput,
  webhook,
  webhookInput,
  webhookPatch,
  webhookWithSecret,
} from "../schema.ts";
import { Webhooks } from "../webhooks.ts";

/** The maximum delay of a message written, or an attempt queued, by another node. */
const lookSeconds = 1;
/** The maximum delay of an event that is triggered by time. */
const timedSeconds = 2;
const leaseSeconds = 5;

const webhooksPath = "/v1/accounts/{accountName}/webhooks";
const webhookPath = `${webhooksPath}/{webhookId}` as const;

function presentDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    messageId: delivery.message_id,
    type: delivery.type,
    status: delivery.status as DeliveryStatus,
    attempts: delivery.attempts,
    ...(delivery.due_on === null || delivery.lease !== null ? {} : { nextAttemptOn: formatDateTime(delivery.due_on) }),
    createdOn: formatDateTime(delivery.created_on),
    ...(delivery.finished_on === null ? {} : { finishedOn: formatDateTime(delivery.finished_on) }),
  };
}

const deliveryPath = `${webhookPath}/deliveries/{deliveryId}` as const;

function deliveryRoutes(webhooks: Webhooks) {
  return [
    read({
      operationId: "listWebhookDeliveries",
      path: `${webhookPath}/deliveries`,
      summary: "List deliveries, newest first",
      access: "read",
      query: deliveryQuery,
      response: deliveryList,
      handle: async ({ reads, account, params, query }) => {
        const found = await webhooks.find(reads, account.seq, params.webhookId);
        return { body: { data: (await listDeliveries(reads, found, query)).map(presentDelivery) } };
      },
    }),
    read({
      operationId: "getWebhookDelivery",
      path: deliveryPath,
      summary: "Read a delivery with its request and attempts",
      access: "read",
      response: deliveryDetail,
      handle: async ({ reads, account, params }) => {
        const found = await webhooks.find(reads, account.seq, params.webhookId);
        const { delivery: row, message, attempts } = await inspectDelivery(reads, found, params.deliveryId);
        const request = {
          method: "POST" as const,
          url: found.url,
          headers: Object.fromEntries(requestHeaders(row.message_id)),
          body: message.body,
        };
        return { body: { ...presentDelivery(row), request, attemptLog: attempts.map(presentAttempt) } };
      },
    }),
    write({
      operationId: "retryWebhookDelivery",
      method: "POST",
      path: `${deliveryPath}/retry`,
      summary: "Attempt a delivery again, now",
      description: "Restarts the schedule of retries. The `webhook-id` stays the same.",
      access: "edit",
      body: noBody,
      response: delivery,
      problems: ["webhook_disabled"],
      handle: async ({ act, params }, transaction) => {
        const found = await webhooks.findForUpdate(transaction, act, params.webhookId);
        await findDelivery(transaction, found, params.deliveryId);
        return { body: presentDelivery(await retryDelivery(transaction, act, found, params.deliveryId)) };
      },
    }),
  ];
}

function presentAttempt(attempt: Attempt) {
  return {
    number: attempt.number,
    startedOn: formatDateTime(attempt.started_on),
    durationMs: attempt.duration_ms,
    ...(attempt.status === null ? {} : { status: attempt.status }),
    ...(attempt.error === null ? {} : { error: attempt.error }),
    ...(attempt.response === null ? {} : { response: attempt.response }),
  };
}

export function webhookArea({ storage, clock, log, metrics, keyring, lifecycle }: AreaContext, egress: EgressMode) {
  const webhooks = new Webhooks(keyring, egress);
  const engine = new DeliveryEngine({
    ...{ storage, clock, webhooks, log },
    sender: new WebhookSender(new Egress(egress)),
    onAttempt: (hasSucceeded) => metrics.delivery("webhook", hasSucceeded),
  });
  const failed = (error: unknown) => log.warn("webhook messages could not be created; will retry", { error });
  const fanOut = new FanOut(storage, clock);
  const changes = new Wakeable(async (signal) => {
    if (await fanOut.run(signal)) engine.wake();
  }, failed);
  const timed = new Wakeable(async (signal) => {
    await runTimedEvents(storage, clock, signal);
    engine.wake();
  }, failed);
  return areaOf(
    { Webhooks: "URLs that receive events, signed by Standard Webhooks 1.0, and the results of their deliveries." },
    [...webhookManagementRoutes(webhooks), ...sendingRoutes(webhooks), ...deliveryRoutes(webhooks)],
    {
      webhooks,
      removals: [(signal) => removeOldMessages(storage, clock.now(), signal)],
      contents: [(signal) => removeDeletedWebhooks(storage, signal)],
      async start() {
        lifecycle.onClose("webhook deliveries", () => engine.stop());
        lifecycle.onClose("webhook messages", () => Promise.all([changes.stop(), timed.stop()]));
        await engine.start();
        storage.feed.subscribe(
          (published) => {
            if (published.some((change) => fanOut.isUrgent(change))) changes.wake();
          },
          () => changes.wake(),
        );
        lifecycle.every(lookSeconds, "webhook messages", async () => {
          changes.wake();
          engine.wake();
        });
        lifecycle.every(timedSeconds, "webhook timed events", async () => timed.wake());
        lifecycle.every(leaseSeconds, "webhook leases", () => engine.renewLeases());
        changes.wake();
        timed.wake();
      },
      /** Creates the messages of all events until now, and attempts every due delivery. */
      async catchUp() {
        timed.wake();
        await timed.idle();
        changes.wake();
        await changes.idle();
        await engine.deliverDue();
      },
    },
  );
}

function sendingRoutes(webhooks: Webhooks) {
  return [
    write({
      operationId: "testWebhook",
      method: "POST",
      path: `${webhookPath}/test`,
      summary: "Send a test message",
      description: "Its type is `webhook.test`; it is sent to this webhook, whatever its patterns.",
      access: "edit",
      body: noBody,
      response: delivery,
      problems: ["webhook_disabled"],
      handle: async ({ act, params }, transaction) => {
        const found = await webhooks.findForUpdate(transaction, act, params.webhookId);
        return { body: presentDelivery(await sendTest(transaction, act, found)) };
      },
    }),
    write({
      operationId: "replayWebhook",
      method: "POST",
      path: `${webhookPath}/replay`,
      summary: "Send the messages of a time range again",
      description:
        "All messages of the account from `from` until before `to` that match the webhook's patterns, including those that it did " +
        "not get because it was disabled. At most 10,000 at once.",
      access: "edit",
      body: replayInput,
      response: replayed,
      problems: ["webhook_disabled"],
      examples: { request: { from: "2026-01-30T00:00:00Z", to: "2026-01-31T00:00:00Z" } },
      handle: async ({ act, params, body }, transaction) => {
        const found = await webhooks.findForUpdate(transaction, act, params.webhookId);
        return { body: { deliveries: await replayDeliveries(transaction, act, found, body) } };
      },
    }),
  ];
}

function webhookManagementRoutes(webhooks: Webhooks) {
  return [
    list({
      operationId: "listWebhooks",
      path: webhooksPath,
      summary: "List webhooks",
      access: "read",
      item: webhook,
      listName: "WebhookList",
      handle: async ({ reads, account, query }) =>
        presentPage(await webhooks.list(reads, account.seq, query), presentWithState),
    }),
    write({
      operationId: "createWebhook",
      method: "POST",
      path: webhooksPath,
      summary: "Create a webhook",
      description: "Only this response contains its secret.",
      access: "edit",
      body: webhookInput,
      response: webhookWithSecret,
      problems: ["webhook_exists", "too_many_webhooks"],
      examples: { request: { url: "https://acme.example/webhooks", events: ["key.*", "quota.threshold"] } },
      handle: async ({ act, body }, transaction) => {
        const created = await webhooks.create(transaction, act, body);
        return { body: { ...presentWithState(created.webhook), secret: created.secret }, revision: created.webhook };
      },
    }),
    read({
      operationId: "getWebhook",
      path: webhookPath,
      summary: "Read a webhook",
      access: "read",
      response: webhook,
      handle: async ({ reads, account, params }) => {
        const found = await webhooks.find(reads, account.seq, params.webhookId);
        return { body: presentWithState(found), revision: found };
      },
    }),
    write({
      operationId: "updateWebhook",
      method: "PATCH",
      path: webhookPath,
      summary: "Change a webhook",
      description: "A given field replaces the old value, `null` clears it, an absent field is not changed.",
      access: "edit",
      body: webhookPatch,
      response: webhook,
      problems: ["webhook_exists"],
      examples: { request: { events: ["*"] } },
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await webhooks.update(transaction, act, params.webhookId, body, precondition);
        return { body: presentWithState(updated), revision: updated };
      },
    }),
    remove({
      operationId: "deleteWebhook",
      path: webhookPath,
      summary: "Delete a webhook",
      description: "Its deliveries are deleted too.",
      access: "edit",
      handle: ({ act, params, precondition }, transaction) =>
        webhooks.delete(transaction, act, params.webhookId, precondition),
    }),
    write({
      operationId: "rotateWebhookSecret",
      method: "POST",
      path: `${webhookPath}/rotate-secret`,
      summary: "Rotate the secret of a webhook",
      description: "Until the grace period ends, messages have a signature by each of the two secrets.",
      access: "edit",
      body: rotationInput,
      response: webhookWithSecret,
      examples: { request: { graceSeconds: 3600 } },
      handle: async ({ act, params, body }, transaction) => {
        const rotated = await webhooks.rotateSecret(transaction, act, params.webhookId, body.graceSeconds);
        return { body: { ...presentWithState(rotated.webhook), secret: rotated.secret }, revision: rotated.webhook };
      },
    }),
  ];
}
