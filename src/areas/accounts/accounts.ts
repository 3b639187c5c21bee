import type { Act } from "../../core/access/access.ts";
import { recordChange } from "../../core/changes/record.ts";
import { notFound, Problem } from "../../core/problems/problem.ts";
import { newId } from "../../lib/ids.ts";
import type { Paging } from "../../lib/paging.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import * as store from "./store.ts";

export type Account = store.AccountRow;

export const listAccounts = (reads: Reads, paging: Paging) => store.listAccounts(reads, paging);

export async function findAccount(reads: Reads, name: string): Promise<Account> {
  const account = await store.findAccount(reads, name);
  if (!account) throw notFound("account");
  return account;
}

export async function createAccount(
  transaction: WriteTransaction,
  actor: string,
  name: string,
  now: number,
): Promise<Account> {
  if (!(await createAccountOnce(transaction, actor, name, now))) throw new Problem("account_exists");
  return findAccount(transaction, name);
}

/** False if there was one already. */
export async function createAccountOnce(
  transaction: WriteTransaction,
  actor: string,
  name: string,
  now: number,
): Promise<boolean> {
  const row = { id: newId("acct", now), name, version: 1, created_on: now, updated_on: now };
  if (!(await store.insertAccountOnce(transaction, row))) return false;
  transaction.record({ accountSeq: null, actor, kind: "account.created", subject: row.id, data: undefined });
  return true;
}

/** Removes what an area holds for an account that goes away. */
export type AccountCleanup = (transaction: WriteTransaction, act: Act) => Promise<void>;

export async function deleteAccount(
  transaction: WriteTransaction,
  act: Act,
  cleanups: AccountCleanup[],
): Promise<void> {
  const { account } = act;
  for (const cleanup of cleanups) await cleanup(transaction, act);
  await store.deleteAccount(transaction, account.seq);
  recordChange(transaction, act, "account.deleted", account.id, { name: account.name });
}
