import type { Act } from "../../../../core/access.ts";
import { existing, invalid, Problem } from "../../../../core/problems/problem.ts";
import { newId } from "../../../../lib/ids.ts";
import { removeRows } from "../../../../platform/storage/removal.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { eventTypesOf, testType } from "../event-types.ts";
import { patternsOf } from "../present.ts";
import { wakeWebhooks } from "../store.ts";
import { recordSending } from "../webhook-changes.ts";
import type { Webhook } from "../webhooks.ts";
import * as store from "./delivery-store.ts";
import { deliver, messageBodyOf } from "./messages.ts";

export type Delivery = store.DeliveryRow;
export type Attempt = store.AttemptRow;

/** The maximum in one transaction, for which other writers wait on SQLite. */
const maxReplayed = 10_000;

export const listDeliveries = (reads: Reads, webhook: Webhook, filter: store.DeliveryFilter) =>
  store.listDeliveries(reads, webhook.seq, filter);

export const findDelivery = (reads: Reads, webhook: Webhook, id: string): Promise<Delivery> =>
  existing(findRow(reads, "webhook_deliveries", { webhook_seq: webhook.seq, id }), "delivery");

/** Returns the delivery with its message and attempts. */
export async function inspectDelivery(reads: Reads, webhook: Webhook, id: string) {
  const delivery = await findDelivery(reads, webhook, id);
  // Retention may have removed it between the two reads.
  const message = await existing(findRow(reads, "webhook_messages", { seq: delivery.message_seq }), "delivery");
  return { delivery, message, attempts: await store.attemptsOf(reads, delivery.seq) };
}

/** Attempts it now and restarts the schedule of retries. A pending delivery is only attempted sooner. */
export async function retryDelivery(
  transaction: WriteTransaction,
  act: Act,
  webhook: Webhook,
  id: string,
): Promise<Delivery> {
  requireEnabled(webhook);
  const { seq } = await findDelivery(transaction, webhook, id);
  await store.reschedule(transaction, seq, act.now);
  await wakeWebhooks(transaction, [webhook.seq], act.now);
  recordSending(transaction, act, "webhook.retried", webhook);
  return findDelivery(transaction, webhook, id);
}

/** A message of its own type, for this webhook only. */
export async function sendTest(transaction: WriteTransaction, act: Act, webhook: Webhook): Promise<Delivery> {
  requireEnabled(webhook);
  const id = newId("msg", act.now);
  const body = messageBodyOf(testType, act.now, { webhookId: webhook.id });
  const row = { account_seq: act.account.seq, id, type: testType, body, created_on: act.now };
  const [seq] = await store.insertMessagesOnce(transaction, [row]);
  const [deliveryId] = await deliver(transaction, webhook.seq, [{ seq: seq!, id, type: testType }], act.now);
  recordSending(transaction, act, "webhook.tested", webhook);
  return findDelivery(transaction, webhook, deliveryId!);
}

/** Replays events that match the webhook's patterns, also those it missed while it was disabled. */
export async function replayDeliveries(
  transaction: WriteTransaction,
  act: Act,
  webhook: Webhook,
  { from, to, newIds }: { from: number; to: number; newIds: boolean },
): Promise<number> {
  requireEnabled(webhook);
  if (to <= from) throw invalid("/to", "must be after from");
  const range = { from, to, max: maxReplayed + 1 };
  const messages = await store.messagesBetween(transaction, act.account.seq, eventTypesOf(patternsOf(webhook)), range);
  if (messages.length > maxReplayed)
    throw invalid(
      "/to",
      `must be earlier: the range has more than ${maxReplayed} messages; replay a shorter range first`,
    );
  recordSending(transaction, act, "webhook.replayed", webhook, { deliveries: messages.length });
  if (messages.length === 0) return 0;
  const sent = newIds ? messages.map((message) => ({ ...message, id: newId("msg", act.now) })) : messages;
  await deliver(transaction, webhook.seq, sent, act.now);
  return sent.length;
}

function requireEnabled(webhook: Webhook): void {
  if (webhook.is_enabled === 0) throw new Problem("webhook_disabled");
}

/** 30 days after the last attempt of a failed delivery: the schedule of retries takes 28 hours. */
const keptMilliseconds = 32 * 24 * 60 * 60 * 1000;

/** Removes messages with their deliveries and attempts. */
export function removeOldMessages(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const isOld = "created_on < ? ORDER BY created_on";
  return removeRows(storage, "webhook_messages", isOld, [now - keptMilliseconds], { rows: 200, signal });
}
