import type { Selectable } from "kysely";
import { sql } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";

export type EntryRow = Selectable<Tables["audit_entries"]>;
export type ChainRow = Selectable<Tables["audit_chains"]>;
export type KeyRow = Selectable<Tables["audit_keys"]>;

export interface EntryFilter {
  action?: string | undefined;
  actor?: string | undefined;
  resource?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  before?: string | undefined;
}

/** An entry with the hash of the one before, null where that is trimmed. */
export type LinkedRow = EntryRow & { previous: string | null };

const previousHash = sql<string | null>`(SELECT earlier.hash FROM audit_entries AS earlier
  WHERE earlier.account_seq = audit_entries.account_seq AND earlier.number = audit_entries.number - 1)`;

/** The newest first. */
export async function listEntries(
  reads: Reads,
  accountSeq: number,
  { resource, ...filter }: EntryFilter,
  limit: number,
): Promise<LinkedRow[]> {
  if (resource === undefined) return select(reads, accountSeq, filter, limit);
  // Each by an index of its own, which one query with OR would not use.
  const columns = ["resource", "parent", "resource_type"] as const;
  const found = await Promise.all(
    columns.map((column) => select(reads, accountSeq, filter, limit, { column, value: resource })),
  );
  const byId = new Map(found.flat().map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
}

function select(
  reads: Reads,
  accountSeq: number,
  { action, actor, from, to, before }: Omit<EntryFilter, "resource">,
  limit: number,
  equal?: { column: "resource" | "parent" | "resource_type"; value: string },
): Promise<LinkedRow[]> {
  let query = reads.query
    .selectFrom("audit_entries")
    .selectAll()
    .select(previousHash.as("previous"))
    .where("account_seq", "=", accountSeq);
  if (equal) query = query.where(equal.column, "=", equal.value);
  if (action?.endsWith(".*")) {
    const prefix = action.slice(0, -1);
    query = query.where(sql`substr(action, 1, ${sql.lit(prefix.length)})`, "=", prefix);
  } else if (action !== undefined) query = query.where("action", "=", action);
  if (actor !== undefined) query = query.where("actor", "=", actor);
  if (from !== undefined) query = query.where("time", ">=", from);
  if (to !== undefined) query = query.where("time", "<", to);
  if (before !== undefined) query = query.where("id", "<", before);
  return query.orderBy("id", "desc").limit(limit).execute();
}

/** In the order of the chain, after that number. */
export function entriesAfter(reads: Reads, accountSeq: number, number: number, limit: number): Promise<EntryRow[]> {
  return reads.all("SELECT * FROM audit_entries WHERE account_seq = ? AND number > ? ORDER BY number LIMIT ?", [
    accountSeq,
    number,
    limit,
  ]);
}

/** Which of the ids between two are sealed. */
export async function sealedBetween(reads: Reads, accountSeq: number, from: string, to: string): Promise<Set<string>> {
  const query = "SELECT id FROM audit_entries WHERE account_seq = ? AND id >= ? AND id <= ?";
  return new Set((await reads.all<{ id: string }>(query, [accountSeq, from, to])).map(({ id }) => id));
}

export function findChain(reads: Reads, accountSeq: number): Promise<ChainRow | undefined> {
  return reads.one("SELECT * FROM audit_chains WHERE account_seq = ?", [accountSeq]);
}

const saved = ["account", "count", "hash", "sealed_on", "anchor", "anchor_hash", "oldest_on", "signed_count", "head"];
const upsertChain = `INSERT INTO audit_chains (account_seq, ${saved.join(", ")})
  VALUES (?, ${saved.map(() => "?").join(", ")})
  ON CONFLICT (account_seq) DO UPDATE SET ${saved.map((name) => `${name} = excluded.${name}`).join(", ")}`;

export async function saveChain(transaction: WriteTransaction, chain: ChainRow): Promise<void> {
  const values = saved.map((name) => chain[name as keyof ChainRow]);
  await transaction.run(upsertChain, [chain.account_seq, ...values]);
}

export function unsignedChains(reads: Reads, limit: number): Promise<ChainRow[]> {
  return reads.all("SELECT * FROM audit_chains WHERE count > signed_count ORDER BY account_seq LIMIT ?", [limit]);
}

export async function accountId(reads: Reads, seq: number): Promise<string | undefined> {
  return (await reads.one<{ id: string }>("SELECT id FROM accounts WHERE seq = ?", [seq]))?.id;
}

/** The chain whose oldest entry is the oldest, if that is too old. */
export function chainToTrim(transaction: WriteTransaction, olderThan: number): Promise<ChainRow | undefined> {
  return transaction.one("SELECT * FROM audit_chains WHERE oldest_on < ? ORDER BY oldest_on LIMIT 1", [olderThan]);
}

export async function deleteEntriesTo(
  transaction: WriteTransaction,
  accountSeq: number,
  number: number,
): Promise<void> {
  await transaction.run("DELETE FROM audit_entries WHERE account_seq = ? AND number <= ?", [accountSeq, number]);
}

/** The newest first. */
export function signingKeys(reads: Reads): Promise<KeyRow[]> {
  return reads.all("SELECT * FROM audit_keys ORDER BY created_on DESC, id", []);
}
