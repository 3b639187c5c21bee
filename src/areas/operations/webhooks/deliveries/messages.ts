import { newId } from "../../../../lib/ids.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { findRows } from "../../../../platform/storage/rows.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { matchesPattern } from "../event-types.ts";
import { patternsOf } from "../present.ts";
import { type WebhookRow, wakeWebhook } from "../store.ts";
import { insertDeliveries, insertMessagesOnce, type MessageRow, type NewMessage } from "./delivery-store.ts";

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
    return (await this.wantedSince(accountSeq, type)) !== undefined;
  }

  /** Since when, at the latest, one has subscribed to it. */
  async wantedSince(accountSeq: number, type: string): Promise<number | undefined> {
    const subscribers = await this.#subscribers(accountSeq, type);
    return subscribers.length === 0 ? undefined : Math.min(...subscribers.map(({ updated_on }) => updated_on));
  }

  /**
   * Stores the messages of events and a delivery of each for each enabled webhook that subscribes to it. Stores nothing of
   * an event if no webhook does, or if its message exists. A message for disabled webhooks only is stored too, so that it
   * can be replayed.
   */
  async add(...events: WebhookEvent[]): Promise<void> {
    const wanted: { message: NewMessage; subscribers: WebhookRow[] }[] = [];
    for (const { accountSeq, messageId: id, type, time, data } of events) {
      const subscribers = await this.#subscribers(accountSeq, type);
      const body = messageBodyOf(type, time, data);
      const message = { account_seq: accountSeq, id, type, body, created_on: this.now };
      if (subscribers.length > 0) wanted.push({ message, subscribers });
    }
    const seqs = await insertMessagesOnce(
      this.transaction,
      wanted.map(({ message }) => message),
    );
    const messages = new Map<number, MessageKey[]>();
    for (const [index, { message, subscribers }] of wanted.entries()) {
      const seq = seqs[index];
      if (seq === undefined) continue;
      for (const webhook of subscribers) {
        if (webhook.is_enabled === 0) continue;
        const its = messages.get(webhook.seq) ?? [];
        messages.set(webhook.seq, its);
        its.push({ seq, ...message });
      }
    }
    for (const [webhookSeq, its] of messages) await deliver(this.transaction, webhookSeq, its, this.now);
  }

  async #subscribers(accountSeq: number, type: string): Promise<WebhookRow[]> {
    let all = this.#webhooks.get(accountSeq);
    if (!all) {
      all = await findRows(this.transaction, "webhooks", { account_seq: accountSeq });
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
