import type { z } from "zod";
import type { Act } from "../../../core/access.ts";
import { ensureRemovedAccount } from "../../../core/database/removed-account.ts";
import { existing, invalid, Problem, rejectingTaken } from "../../../core/problems/problem.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import { generateWebhookSecret } from "../../../lib/crypto/standard-webhooks.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { type EgressMode, isRejectedLiteral } from "../../../platform/egress/addresses.ts";
import { findRow, lockRow, pageOfRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { markMessagesRemoved, markWebhookRemoved } from "./removal.ts";
import type { webhookInput, webhookPatch } from "./schema.ts";
import type { WebhookRow } from "./store.ts";
import { recordWebhook } from "./webhook-changes.ts";

export type Webhook = WebhookRow;

export type WebhookInput = z.output<typeof webhookInput>;

type WebhookPatch = z.output<typeof webhookPatch>;

/**
 * The maximum number of webhooks of an account: each may hold connections that hang, at the expense of other
 * deliveries.
 */
const maxWebhooks = 50;

const sealPurpose = "webhook-secret";

export class Webhooks {
  constructor(
    private readonly keyring: Keyring,
    private readonly egress: EgressMode,
  ) {}

  list(reads: Reads, accountSeq: number, paging: Paging) {
    return pageOfRows(reads, "webhooks", { account_seq: accountSeq }, paging);
  }

  find(reads: Reads, accountSeq: number, idOrName: string): Promise<Webhook> {
    return existing(findRow(reads, "webhooks", addressOf(accountSeq, idOrName)), "webhook");
  }

  /** The secret is in the result, and is stored encrypted. */
  async create(transaction: WriteTransaction, act: Act, input: WebhookInput) {
    this.#checkAddress(input.url);
    await transaction.lock(`webhooks of ${act.account.id}`);
    const { total } = await this.list(transaction, act.account.seq, { limit: 1, offset: 0 });
    if (total >= maxWebhooks) throw new Problem("too_many_webhooks");
    const secret = generateWebhookSecret();
    const row = {
      id: newId("hook", act.now),
      account_seq: act.account.seq,
      name: input.name ?? null,
      url: input.url,
      events: JSON.stringify(input.events),
      description: input.description ?? null,
      is_enabled: input.isEnabled === false ? 0 : 1,
      disabled_reason: null,
      secret: this.keyring.seal(secret, sealPurpose),
      previous_secret: null,
      previous_until: null,
      failing_since: null,
      next_due_on: null,
      version: 1,
      created_on: act.now,
      updated_on: act.now,
    };
    const seq = await rejectingTaken("webhook_exists", transaction.insert("webhooks", row));
    const webhook = { seq, ...row };
    recordWebhook(transaction, act, "webhook.created", { after: webhook });
    return { webhook, secret };
  }

  async update(
    transaction: WriteTransaction,
    act: Act,
    id: string,
    patch: WebhookPatch,
    precondition: Precondition,
  ): Promise<Webhook> {
    const webhook = await this.findForUpdate(transaction, act, id);
    precondition(webhook);
    if (Object.values(patch).every((value) => value === undefined)) return webhook;
    if (patch.url !== undefined) this.#checkAddress(patch.url);
    const changed = {
      ...(patch.name === undefined ? {} : { name: patch.name }),
      ...(patch.url === undefined ? {} : { url: patch.url }),
      ...(patch.events === undefined ? {} : { events: JSON.stringify(patch.events) }),
      ...(patch.description === undefined ? {} : { description: patch.description }),
      ...(patch.isEnabled === undefined ? {} : enabledValues(webhook, patch.isEnabled, act.now)),
      version: webhook.version + 1,
      updated_on: act.now,
    };
    await rejectingTaken("webhook_exists", transaction.update("webhooks", webhook.seq, changed));
    const updated = { ...webhook, ...changed };
    recordWebhook(transaction, act, "webhook.updated", { before: webhook, after: updated });
    return updated;
  }

  /** Both secrets sign until the grace period ends; a third one, from an earlier rotation, no longer does. */
  async rotateSecret(transaction: WriteTransaction, act: Act, id: string, graceSeconds: number) {
    const webhook = await this.findForUpdate(transaction, act, id);
    const secret = generateWebhookSecret();
    const changed = {
      secret: this.keyring.seal(secret, sealPurpose),
      previous_secret: graceSeconds > 0 ? webhook.secret : null,
      previous_until: graceSeconds > 0 ? act.now + graceSeconds * 1000 : null,
      version: webhook.version + 1,
      updated_on: act.now,
    };
    await transaction.update("webhooks", webhook.seq, changed);
    const rotated = { ...webhook, ...changed };
    recordWebhook(transaction, act, "webhook.secret-rotated", { before: webhook, after: rotated });
    return { webhook: rotated, secret };
  }

  async delete(transaction: WriteTransaction, act: Act, id: string, precondition: Precondition): Promise<void> {
    const webhook = await this.findForUpdate(transaction, act, id);
    precondition(webhook);
    await ensureRemovedAccount(transaction, act.now);
    await markWebhookRemoved(transaction, "seq", webhook.seq);
    recordWebhook(transaction, act, "webhook.deleted", { before: webhook });
  }

  /** Returns the secrets that sign at a time, the newest first. Throws a MissingKey. */
  secretsAt(webhook: Pick<Webhook, "secret" | "previous_secret" | "previous_until">, now: number): string[] {
    const { secret, previous_secret, previous_until } = webhook;
    const isInGrace = previous_secret !== null && previous_until !== null && now < previous_until;
    const sealed = isInGrace ? [secret, previous_secret] : [secret];
    return sealed.map((each) => this.keyring.open(each, sealPurpose));
  }

  findForUpdate(transaction: WriteTransaction, { account }: Act, idOrName: string): Promise<Webhook> {
    return existing(lockRow(transaction, "webhooks", addressOf(account.seq, idOrName)), "webhook");
  }

  /** Rejects addresses that are invalid without a look-up. A name is resolved and checked with every attempt. */
  #checkAddress(url: string): void {
    if (isRejectedLiteral(this.egress, url))
      throw invalid("/url", "resolves to an address that this server may not reach (TOLLGATE_EGRESS)");
  }
}

/** No name begins like an id. */
const addressOf = (accountSeq: number, idOrName: string) => ({
  account_seq: accountSeq,
  ...(idOrName.startsWith("hook_") ? { id: idOrName } : { name: idOrName }),
});

/** Deletes the webhooks of an account. Their messages and deliveries are removed asynchronously, see removal.ts. */
export async function deleteWebhooksOf(transaction: WriteTransaction, act: Act): Promise<Record<string, number>> {
  await ensureRemovedAccount(transaction, act.now);
  await markMessagesRemoved(transaction, act.account.seq);
  return { webhooks: await markWebhookRemoved(transaction, "account_seq", act.account.seq) };
}

/**
 * Enabling resets the failures, so that old ones do not disable it again. Disabling makes the engine fail pending
 * deliveries.
 */
function enabledValues(webhook: Webhook, isEnabled: boolean, now: number) {
  if (isEnabled === (webhook.is_enabled === 1)) return {};
  return isEnabled
    ? { is_enabled: 1, disabled_reason: null, failing_since: null }
    : { is_enabled: 0, disabled_reason: null, next_due_on: now };
}
