import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import { lockRow } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { presentAccount } from "./present.ts";
import * as store from "./store.ts";

export { accountNameOf, findAccount as findAccountIn, listAccounts } from "./store.ts";

type Account = store.AccountRow;

/** The actor that creates an account. */
type Creator = Omit<Act, "account">;

export const findAccount = (reads: Reads, name: string): Promise<Account> =>
  existing(store.findAccount(reads, name), "account");

export async function createAccount(transaction: WriteTransaction, by: Creator, name: string): Promise<Account> {
  if (!(await createAccountOnce(transaction, by, name))) throw new Problem("account_exists");
  return findAccount(transaction, name);
}

/** Returns false if the account already exists. */
export async function createAccountOnce(transaction: WriteTransaction, by: Creator, name: string): Promise<boolean> {
  const row = { id: newId("acct", by.now), name, version: 1, created_on: by.now, updated_on: by.now };
  const seq = await store.insertAccountOnce(transaction, row);
  if (seq === undefined) return false;
  const act = { ...by, account: { seq, id: row.id, name } };
  recordChange(transaction, act, "account.created", { ...named(row), after: presentAccount(row) });
  return true;
}

function named({ id, name }: { id: string; name: string }) {
  return { type: "account", id, name };
}

/** Removes the resources of a deleted account in one area, and returns their numbers. */
export type AccountCleanup = (transaction: WriteTransaction, act: Act) => Promise<Record<string, number>>;

export async function deleteAccount(
  transaction: WriteTransaction,
  act: Act,
  cleanups: AccountCleanup[],
  precondition: Precondition,
): Promise<void> {
  const { account } = act;
  const current = await existing(lockRow(transaction, "accounts", { seq: account.seq }), "account");
  precondition(current);
  const before = presentAccount(current);
  const counts: Record<string, number> = {};
  for (const cleanup of cleanups) Object.assign(counts, await cleanup(transaction, act));
  await transaction.delete("accounts", account.seq);
  recordChange(transaction, act, "account.deleted", { ...named(account), before, counts }, { name: account.name });
}
