import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { generateSecret } from "../../../lib/crypto/secret-text.ts";
import { removeRows } from "../../../platform/storage/removal.ts";
import { findRows } from "../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type ExchangedScope, exchangedRole } from "./exchanged-scope.ts";
import { presentToken } from "./present.ts";
import { removeToken, type Token, tokenPrefix, tokenRow } from "./tokens.ts";

export const exchangedMilliseconds = 15 * 60 * 1000;

/** Expired tokens are kept for an hour, so that their use is rejected as expired and not as unknown. */
const keptMilliseconds = 60 * 60 * 1000;

interface ExchangeInput {
  /** The subject of the token that it was exchanged for. */
  subject: string;
  trustedIssuerSeq: number;
  scope: ExchangedScope;
}

/** Creates a token that is valid for 15 minutes. It is the actor of its own creation. */
export async function createExchangedToken(
  transaction: WriteTransaction,
  act: Act,
  { subject, trustedIssuerSeq, scope }: ExchangeInput,
): Promise<{ token: Token; value: string }> {
  const value = generateSecret(tokenPrefix);
  const row = {
    ...tokenRow(
      act,
      { role: scope.role, name: subject.slice(0, 128), expiresOn: act.now + exchangedMilliseconds },
      value,
    ),
    role: exchangedRole,
    trusted_issuer_seq: trustedIssuerSeq,
    scope: JSON.stringify(scope),
  };
  const seq = await transaction.insert("tokens", row);
  const by: Act = { ...act, actor: row.id, actorType: "token", actorName: row.name! };
  const resource = { type: "token", id: row.id, name: row.name!, after: presentToken(row, undefined) };
  recordChange(transaction, by, "token.exchanged", resource);
  return { token: { seq, ...row }, value };
}

/** Deletes the tokens that were exchanged for those of a trusted issuer. They stop working immediately. */
export async function deleteExchangedTokens(transaction: WriteTransaction, act: Act, trustedIssuerSeq: number) {
  for (const token of await findRows(transaction, "tokens", { trusted_issuer_seq: trustedIssuerSeq }))
    if (act.now < token.expires_on!) await removeToken(transaction, act, token);
}

export function removeExpiredTokens(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const isOld = "trusted_issuer_seq IS NOT NULL AND expires_on < ?";
  return removeRows(storage, "tokens", isOld, [now - keptMilliseconds], { signal });
}
