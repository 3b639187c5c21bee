import type { Insertable } from "kysely";
import { defaultProductionBranch } from "../../../core/artifact/environments.ts";
import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import type { Paging } from "../../../lib/paging.ts";
import { forUpdate, pageOf } from "../../../platform/storage/query.ts";
import { deleteRows, findRow, hasRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ChangesOf, RowOf, Tables } from "../../../platform/storage/tables.ts";
import { removeOldestLines } from "./logs/log-store.ts";

/** Includes whether a build is queued or running, which the state shows. */
export type DeploymentRow = RowOf<"deployments"> & {
  is_building: number;
  /** The production branch of its project. Null for the default. */
  production_branch: string | null;
  /** The number of the version that serves. Null if none does. */
  active_version: number | null;
};

const deploymentColumns = `deployments.*, CASE WHEN EXISTS (
  SELECT 1 FROM deployment_builds
  WHERE deployment_seq = deployments.seq AND state IN ('queued', 'running')
) THEN 1 ELSE 0 END AS is_building, (
  SELECT production_branches.branch FROM production_branches
  WHERE production_branches.account_seq = deployments.account_seq AND production_branches.project = deployments.project
) AS production_branch, (
  SELECT deployment_versions.number FROM deployment_versions WHERE deployment_versions.seq = deployments.active_version_seq
) AS active_version`;

export function findDeployment(reads: Reads, accountSeq: number, name: string): Promise<DeploymentRow | undefined> {
  return reads.one(`SELECT ${deploymentColumns} FROM deployments WHERE account_seq = ? AND name = ?`, [
    accountSeq,
    name,
  ]);
}

export function findDeploymentBySeq(reads: Reads, seq: number): Promise<DeploymentRow | undefined> {
  return reads.one(`SELECT ${deploymentColumns} FROM deployments WHERE seq = ? AND account_seq <> ?`, [
    seq,
    removedAccountSeq,
  ]);
}

export const deploymentExists = (reads: Reads, seq: number): Promise<boolean> =>
  hasRows(reads, "FROM deployments WHERE seq = ? AND account_seq <> ?", [seq, removedAccountSeq]);

export function findDeploymentForUpdate(transaction: WriteTransaction, accountSeq: number, name: string) {
  const query = `SELECT ${deploymentColumns} FROM deployments WHERE account_seq = ? AND name = ?`;
  return transaction.one<DeploymentRow>(forUpdate(transaction, query), [accountSeq, name]);
}

export function findBranchForUpdate(
  transaction: WriteTransaction,
  accountSeq: number,
  project: string,
  branch: string,
): Promise<DeploymentRow | undefined> {
  const query = `SELECT ${deploymentColumns} FROM deployments WHERE account_seq = ? AND project = ? AND branch = ?`;
  return transaction.one(forUpdate(transaction, query), [accountSeq, project, branch]);
}

export function listDeployments(reads: Reads, accountSeq: number, project: string): Promise<DeploymentRow[]> {
  return reads.all(`SELECT ${deploymentColumns} FROM deployments WHERE account_seq = ? AND project = ? ORDER BY seq`, [
    accountSeq,
    project,
  ]);
}

/** Returns the names of all deployments of their project's production branch, in every account. */
export async function liveProductionNames(reads: Reads): Promise<string[]> {
  const rows = await reads.all<{ name: string }>(
    `SELECT deployments.name FROM deployments
      LEFT JOIN production_branches ON production_branches.account_seq = deployments.account_seq
        AND production_branches.project = deployments.project
      WHERE deployments.active_version_seq IS NOT NULL AND deployments.branch = COALESCE(production_branches.branch, ?)`,
    [defaultProductionBranch],
  );
  return rows.map(({ name }) => name);
}

/** Deployments of one project, or of all. */
export interface DeploymentFilter extends Paging {
  project?: string | undefined;
  branch?: string | undefined;
  /** Only deployments of these projects. */
  projects?: readonly string[] | undefined;
}

export async function listAccountDeployments(
  reads: Reads,
  accountSeq: number,
  { project, branch, projects, ...paging }: DeploymentFilter,
): Promise<{ data: DeploymentRow[]; total: number }> {
  const conditions: [sql: string, value: string | number | undefined][] = [
    ["account_seq = ?", accountSeq],
    ["project = ?", project],
    ["branch = ?", branch],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const among = projects ? [`project IN (${projects.map(() => "?").join(", ")})`] : [];
  const where = [...given.map(([sql]) => sql), ...among].join(" AND ");
  const values = [...given.map(([, value]) => value!), ...(projects ?? [])];
  const from = `FROM deployments WHERE ${where}`;
  return pageOf(reads, `SELECT ${deploymentColumns} ${from} ORDER BY seq`, from, values, paging);
}

export function deploymentNames(reads: Reads, accountSeq: number): Promise<{ name: string }[]> {
  return reads.all("SELECT name FROM deployments WHERE account_seq = ?", [accountSeq]);
}

/** Returns false if the name or the branch is in use. */
export async function insertDeploymentOnce(
  transaction: WriteTransaction,
  row: Insertable<Tables["deployments"]>,
): Promise<boolean> {
  const inserted = await transaction.query
    .insertInto("deployments")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("seq")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Updates a deployment, and increments its revision. */
export async function updateDeployment(
  transaction: WriteTransaction,
  seq: number,
  now: number,
  values: ChangesOf<"deployments"> = {},
): Promise<void> {
  await transaction.query
    .updateTable("deployments")
    .set(({ eb }) => ({ ...values, updated_on: now, version: eb("version", "+", 1) }))
    .where("seq", "=", seq)
    .execute();
}

export async function findProductionBranch(reads: Reads, accountSeq: number, project: string) {
  return (await findRow(reads, "production_branches", { account_seq: accountSeq, project }))?.branch;
}

/**
 * Undefined for the default. Increments the revision of every deployment of the project, because all of them show it.
 */
export async function saveProductionBranch(
  transaction: WriteTransaction,
  accountSeq: number,
  project: string,
  branch: string | undefined,
): Promise<void> {
  await deleteRows(transaction, "production_branches", { account_seq: accountSeq, project });
  if (branch !== undefined) {
    const row = { account_seq: accountSeq, project, branch };
    await transaction.insertNew("production_branches", [row], ["account_seq", "project"]);
  }
  await transaction.run("UPDATE deployments SET version = version + 1 WHERE account_seq = ? AND project = ?", [
    accountSeq,
    project,
  ]);
}

/** The rest of a long log is removed by the next housekeeping, so that other writes do not wait for it. */
const linesDeletedAtOnce = 1000;

/** Builds, sources, artifacts and versions are deleted by cascade. */
export async function deleteDeployment(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.delete("deployments", seq);
  await removeOldestLines(transaction, seq, 0, linesDeletedAtOnce);
}

interface LiveRow {
  name: string;
  deployment_seq: number;
  account_seq: number;
  account_name: string;
  version_seq: number;
  version_number: number;
  artifact_hash: string;
}

export function findLive(reads: Reads, name: string): Promise<LiveRow | undefined> {
  return reads.one(
    `SELECT deployments.name, deployments.seq AS deployment_seq, deployments.account_seq, accounts.name AS account_name,
      deployment_versions.seq AS version_seq, deployment_versions.number AS version_number,
      deployment_versions.artifact_hash
    FROM deployments
    JOIN accounts ON accounts.seq = deployments.account_seq
    JOIN deployment_versions ON deployment_versions.seq = deployments.active_version_seq
    WHERE deployments.name = ?`,
    [name],
  );
}

/** The columns of a running canary release, with the artifact of its version. */
export interface LiveCanaryRow {
  id: string;
  version_seq: number;
  version_number: number;
  artifact_hash: string;
  weight: number;
  live_weight: number;
  sticky_by: string | null;
}

/** The running canary release of a deployment. It ends when another version becomes live. */
export function findLiveCanary(
  reads: Reads,
  live: Pick<LiveRow, "deployment_seq" | "version_seq">,
): Promise<LiveCanaryRow | undefined> {
  return reads.one(
    `SELECT deployment_canaries.*, deployment_versions.artifact_hash
    FROM deployment_canaries JOIN deployment_versions ON deployment_versions.seq = deployment_canaries.version_seq
    WHERE deployment_canaries.deployment_seq = ? AND ended_on IS NULL AND live_version_seq = ?`,
    [live.deployment_seq, live.version_seq],
  );
}
