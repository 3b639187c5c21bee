import type { z } from "zod";
import type { Act, Caller } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, invalid, notFound } from "../../../core/problems/problem.ts";
import { generateSecret, hashToText, secretHash } from "../../../lib/crypto/secret-text.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { deleteRow, findRow, findRows, pageOfRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { presentToken } from "./present.ts";
import type { tokenInput } from "./schema.ts";
import * as store from "./store.ts";

export const tokenPrefix = "tgt";

/** The reserved name of the configured token. */
const configuredTokenName = "TOLLGATE_ADMIN_TOKEN";

type TokenInput = z.output<typeof tokenInput>;

export type Token = store.TokenRow;

export const listTokens = (reads: Reads, accountSeq: number, paging: Paging) =>
  pageOfRows(reads, "tokens", { account_seq: accountSeq }, paging);

export const findToken = (reads: Reads, accountSeq: number, id: string): Promise<Token> =>
  existing(findRow(reads, "tokens", { account_seq: accountSeq, id }), "token");

/** Whether a token is still valid. Storage is queried, so the result holds for all nodes. */
export async function isTokenValid(reads: Reads, { id, role, account }: Caller, now: number): Promise<boolean> {
  // The operator's token is valid as long as the process runs.
  if (role === "operator") return true;
  return account !== undefined && store.tokenExists(reads, account.seq, id, now);
}

/** The tokens that a person created in an account. */
export const tokensCreatedBy = (reads: Reads, accountSeq: number, personId: string) =>
  findRows(reads, "tokens", { account_seq: accountSeq, created_by: personId });

/** The value is only in the response; its hash is stored. */
export async function createToken(
  transaction: WriteTransaction,
  act: Act,
  input: TokenInput,
): Promise<{ token: Token; value: string }> {
  if (input.name === configuredTokenName) throw invalid("/name", "is reserved for the token in the configuration");
  const value = generateSecret(tokenPrefix);
  const row = tokenRow(act, input, value);
  const seq = await transaction.insert("tokens", row);
  recordCreated(transaction, act, row);
  return { token: { seq, ...row }, value };
}

export async function deleteToken(transaction: WriteTransaction, act: Act, id: string): Promise<void> {
  const token = await findToken(transaction, act.account.seq, id);
  if (!(await removeToken(transaction, act, token))) throw notFound("token");
}

/** The configured admin token replaces the one that was configured before. */
export async function adoptAdminToken(transaction: WriteTransaction, act: Act, value: string): Promise<void> {
  const row = tokenRow(act, { role: "admin", name: configuredTokenName }, value);
  const ofThatName = { account_seq: act.account.seq, name: configuredTokenName };
  for (const token of await findRows(transaction, "tokens", ofThatName)) {
    if (!row.hash.equals(token.hash)) await removeToken(transaction, act, token);
  }
  if (await store.insertTokenOnce(transaction, row)) recordCreated(transaction, act, row);
  const holder = await store.findCredential(transaction, row.hash);
  if (holder?.account_seq !== act.account.seq || holder.role !== "admin")
    throw new Error(
      `TOLLGATE_ADMIN_TOKEN is the value of another token (${holder?.id}: ${holder?.role} of account ` +
        `"${holder?.account_name}"), so it cannot be the admin token of "${act.account.name}". Set another value.`,
    );
}

/** Returns false if another transaction has deleted it, which has recorded that. */
export async function removeToken(transaction: WriteTransaction, act: Act, token: Token): Promise<boolean> {
  if (!(await deleteRow(transaction, "tokens", token.seq))) return false;
  const before = presentToken(token, undefined);
  recordChange(transaction, act, "token.deleted", { ...named(token), before }, { hash: hashToText(token.hash) });
  return true;
}

function recordCreated(transaction: WriteTransaction, act: Act, token: Omit<Token, "seq">): void {
  recordChange(transaction, act, "token.created", { ...named(token), after: presentToken(token, undefined) });
}

function named({ id, name }: { id: string; name: string | null }) {
  return { type: "token", id, name: name ?? undefined };
}

export function tokenRow(act: Act, input: TokenInput, value: string) {
  return {
    id: newId("tokn", act.now),
    account_seq: act.account.seq,
    role: input.role,
    name: input.name ?? null,
    hash: secretHash(value),
    expires_on: input.expiresOn ?? null,
    last_used_on: null,
    created_on: act.now,
    created_by: act.actorType === "person" ? act.actor : null,
    trusted_issuer_seq: null as number | null,
    scope: null as string | null,
  };
}
