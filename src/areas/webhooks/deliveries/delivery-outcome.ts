import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { clearFailing, lockWebhook, setNextDue, updateWebhook, type WebhookRow } from "../store.ts";
import { recordDisabled } from "../webhook-changes.ts";
import * as store from "./delivery-store.ts";
import type { AttemptResult } from "./sender.ts";

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
  const row = await store.lockLeased(transaction, attempt.delivery.seq, attempt.lease);
  if (!row) return;
  const attempts = row.attempts + 1;
  const step = row.schedule_step + 1;
  await store.recordAttempt(transaction, attemptRow(attempt, attempts), keptAttempts);
  const delay = isSuccess || result.status === gone ? undefined : retryDelay(step);
  await store.finishDeliveryAttempt(transaction, {
    seq: row.seq,
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
  if (webhook.failing_since === null) await updateWebhook(transaction, webhook.seq, { failing_since: failingSince });
  if (reason === undefined || webhook.is_enabled === 0) {
    await setNextDue(transaction, webhook.seq);
    return;
  }
  const disabled = { is_enabled: 0, disabled_reason: reason, version: webhook.version + 1, updated_on: now };
  // Due now, so that the engine fails the pending deliveries.
  await updateWebhook(transaction, webhook.seq, { ...disabled, next_due_on: now });
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
