import { type RecordedChange, recordedChanges } from "../../../core/changes/recorded-change.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { parseDateTime } from "../../../lib/time/time.ts";
import type { Change } from "../../../platform/storage/change.ts";
import { DurableReader } from "../../../platform/storage/feed/durable-reader.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { enqueue, WebhookDirectory } from "../deliveries/messages.ts";
import { accountOf, accountsWithWebhooks } from "../store.ts";
import { eventDataOf, eventTypeOf } from "./change-events.ts";
import { trialEndingId, trialLeadMilliseconds } from "./subscription-times.ts";
import { uncheckCounters } from "./timer-store.ts";

const page = 100;

/** What an account without a webhook is still looked through for. */
const wanted = `(kind LIKE '%subscription.created%' OR kind LIKE '%subscription.updated%'
  OR account_seq IN (SELECT account_seq FROM webhooks))`;

/**
 * Turns changes into messages. The cursor moves in the transaction that stores the messages, so each change has its message once,
 * and a message's id is that of the change: whatever is repeated has the same.
 */
export class FanOut {
  readonly #reader: DurableReader;
  #accounts = new Set<number>();

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {
    this.#reader = new DurableReader(storage, "webhooks", { page, wanted });
  }

  /** Whether a change is worth a run of its own at once. Webhooks that another node has made are known from the next run on. */
  isUrgent({ kind, accountSeq, details }: Change): boolean {
    if (details === undefined || accountSeq === null) return false;
    return this.#accounts.has(accountSeq) || kind.startsWith("webhook.");
  }

  /** Reads all that is new. False where there was nothing. */
  async run(signal: AbortSignal): Promise<boolean> {
    this.#accounts = await accountsWithWebhooks(this.storage.reads);
    let hasRead = false;
    await this.#reader.readAll(async (transaction, rows) => {
      hasRead = true;
      await this.#enqueueAll(transaction, rows.flatMap(recordedChanges));
    }, signal);
    return hasRead;
  }

  async #enqueueAll(transaction: WriteTransaction, changes: RecordedChange[]): Promise<void> {
    const now = this.clock.now();
    const directory = new WebhookDirectory(transaction);
    for (const change of changes) {
      const { accountSeq, details } = change;
      const type = eventTypeOf(change);
      if (accountSeq === null || type === null) continue;
      const messageId = `msg_${details.id.slice(details.id.indexOf("_") + 1)}`;
      const data = eventDataOf(change);
      const time = Date.parse(details.time);
      await enqueue(transaction, directory, { accountSeq, messageId, type, time, data }, now);
      if (type === "subscription.created" || type === "subscription.updated")
        await this.#subscriptionChanged(transaction, directory, change, now);
    }
  }

  /** A trial that is shorter than the notice is announced at once, and what is allowed may have become less than was used. */
  async #subscriptionChanged(
    transaction: WriteTransaction,
    directory: WebhookDirectory,
    change: RecordedChange,
    now: number,
  ): Promise<void> {
    const { details } = change;
    const accountSeq = change.accountSeq!;
    const time = Date.parse(details.time);
    const shown = change.shown as { status: string; trialEndDate?: string };
    await uncheckCounters(transaction, details.resource.id, 0);
    const trialEnd = shown.trialEndDate === undefined ? undefined : parseDateTime(shown.trialEndDate);
    if (shown.status !== "trialing" || trialEnd === undefined) return;
    if (now >= trialEnd || trialEnd - trialLeadMilliseconds > time) return;
    const type = "subscription.trial_ending";
    if ((await directory.matching(accountSeq, type)).length === 0) return;
    const account = await accountOf(transaction, accountSeq);
    if (!account) return;
    const messageId = trialEndingId(account.id, details.resource.id, trialEnd);
    const data = eventDataOf(change);
    await enqueue(transaction, directory, { accountSeq, messageId, type, time, data }, now);
  }
}
