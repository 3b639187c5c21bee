import { MissingKey } from "../../../../lib/crypto/keyring.ts";
import { signatures } from "../../../../lib/crypto/standard-webhooks.ts";
import { Wakeable } from "../../../../lib/tasks/wakeable.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import { lockRow, updateRows } from "../../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Log } from "../../../../platform/telemetry/log.ts";
import { clearFailing, dueWebhooks, lockWebhook, setNextDue, type WebhookRow, wakeWebhooks } from "../store.ts";
import { recordDisabled } from "../webhook-changes.ts";
import type { Webhooks } from "../webhooks.ts";
import * as store from "./delivery-store.ts";
import type { AttemptResult, WebhookSender } from "./sender.ts";

interface DeliveryEngineOptions {
  storage: Storage;
  clock: Clock;
  webhooks: Webhooks;
  sender: WebhookSender;
  log: Log;
  /** Called after each attempt. */
  onAttempt?: ((hasSucceeded: boolean) => void) | undefined;
}

/** The duration of a lease, longer than an attempt may take. It is renewed during an attempt. */
const leaseMilliseconds = 30_000;
const maxConcurrent = 1000;
/**
 * The maximum number of concurrent attempts to one webhook. One that fails or hangs gets one at a time, so that it uses
 * little of the shared capacity.
 */
const maxPerWebhook = 5;
const webhooksAtOnce = 32;
const failedAtOnce = 500;
const stopMilliseconds = 1000;

/** A delivery that this node attempts. */
interface Claim {
  delivery: store.DeliveryRow;
  webhook: WebhookRow;
  body: string;
  lease: string;
}

/**
 * Sends due deliveries. The queue is a table: any node may claim a delivery, and one whose lease has expired is due
 * again. Only attempts in progress are in memory, however many deliveries wait.
 */
export class DeliveryEngine {
  readonly #claims = new Map<number, Claim>();
  /** Attempts in progress by webhook, and their maximum. */
  readonly #busy = new Map<number, { count: number; max: number }>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #looking: Wakeable;

  constructor(private readonly options: DeliveryEngineOptions) {
    this.#looking = new Wakeable(
      (signal) => this.#look(signal),
      (error) => options.log.warn("webhook deliveries could not be claimed; will retry", { error }),
    );
  }

  async start(): Promise<void> {
    const { storage, clock } = this.options;
    // No other process can be attempting them.
    if (!storage.isShared) await storage.write((transaction) => store.releaseAllDeliveries(transaction, clock.now()));
    this.wake();
  }

  /** Waits a moment for attempts in progress, then cancels them. Cancelled attempts are repeated with the same ids. */
  async stop(): Promise<void> {
    await this.#looking.stop();
    const grace = setTimeout(() => this.#stopping.abort(), stopMilliseconds);
    await Promise.all(this.#running);
    clearTimeout(grace);
  }

  /** Looks for due deliveries now. */
  wake(): void {
    this.#looking.wake();
  }

  /** Attempts all due deliveries, and resolves when none is in progress. */
  async deliverDue(): Promise<void> {
    this.wake();
    await this.#looking.idle();
    while (this.#running.size > 0) {
      await Promise.all(this.#running);
      await this.#looking.idle();
    }
  }

  async renewLeases(): Promise<void> {
    if (this.#claims.size === 0) return;
    const until = this.options.clock.now() + leaseMilliseconds;
    await this.options.storage.write((transaction) => {
      const claims = this.#claims.values().map(({ delivery: { seq }, lease }) => ({ seq, former: lease, lease }));
      return store.setLeases(transaction, [...claims], until);
    });
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { storage, clock } = this.options;
    while (!signal.aborted && this.#claims.size < maxConcurrent) {
      const max = this.#busy.size + webhooksAtOnce;
      const due = await dueWebhooks(storage.reads, clock.now(), max);
      const free = due.filter(({ seq }) => this.#room(seq) > 0);
      if (free.length === 0) return;
      for (const { seq } of free) {
        const { claims, max } = await storage.write((transaction) => this.#claim(transaction, seq));
        // Without this, a webhook that fails while several attempts are in progress would repeatedly seem to have
        // capacity.
        const busy = this.#busy.get(seq);
        if (busy) busy.max = max;
        for (const claim of claims) this.#begin(claim);
      }
    }
  }

  #room(webhookSeq: number): number {
    const busy = this.#busy.get(webhookSeq);
    return busy ? busy.max - busy.count : maxPerWebhook;
  }

  /** Also returns the current maximum number of concurrent attempts of the webhook. */
  async #claim(transaction: WriteTransaction, webhookSeq: number): Promise<{ claims: Claim[]; max: number }> {
    const now = this.options.clock.now();
    const webhook = await lockWebhook(transaction, webhookSeq);
    const claims: Claim[] = [];
    if (!webhook) return { claims, max: 0 };
    if (webhook.is_enabled === 0) await store.failPending(transaction, webhookSeq, now, failedAtOnce);
    else {
      const room = Math.max(0, maxConcurrentTo(webhook) - (this.#busy.get(webhookSeq)?.count ?? 0));
      const until = now + leaseMilliseconds;
      const due = await store.dueDeliveries(transaction, webhookSeq, now, room);
      const bodies = await store.bodiesOf(
        transaction,
        due.map(({ message_seq }) => message_seq),
      );
      const leases = due.map((delivery) => {
        // A clock that jumped has ended the lease, but the attempt is still in progress. A requested retry has taken
        // the lease.
        const isOwn = delivery.lease !== null && this.#claims.get(delivery.seq)?.lease === delivery.lease;
        const lease = isOwn ? delivery.lease! : crypto.randomUUID();
        if (!isOwn) claims.push({ delivery, webhook, body: bodies.get(delivery.message_seq)!, lease });
        return { seq: delivery.seq, former: delivery.lease, lease };
      });
      await store.setLeases(transaction, leases, until);
    }
    await setNextDue(transaction, webhookSeq);
    return { claims, max: maxConcurrentTo(webhook) };
  }

  #begin(claim: Claim): void {
    const { delivery, webhook } = claim;
    const busy = this.#busy.get(webhook.seq) ?? { count: 0, max: maxPerWebhook };
    this.#busy.set(webhook.seq, { count: busy.count + 1, max: maxConcurrentTo(webhook) });
    this.#claims.set(delivery.seq, claim);
    const run = this.#attempt(claim)
      .catch((error) => this.options.log.warn("a webhook attempt was not recorded; it is repeated", { error }))
      .finally(() => {
        this.#running.delete(run);
        if (this.#claims.get(delivery.seq) === claim) this.#claims.delete(delivery.seq);
        this.#ended(webhook.seq);
        this.wake();
      });
    this.#running.add(run);
  }

  #ended(webhookSeq: number): void {
    const busy = this.#busy.get(webhookSeq)!;
    if (busy.count === 1) this.#busy.delete(webhookSeq);
    else busy.count -= 1;
  }

  async #attempt(claim: Claim): Promise<void> {
    const { storage, clock } = this.options;
    const startedOn = clock.now();
    const result = await this.#send(claim, startedOn);
    if (!this.#stopping.signal.aborted) this.options.onAttempt?.(isSuccessful(result));
    const now = clock.now();
    await storage.write(async (transaction) => {
      const { lease, delivery, webhook } = claim;
      if (this.#stopping.signal.aborted && result.status === undefined) {
        await wakeWebhooks(transaction, [webhook.seq], now);
        const released = { lease: null, due_on: now };
        await updateRows(transaction, "webhook_deliveries", { seq: delivery.seq, lease }, released);
      } else await finishDelivery(transaction, { ...claim, result, startedOn, now });
    });
  }

  async #send({ delivery, webhook, body }: Claim, startedOn: number): Promise<AttemptResult> {
    const { webhooks, sender } = this.options;
    const timestampSeconds = Math.floor(startedOn / 1000);
    try {
      const signature = signatures(webhooks.secretsAt(webhook, startedOn), delivery.message_id, timestampSeconds, body);
      const message = { url: webhook.url, id: delivery.message_id, timestampSeconds, signature, body };
      return await sender.send(message, this.#stopping.signal);
    } catch (error) {
      if (!(error instanceof MissingKey)) throw error;
      return {
        error: `not sent: the secret is encrypted with key ${error.keyName}, which this server does not have; rotate it`,
        durationMs: 0,
      };
    }
  }
}

function maxConcurrentTo(webhook: WebhookRow): number {
  return webhook.failing_since === null ? maxPerWebhook : 1;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delays after each failed attempt. When the last attempt fails, the delivery has failed. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** The delay until the next attempt of a delivery. Undefined if there is none after this number. */
function retryDelay(attempts: number): number | undefined {
  return delays[attempts - 1];
}

/** A webhook without a success for this long is disabled. */
const disabledAfterMilliseconds = 5 * 24 * hour;

interface FinishedAttempt {
  delivery: store.DeliveryRow;
  webhook: WebhookRow;
  lease: string;
  result: AttemptResult;
  startedOn: number;
  now: number;
}

/** The maximum number of stored attempts, the newest ones: requested retries can add any number. */
const keptAttempts = 50;

const gone = 410;

/**
 * Stores the result of an attempt: success, the next attempt, or the failure of the delivery. Does nothing if another
 * node has the lease.
 */
export async function finishDelivery(transaction: WriteTransaction, attempt: FinishedAttempt): Promise<void> {
  const { result, now } = attempt;
  const isSuccess = isSuccessful(result);
  // Locked before the delivery, like claims. A success does not lock the webhook, so that successes do not wait for
  // each other.
  const webhook = isSuccess ? undefined : await lockWebhook(transaction, attempt.webhook.seq);
  // Against a requested retry. Undefined if another node has the lease, or the delivery was deleted.
  const { delivery, lease } = attempt;
  const row = await lockRow(transaction, "webhook_deliveries", { seq: delivery.seq, lease });
  if (!row) return;
  const attempts = row.attempts + 1;
  const step = row.schedule_step + 1;
  await store.recordAttempt(transaction, attemptRow(attempt, attempts), keptAttempts);
  const delay = isSuccess || result.status === gone ? undefined : retryDelay(step);
  await transaction.update("webhook_deliveries", row.seq, {
    lease: null,
    status: isSuccess ? "succeeded" : delay === undefined ? "failed" : "pending",
    attempts,
    schedule_step: step,
    due_on: delay === undefined ? null : now + delay,
    finished_on: delay === undefined ? now : null,
  });
  if (isSuccess) await clearFailing(transaction, attempt.webhook.seq);
  else if (webhook) await failed(transaction, webhook, attempt);
}

async function failed(transaction: WriteTransaction, webhook: WebhookRow, attempt: FinishedAttempt): Promise<void> {
  const { result, startedOn, now } = attempt;
  const failingSince = webhook.failing_since ?? startedOn;
  const isLong = now - failingSince >= disabledAfterMilliseconds;
  const reason = result.status === gone ? "gone" : isLong ? "failing" : undefined;
  if (webhook.failing_since === null)
    await transaction.update("webhooks", webhook.seq, { failing_since: failingSince });
  if (reason === undefined || webhook.is_enabled === 0) {
    await setNextDue(transaction, webhook.seq);
    return;
  }
  const disabled = { is_enabled: 0, disabled_reason: reason, version: webhook.version + 1, updated_on: now };
  // Due now, so that the engine fails the pending deliveries.
  await transaction.update("webhooks", webhook.seq, { ...disabled, next_due_on: now });
  await recordDisabled(transaction, webhook, { ...webhook, ...disabled });
}

function attemptRow({ delivery, result, startedOn }: FinishedAttempt, number: number): store.AttemptRow {
  return {
    delivery_seq: delivery.seq,
    number,
    started_on: startedOn,
    duration_ms: result.durationMs,
    status: result.status ?? null,
    error: result.error ?? null,
    response: result.response ?? null,
  };
}

/** Whether the receiver accepted the message. */
export function isSuccessful({ status }: AttemptResult): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
