import type { CustomDomain } from "../../../core/hosts/custom-domains.ts";
import type { Paging } from "../../../lib/paging.ts";
import { countOf, forUpdate, pageOf } from "../../../platform/storage/query.ts";
import { hasRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";
import { mountsOf } from "./mounts.ts";

type StoredDomain = RowOf<"domains"> & { account_id: string; account_name: string };

/** A deployment that does not exist. `path` is that of its mount. */
interface MissingDeployment {
  path?: string;
  deploymentName: string;
}

export type DomainRow = StoredDomain & { missing: MissingDeployment[] };

// Subqueries instead of joins, because a lock must apply to the row of the domain only.
const domains = `SELECT domains.*,
    (SELECT accounts.id FROM accounts WHERE accounts.seq = domains.account_seq) AS account_id,
    (SELECT accounts.name FROM accounts WHERE accounts.seq = domains.account_seq) AS account_name
  FROM domains`;

const ofAccount = "FROM domains WHERE account_seq = ?";

export async function listDomains(reads: Reads, accountSeq: number, paging: Paging) {
  const query = `${domains} WHERE account_seq = ? ORDER BY seq`;
  const { data, total } = await pageOf<StoredDomain>(reads, query, ofAccount, [accountSeq], paging);
  return { data: await withMissing(reads, data), total };
}

export function countDomains(reads: Reads, accountSeq: number): Promise<number> {
  return countOf(reads, ofAccount, [accountSeq]);
}

export function findDomain(reads: Reads, accountSeq: number, id: string): Promise<DomainRow | undefined> {
  return oneDomain(reads, `${domains} WHERE account_seq = ? AND id = ?`, [accountSeq, id]);
}

export function findDomainForUpdate(transaction: WriteTransaction, accountSeq: number, id: string) {
  const query = `${domains} WHERE account_seq = ? AND id = ?`;
  return oneDomain(transaction, forUpdate(transaction, query), [accountSeq, id]);
}

export function lockDomain(transaction: WriteTransaction, seq: number): Promise<DomainRow | undefined> {
  return oneDomain(transaction, forUpdate(transaction, `${domains} WHERE seq = ?`), [seq]);
}

/** Whether the account has proven that the host is its own. */
export const ownsHost = (reads: Reads, accountSeq: number, host: string): Promise<boolean> =>
  hasRows(reads, "FROM domains WHERE account_seq = ? AND host = ? AND status <> 'pending'", [accountSeq, host]);

/** Returns the domain whose requests to a host are routed. */
export function lockOwner(transaction: WriteTransaction, host: string): Promise<DomainRow | undefined> {
  return oneDomain(transaction, forUpdate(transaction, `${domains} WHERE host = ? AND status <> 'pending'`), [host]);
}

async function oneDomain(reads: Reads, sql: string, values: (string | number)[]): Promise<DomainRow | undefined> {
  const row = await reads.one<StoredDomain>(sql, values);
  return row && (await withMissing(reads, [row]))[0];
}

/** Adds the deployments that do not exist. All rows belong to one account. */
async function withMissing(reads: Reads, rows: StoredDomain[]): Promise<DomainRow[]> {
  if (rows.length === 0) return [];
  const wanted = rows.map((row) => mountsOf(row) ?? [{ deploymentName: row.deployment_name }]);
  const names = [...new Set(wanted.flat().map(({ deploymentName }) => deploymentName))];
  const existing = new Set<string>();
  for (let from = 0; from < names.length; from += maxNames) {
    const some = names.slice(from, from + maxNames);
    const sql = `SELECT name FROM deployments WHERE account_seq = ? AND name IN (${some.map(() => "?").join(", ")})`;
    for (const { name } of await reads.all<{ name: string }>(sql, [rows[0]!.account_seq, ...some])) existing.add(name);
  }
  return rows.map((row, index) => ({
    ...row,
    missing: wanted[index]!.filter(({ deploymentName }) => !existing.has(deploymentName)),
  }));
}

/** The maximum number of names in one query: 100 domains may have 50 mounts each. */
const maxNames = 500;

export function ownedDomains(
  reads: Reads,
): Promise<(Omit<CustomDomain, "mounts"> & { id: string; mounts: string | null })[]> {
  return reads.all(
    `SELECT id, host, account_seq AS "accountSeq", deployment_name AS "deploymentName", mounts FROM domains
      WHERE status <> 'pending'`,
    [],
  );
}

export function deleteDomainsOf(transaction: WriteTransaction, accountSeq: number) {
  const sql = "DELETE FROM domains WHERE account_seq = ? RETURNING id, host";
  return transaction.all<{ id: string; host: string }>(sql, [accountSeq]);
}

export function dueDomains(reads: Reads, now: number, max: number): Promise<{ seq: number }[]> {
  return reads.all("SELECT seq FROM domains WHERE next_check_on <= ? ORDER BY next_check_on LIMIT ?", [now, max]);
}
