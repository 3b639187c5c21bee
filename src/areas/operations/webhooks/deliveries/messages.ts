import { newId } from "../../../../lib/ids.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { matchesPattern } from "../event-types.ts";
import { patternsOf } from "../present.ts";
import { lockWebhooks, type WebhookRow, wakeWebhooks, webhooksOf } from "../store.ts";
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

/** Messages with more text than this are stored by several statements: a change may have a state of many megabytes. */
const maxTextLength = 8 * 1024 * 1024;

/** Turns events of some accounts into messages and deliveries. */
export class MessageQueue {
  private constructor(
    private readonly transaction: WriteTransaction,
    private readonly now: number,
    private readonly webhooks: ReadonlyMap<number, WebhookRow[]>,
  ) {}

  static async open(transaction: WriteTransaction, accountSeqs: Iterable<number>, now: number): Promise<MessageQueue> {
    const webhooks = await webhooksOf(transaction, new Set(accountSeqs));
    return new MessageQueue(
      transaction,
      now,
      Map.groupBy(webhooks, ({ account_seq }) => account_seq),
    );
  }

  /** Whether a webhook of the account, enabled or disabled, subscribes to a type. */
  isWanted(accountSeq: number, type: string): boolean {
    return this.#subscribers(accountSeq, type).length > 0;
  }

  /** Since when, at the latest, one has subscribed to it. */
  wantedSince(accountSeq: number, type: string): number | undefined {
    const subscribers = this.#subscribers(accountSeq, type);
    return subscribers.length === 0 ? undefined : Math.min(...subscribers.map(({ updated_on }) => updated_on));
  }

  /**
   * Stores the messages of events and a delivery of each for each enabled webhook that subscribes to it. Stores nothing of
   * an event if no webhook does, or if its message exists. A message for disabled webhooks only is stored too, so that it
   * can be replayed. To be called once, and last: it locks the webhooks, so that none is deleted with its account before
   * its messages are visible to the removal.
   */
  async add(events: readonly WebhookEvent[]): Promise<void> {
    const wanted = events.map((event) => ({ event, seqs: this.#subscribers(event.accountSeq, event.type).map(seqOf) }));
    const locked = await lockWebhooks(this.transaction, new Set(wanted.flatMap(({ seqs }) => seqs)));
    const existing = new Map(locked.map((webhook) => [webhook.seq, webhook]));
    const woken = new Set<number>();
    let messages: QueuedMessage[] = [];
    let length = 0;
    for (const { event, seqs } of wanted) {
      const subscribers = seqs.flatMap((seq) => existing.get(seq) ?? []);
      if (subscribers.length === 0) continue;
      const enabled = subscribers.filter(({ is_enabled }) => is_enabled === 1).map(seqOf);
      for (const seq of enabled) woken.add(seq);
      const { accountSeq: account_seq, messageId: id, type, time, data } = event;
      const body = messageBodyOf(type, time, data);
      messages.push({ message: { account_seq, id, type, body, created_on: this.now }, enabled });
      length += body.length;
      if (length < maxTextLength) continue;
      await this.#store(messages);
      [messages, length] = [[], 0];
    }
    await this.#store(messages);
    await wakeWebhooks(this.transaction, woken, this.now);
  }

  async #store(queued: QueuedMessage[]): Promise<void> {
    const messages = queued.map(({ message }) => message);
    const seqs = await insertMessagesOnce(this.transaction, messages);
    const rows = queued.flatMap(({ message, enabled }, index) => {
      const seq = seqs[index];
      return seq === undefined ? [] : enabled.map((webhook) => newDelivery(webhook, { ...message, seq }, this.now));
    });
    await insertDeliveries(this.transaction, rows);
  }

  #subscribers(accountSeq: number, type: string): WebhookRow[] {
    const all = this.webhooks.get(accountSeq) ?? [];
    return all.filter((webhook) => patternsOf(webhook).some((pattern) => matchesPattern(pattern, type)));
  }
}

/** A message, and the webhooks to which it is delivered. */
interface QueuedMessage {
  message: NewMessage;
  enabled: number[];
}

const seqOf = ({ seq }: WebhookRow): number => seq;

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
  await wakeWebhooks(transaction, [webhookSeq], now);
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
