import { newId } from "../../../lib/ids.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { matchesPattern } from "../event-types.ts";
import { patternsOf } from "../present.ts";
import { type WebhookRow, wakeWebhook, webhooksOf } from "../store.ts";
import { insertDeliveries, insertMessageOnce } from "./delivery-store.ts";

/** What happened, for webhooks. */
export interface WebhookEvent {
  accountSeq: number;
  /** The same whenever the same event is found again. */
  messageId: string;
  type: string;
  /** When it happened. */
  time: number;
  data: unknown;
}

/** The webhooks of the accounts that a batch of events concerns, each account read once. */
export class WebhookDirectory {
  readonly #known = new Map<number, WebhookRow[]>();

  constructor(private readonly transaction: WriteTransaction) {}

  /** Those of an account that want a type, also the disabled ones. */
  async matching(accountSeq: number, type: string): Promise<WebhookRow[]> {
    let all = this.#known.get(accountSeq);
    if (!all) {
      all = await webhooksOf(this.transaction, accountSeq);
      this.#known.set(accountSeq, all);
    }
    return all.filter((webhook) => patternsOf(webhook).some((pattern) => matchesPattern(pattern, type)));
  }
}

/**
 * Stores the message of an event and a delivery for each enabled webhook that wants it. Nothing where no webhook wants it, or
 * where the message is there already. A message that only a disabled webhook wants is kept, so that it can be replayed.
 */
export async function enqueue(
  transaction: WriteTransaction,
  directory: WebhookDirectory,
  event: WebhookEvent,
  now: number,
): Promise<void> {
  const matching = await directory.matching(event.accountSeq, event.type);
  if (matching.length === 0) return;
  const messageSeq = await insertMessageOnce(transaction, {
    account_seq: event.accountSeq,
    id: event.messageId,
    type: event.type,
    body: bodyOf(event.type, event.time, event.data),
    created_on: now,
  });
  if (messageSeq === undefined) return;
  for (const webhook of matching)
    if (webhook.is_enabled === 1)
      await enqueueDelivery(transaction, webhook.seq, { seq: messageSeq, id: event.messageId, type: event.type }, now);
}

export function bodyOf(type: string, time: number, data: unknown): string {
  return JSON.stringify({ type, timestamp: formatDateTime(time), data });
}

/** Returns the id of the delivery. */
export async function enqueueDelivery(
  transaction: WriteTransaction,
  webhookSeq: number,
  message: { seq: number; id: string; type: string },
  now: number,
): Promise<string> {
  const row = newDelivery(webhookSeq, message, now);
  await insertDeliveries(transaction, [row]);
  await wakeWebhook(transaction, webhookSeq, now);
  return row.id;
}

export function newDelivery(webhookSeq: number, message: { seq: number; id: string; type: string }, now: number) {
  return {
    id: newId("dlvr", now),
    webhook_seq: webhookSeq,
    message_seq: message.seq,
    message_id: message.id,
    type: message.type,
    status: "pending",
    attempts: 0,
    schedule_step: 0,
    due_on: now,
    lease: null,
    created_on: now,
    finished_on: null,
  };
}
