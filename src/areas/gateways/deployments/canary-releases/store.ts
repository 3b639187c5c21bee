import type { Insertable } from "kysely";
import { deleteRows } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf, Tables } from "../../../../platform/storage/tables.ts";
import type { WindowCounts } from "./abort-rule.ts";

export type CanaryRow = RowOf<"deployment_canaries">;

/** Replaces the last release and its counts. */
export async function insertCanary(
  transaction: WriteTransaction,
  row: Insertable<Tables["deployment_canaries"]>,
): Promise<void> {
  await deleteRows(transaction, "canary_counts", { deployment_seq: row.deployment_seq });
  await deleteRows(transaction, "deployment_canaries", { deployment_seq: row.deployment_seq });
  await transaction.insertAll("deployment_canaries", [row]);
}

/** The name, account and live version of a deployment, by which an abort finds it. */
interface DeploymentOfCanary {
  name: string;
  account_seq: number;
  account_id: string;
  account_name: string;
}

export function findDeploymentOfCanary(reads: Reads, deploymentSeq: number): Promise<DeploymentOfCanary | undefined> {
  return reads.one(
    `SELECT deployments.name, deployments.account_seq, accounts.id AS account_id, accounts.name AS account_name
    FROM deployments JOIN accounts ON accounts.seq = deployments.account_seq WHERE deployments.seq = ?`,
    [deploymentSeq],
  );
}

/** The counts of the canary, or of the live version, from a second on. */
export async function windowCounts(
  reads: Reads,
  deploymentSeq: number,
  isCanary: 0 | 1,
  from: number,
): Promise<WindowCounts> {
  const row = await reads.one<{ requests: number | string | null; errors: number | string | null }>(
    "SELECT sum(requests) AS requests, sum(errors) AS errors FROM canary_counts WHERE deployment_seq = ? AND is_canary = ? AND second >= ?",
    [deploymentSeq, isCanary, from],
  );
  return { requests: Number(row?.requests ?? 0), errors: Number(row?.errors ?? 0) };
}

export type VersionTotalRow = Pick<RowOf<"canary_counts">, "is_canary" | "requests" | "errors" | "latency">;

/** The total of each version. */
export function versionTotals(reads: Reads, deploymentSeq: number): Promise<VersionTotalRow[]> {
  return reads.all(
    "SELECT is_canary, requests, errors, latency FROM canary_counts WHERE deployment_seq = ? AND second = 0",
    [deploymentSeq],
  );
}

export async function addSecond(
  transaction: WriteTransaction,
  { deployment_seq, is_canary, second, requests, errors }: Omit<Insertable<Tables["canary_counts"]>, "latency">,
): Promise<void> {
  await transaction.run(
    `INSERT INTO canary_counts (deployment_seq, is_canary, second, requests, errors) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (deployment_seq, is_canary, second) DO UPDATE SET
      requests = canary_counts.requests + excluded.requests, errors = canary_counts.errors + excluded.errors`,
    [deployment_seq, is_canary, second, requests, errors],
  );
}

export async function saveTotal(
  transaction: WriteTransaction,
  { deployment_seq, is_canary, requests, errors, latency }: Omit<Insertable<Tables["canary_counts"]>, "second">,
): Promise<void> {
  await transaction.run(
    `INSERT INTO canary_counts (deployment_seq, is_canary, second, requests, errors, latency) VALUES (?, ?, 0, ?, ?, ?)
    ON CONFLICT (deployment_seq, is_canary, second) DO UPDATE SET
      requests = excluded.requests, errors = excluded.errors, latency = excluded.latency`,
    [deployment_seq, is_canary, requests, errors, latency],
  );
}

/** Removes the seconds before one; the total stays. */
export async function removeSeconds(transaction: WriteTransaction, deploymentSeq: number, before: number) {
  await transaction.run("DELETE FROM canary_counts WHERE deployment_seq = ? AND second > 0 AND second < ?", [
    deploymentSeq,
    before,
  ]);
}
