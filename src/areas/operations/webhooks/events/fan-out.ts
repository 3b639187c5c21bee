import { type RecordedChange, recordedChanges } from "../../../../core/changes/recorded-change.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import type { Change } from "../../../../platform/storage/change.ts";
import { DurableReader } from "../../../../platform/storage/change-feed/durable-reader.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { MessageQueue } from "../deliveries/messages.ts";
import { accountsWithWebhooks } from "../store.ts";
import { eventOf } from "./change-events.ts";
import { shortTrials } from "./subscription-times.ts";
import { announcedMilliseconds, uncheckCounters } from "./threshold-store.ts";

const page = 100;

/** Kinds that are processed even in an account without a webhook. */
const wanted = `(kind LIKE '%subscription.created%' OR kind LIKE '%subscription.updated%'
  OR account_seq IN (SELECT account_seq FROM webhooks))`;

/**
 * Turns changes into messages. The cursor moves in the transaction that stores the messages, so each change has one
 * message. The id of a message is that of the change, so a repeated one has the same id.
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

  /**
   * Whether a change starts a run immediately. A webhook that another node has created is known from the next run on.
   */
  isUrgent({ kind, accountSeq, details }: Change): boolean {
    if (details === undefined || accountSeq === null) return false;
    return this.#accounts.has(accountSeq) || kind.startsWith("webhook.");
  }

  /** Reads all new changes. Returns false if there are none. */
  async run(signal: AbortSignal): Promise<boolean> {
    this.#accounts = await accountsWithWebhooks(this.storage.reads);
    let hasRead = false;
    await this.#reader.readAll(async (transaction, rows) => {
      hasRead = true;
      await this.#enqueue(transaction, rows.flatMap(recordedChanges));
    }, signal);
    return hasRead;
  }

  async #enqueue(transaction: WriteTransaction, changes: RecordedChange[]): Promise<void> {
    const now = this.clock.now();
    const found = changes.flatMap((change) => {
      const event = eventOf(change);
      return event ? { change, event } : [];
    });
    const changed = found.filter(
      ({ event: { type } }) => type === "subscription.created" || type === "subscription.updated",
    );
    // A maximum may have been reduced below the usage.
    const places = changed.map(({ change: { details }, event }) => ({
      accountSeq: event.accountSeq,
      bucketId: details.resource.parent!.id,
      subscriptionId: details.resource.id,
    }));
    await uncheckCounters(transaction, places, now - announcedMilliseconds);
    const queue = await MessageQueue.open(
      transaction,
      found.map(({ event }) => event.accountSeq),
      now,
    );
    const trials = await shortTrials(transaction, changed, now);
    await queue.add([...found.map(({ event }) => event), ...trials]);
  }
}
