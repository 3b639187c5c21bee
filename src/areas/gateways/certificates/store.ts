import { hasRows, lockRow, updateRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type CertificateRow = RowOf<"certificates">;

/** The columns that a node compares with its loaded certificates. */
type CertificateState = Pick<CertificateRow, "host" | "issued_on" | "error">;

export function allStates(reads: Reads): Promise<CertificateState[]> {
  return reads.all("SELECT host, issued_on, error FROM certificates", []);
}

export async function addHosts(transaction: WriteTransaction, hosts: string[], now: number): Promise<void> {
  const rows = hosts.map((host) => ({ host, due_on: now, failures: 0 }));
  await transaction.insertNew("certificates", rows, ["host"]);
}

const isDue = "due_on <= ? AND (lease_ends_on IS NULL OR lease_ends_on <= ?)";

export const hasDueCertificate = (reads: Reads, now: number): Promise<boolean> =>
  hasRows(reads, `FROM certificates WHERE ${isDue}`, [now, now]);

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
  const leased = { lease: lease.id, lease_ends_on: lease.endsOn };
  await updateRows(transaction, "certificates", { host: row.host }, leased);
  return row;
}

/**
 * Whether this node still has the lease: another node may have taken over, or the host no longer needs a certificate.
 */
async function holds(transaction: WriteTransaction, host: string, lease: string): Promise<boolean> {
  return (await lockRow(transaction, "certificates", { host }))?.lease === lease;
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

export async function releaseAllCertificates(transaction: WriteTransaction): Promise<void> {
  await transaction.run("UPDATE certificates SET lease = NULL, lease_ends_on = NULL", []);
}

export async function deleteChallengesBefore(transaction: WriteTransaction, time: number): Promise<void> {
  await transaction.run("DELETE FROM acme_challenges WHERE created_on < ?", [time]);
}
