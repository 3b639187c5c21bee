import type { Insertable, Selectable, Updateable } from "kysely";
import type { CustomDomain } from "../../core/hosts/custom-domains.ts";
import type { Paging } from "../../lib/paging.ts";
import { forUpdate } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";

export type DomainRow = Selectable<Tables["domains"]> & {
  account_id: string;
  account_name: string;
  is_deployed: number;
};

// Subqueries instead of joins, because a lock must apply to the row of the domain only.
const domains = `SELECT domains.*,
    (SELECT accounts.id FROM accounts WHERE accounts.seq = domains.account_seq) AS account_id,
    (SELECT accounts.name FROM accounts WHERE accounts.seq = domains.account_seq) AS account_name,
    CASE WHEN EXISTS (
      SELECT 1 FROM deployments
      WHERE deployments.account_seq = domains.account_seq AND deployments.name = domains.deployment_name
    ) THEN 1 ELSE 0 END AS is_deployed
  FROM domains`;

export async function listDomains(reads: Reads, accountSeq: number, { limit, offset }: Paging) {
  const data = await reads.all<DomainRow>(`${domains} WHERE account_seq = ? ORDER BY seq LIMIT ? OFFSET ?`, [
    accountSeq,
    limit,
    offset,
  ]);
  return { data, total: await countDomains(reads, accountSeq) };
}

export async function countDomains(reads: Reads, accountSeq: number): Promise<number> {
  const row = await reads.one<{ total: number }>("SELECT count(*) AS total FROM domains WHERE account_seq = ?", [
    accountSeq,
  ]);
  return row!.total;
}

export function findDomain(reads: Reads, accountSeq: number, id: string): Promise<DomainRow | undefined> {
  return reads.one(`${domains} WHERE account_seq = ? AND id = ?`, [accountSeq, id]);
}

export function findDomainForUpdate(transaction: WriteTransaction, accountSeq: number, id: string) {
  const query = `${domains} WHERE account_seq = ? AND id = ?`;
  return transaction.one<DomainRow>(forUpdate(transaction, query), [accountSeq, id]);
}

export function lockDomain(transaction: WriteTransaction, seq: number): Promise<DomainRow | undefined> {
  return transaction.one(forUpdate(transaction, `${domains} WHERE seq = ?`), [seq]);
}

export async function hasHost(reads: Reads, accountSeq: number, host: string): Promise<boolean> {
  const sql = "SELECT 1 AS found FROM domains WHERE account_seq = ? AND host = ?";
  return (await reads.one(sql, [accountSeq, host])) !== undefined;
}

/** Returns the domain whose requests to a host are routed. */
export function lockOwner(transaction: WriteTransaction, host: string): Promise<DomainRow | undefined> {
  return transaction.one(forUpdate(transaction, `${domains} WHERE host = ? AND status <> 'pending'`), [host]);
}

export function ownedDomains(reads: Reads): Promise<(CustomDomain & { id: string })[]> {
  return reads.all(
    `SELECT id, host, account_seq AS "accountSeq", deployment_name AS "deploymentName" FROM domains
      WHERE status <> 'pending'`,
    [],
  );
}

export async function insertDomain(transaction: WriteTransaction, row: Insertable<Tables["domains"]>): Promise<void> {
  await transaction.insert("domains", row);
}

export async function updateDomain(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["domains"]>,
): Promise<void> {
  await transaction.query.updateTable("domains").set(values).where("seq", "=", seq).execute();
}

export async function deleteDomain(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM domains WHERE seq = ?", [seq]);
}

export function deleteDomainsOf(transaction: WriteTransaction, accountSeq: number) {
  const sql = "DELETE FROM domains WHERE account_seq = ? RETURNING id, host";
  return transaction.all<{ id: string; host: string }>(sql, [accountSeq]);
}

export function dueDomains(reads: Reads, now: number, most: number): Promise<{ seq: number }[]> {
  return reads.all("SELECT seq FROM domains WHERE next_check_on <= ? ORDER BY next_check_on LIMIT ?", [now, most]);
}
