import type { WriteTransaction } from "../../platform/storage/storage.ts";
import type { WebhookRow } from "./store.ts";

/** The server itself disabled it. */
export function recordDisabled(transaction: WriteTransaction, webhook: WebhookRow): void {
  transaction.record({
    accountSeq: webhook.account_seq,
    actor: "system",
    kind: "webhook.disabled",
    subject: webhook.id,
    data: undefined,
  });
}
