import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { presentWebhook } from "./present.ts";
import type { WebhookRow } from "./store.ts";

type Row = Omit<WebhookRow, "seq">;
type Kind = "webhook.created" | "webhook.updated" | "webhook.secret-rotated" | "webhook.disabled" | "webhook.deleted";

export function recordWebhook(
  transaction: WriteTransaction,
  act: Act,
  kind: Kind,
  { before, after }: { before?: Row; after?: Row },
): void {
  const { id, name, url } = (after ?? before)!;
  recordChange(transaction, act, kind, {
    type: "webhook",
    id,
    name: name ?? url,
    before: before && presentWebhook(before),
    after: after && presentWebhook(after),
    // Actions have the format of event types.
    ...(kind === "webhook.secret-rotated" ? { action: "webhook.secret_rotated", changed: ["/secret"] } : {}),
  });
}

/** Deliveries that were requested by a client. */
export function recordSending(
  transaction: WriteTransaction,
  act: Act,
  kind: "webhook.tested" | "webhook.retried" | "webhook.replayed",
  { id, name, url }: Row,
  counts?: Record<string, number>,
): void {
  recordChange(transaction, act, kind, { type: "webhook", id, name: name ?? url, counts });
}

/** The server itself disabled it. */
export async function recordDisabled(
  transaction: WriteTransaction,
  before: WebhookRow,
  after: WebhookRow,
): Promise<void> {
  const account = await findRow(transaction, "accounts", { seq: before.account_seq });
  if (!account) return;
  const act: Act = { account, actor: "system", actorType: "system", now: after.updated_on };
  recordWebhook(transaction, act, "webhook.disabled", { before, after });
}
