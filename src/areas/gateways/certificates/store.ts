import { forUpdate } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type CertificateRow = RowOf<"certificates">;

/** The columns that a node compares with its loaded certificates. */
type CertificateState = Pick<CertificateRow, "host" | "issued_on" | "error">;

export function allStates(reads: Reads): Promise<CertificateState[]> {
  return reads.all("SELECT host, issued_on, error FROM certificates", []);
}

export function findCertificate(reads: Reads, host: string): Promise<CertificateRow | undefined> {
  return reads.one("SELECT * FROM certificates WHERE host = ?", [host]);
}

export async function addHosts(transaction: WriteTransaction, hosts: string[], now: number): Promise<void> {
  const rows = hosts.map((host) => ({ host, due_on: now, failures: 0 }));
  await transaction.insertNew("certificates", rows, ["host"]);
}

/** Makes the certificate due immediately. */
export async function removeCertificate(transaction: WriteTransaction, host: string): Promise<void> {
  await transaction.run(
    "UPDATE certificates SET chain = NULL, private_key = NULL, issued_on = NULL, due_on = 0 WHERE host = ?",
    [host],
  );
}

export async function deleteHost(transaction: WriteTransaction, host: string): Promise<void> {
  await transaction.run("DELETE FROM certificates WHERE host = ?", [host]);
}

const isDue = "due_on <= ? AND (lease_ends_on IS NULL OR lease_ends_on <= ?)";

export async function hasDueCertificate(reads: Reads, now: number): Promise<boolean> {
  return (await reads.one(`SELECT 1 AS found FROM certificates WHERE ${isDue} LIMIT 1`, [now, now])) !== undefined;
}

/** Claims the certificate that has been due longest, with a lease. */
export async function claimDue(
  transaction: WriteTransaction,
  lease: { id: string; endsOn: number },
  now: number,
): Promise<CertificateRow | undefined> {
  await transaction.lock("certificate orders");
  const query = `SELECT * FROM certificates WHERE ${isDue} ORDER BY due_on, host LIMIT 1`;
  const row = await transaction.one<CertificateRow>(query, [now, now]);
  if (!row) return undefined;
  await transaction.run("UPDATE certificates SET lease = ?, lease_ends_on = ? WHERE host = ?", [
    lease.id,
    lease.endsOn,
    row.host,
  ]);
  return row;
}

/**
 * Whether this node still has the lease: another node may have taken over, or the host no longer needs a certificate.
 */
async function holds(transaction: WriteTransaction, host: string, lease: string): Promise<boolean> {
  const query = "SELECT lease FROM certificates WHERE host = ?";
  return (await transaction.one<{ lease: string | null }>(forUpdate(transaction, query), [host]))?.lease === lease;
}

export interface Issued {
  chain: string;
  privateKey: Uint8Array;
  issuedOn: number;
  dueOn: number;
}

/** Returns false if the lease was lost. */
export async function saveIssued(
  transaction: WriteTransaction,
  host: string,
  lease: string,
  { chain, privateKey, issuedOn, dueOn }: Issued,
): Promise<boolean> {
  if (!(await holds(transaction, host, lease))) return false;
  await transaction.run(
    `UPDATE certificates SET chain = ?, private_key = ?, issued_on = ?, due_on = ?, failures = 0, error = NULL,
      lease = NULL, lease_ends_on = NULL WHERE host = ?`,
    [chain, privateKey, issuedOn, dueOn, host],
  );
  return true;
}

/** Returns false if the lease was lost. */
export async function saveFailure(
  transaction: WriteTransaction,
  host: string,
  lease: string,
  { error, dueOn }: { error: string; dueOn: number },
): Promise<boolean> {
  if (!(await holds(transaction, host, lease))) return false;
  await transaction.run(
    `UPDATE certificates SET failures = failures + 1, error = ?, due_on = ?, lease = NULL, lease_ends_on = NULL
      WHERE host = ?`,
    [error, dueOn, host],
  );
  return true;
}

/** Releases an order that was not finished, so that any node may claim it. */
export async function releaseCertificateLease(transaction: WriteTransaction, lease: string): Promise<void> {
  await transaction.run("UPDATE certificates SET lease = NULL, lease_ends_on = NULL WHERE lease = ?", [lease]);
}

export async function releaseAllCertificates(transaction: WriteTransaction): Promise<void> {
  await transaction.run("UPDATE certificates SET lease = NULL, lease_ends_on = NULL", []);
}

export function findAcmeAccount(reads: Reads, directory: string): Promise<{ private_key: Uint8Array } | undefined> {
  return reads.one("SELECT private_key FROM acme_accounts WHERE directory = ?", [directory]);
}

export async function replaceAccount(
  transaction: WriteTransaction,
  row: { directory: string; private_key: Uint8Array; created_on: number },
): Promise<void> {
  await transaction.run("DELETE FROM acme_accounts WHERE directory = ?", [row.directory]);
  await transaction.insertAll("acme_accounts", [row]);
}

export async function findChallenge(reads: Reads, token: string): Promise<string | undefined> {
  const row = await reads.one<{ key_authorization: string }>(
    "SELECT key_authorization FROM acme_challenges WHERE token = ?",
    [token],
  );
  return row?.key_authorization;
}

export async function addChallenge(
  transaction: WriteTransaction,
  row: { token: string; key_authorization: string; created_on: number },
): Promise<void> {
  await transaction.insertNew("acme_challenges", [row], ["token"]);
}

export async function deleteChallenge(transaction: WriteTransaction, token: string): Promise<void> {
  await transaction.run("DELETE FROM acme_challenges WHERE token = ?", [token]);
}

export async function deleteChallengesBefore(transaction: WriteTransaction, time: number): Promise<void> {
  await transaction.run("DELETE FROM acme_challenges WHERE created_on < ?", [time]);
}
