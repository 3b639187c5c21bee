import { newId } from "../../../lib/ids.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { matchesPattern } from "../event-types.ts";
import { patternsOf } from "../present.ts";
import { type WebhookRow, wakeWebhook, webhooksOf } from "../store.ts";
import { insertDeliveries, insertMessageOnce, type MessageRow } from "./delivery-store.ts";

/** An event for webhooks. */
export interface WebhookEvent {
  accountSeq: number;
  /** The same id whenever the same event is found again. */
  messageId: string;
  type: string;
  /** The time of the event. */
  time: number;
  data: unknown;
}

/** Turns the events of a transaction into messages and deliveries. Reads the webhooks of each account once. */
export class MessageQueue {
  readonly #webhooks = new Map<number, WebhookRow[]>();

  constructor(
    readonly transaction: WriteTransaction,
    private readonly now: number,
  ) {}

  /** Whether a webhook of the account, enabled or disabled, subscribes to a type. */
  async isWanted(accountSeq: number, type: string): Promise<boolean> {
    return (await this.#subscribers(accountSeq, type)).length > 0;
  }

  /**
   * Stores the message of an event and a delivery for each enabled webhook that subscribes to it. Stores nothing if no
   * webhook does, or if the message exists. A message for disabled webhooks only is stored too, so that it can be
   * replayed.
   */
  async add({ accountSeq, messageId: id, type, time, data }: WebhookEvent): Promise<void> {
    const subscribers = await this.#subscribers(accountSeq, type);
    if (subscribers.length === 0) return;
    const row = { account_seq: accountSeq, id, type, body: messageBodyOf(type, time, data), created_on: this.now };
    const seq = await insertMessageOnce(this.transaction, row);
    if (seq === undefined) return;
    for (const webhook of subscribers)
      if (webhook.is_enabled === 1) await deliver(this.transaction, webhook.seq, [{ seq, id, type }], this.now);
  }

  async #subscribers(accountSeq: number, type: string): Promise<WebhookRow[]> {
    let all = this.#webhooks.get(accountSeq);
    if (!all) {
      all = await webhooksOf(this.transaction, accountSeq);
      this.#webhooks.set(accountSeq, all);
    }
    return all.filter((webhook) => patternsOf(webhook).some((pattern) => matchesPattern(pattern, type)));
  }
}

export function messageBodyOf(type: string, time: number, data: unknown): string {
  return JSON.stringify({ type, timestamp: formatDateTime(time), data });
}

type MessageKey = Pick<MessageRow, "seq" | "id" | "type">;

/** Stores a delivery of each message, due now, and returns their ids. */
export async function deliver(
  transaction: WriteTransaction,
  webhookSeq: number,
  messages: readonly MessageKey[],
  now: number,
): Promise<string[]> {
  const rows = messages.map((message) => newDelivery(webhookSeq, message, now));
  await insertDeliveries(transaction, rows);
  await wakeWebhook(transaction, webhookSeq, now);
  return rows.map(({ id }) => id);
}

export function newDelivery(webhookSeq: number, message: MessageKey, now: number) {
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
