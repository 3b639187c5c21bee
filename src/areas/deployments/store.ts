import type { Insertable, Selectable, Updateable } from "kysely";
import { defaultProductionBranch } from "../../core/artifact/environments.ts";
import type { Paging } from "../../lib/paging.ts";
import { forUpdate } from "../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";
import { removeOldestLines } from "./log-store.ts";

export type BuildRow = Selectable<Tables["deployment_builds"]>;
export type VersionRow = Selectable<Tables["deployment_versions"]>;

/** With whether a build of it is waiting or under way, which its state shows. */
export type DeploymentRow = Selectable<Tables["deployments"]> & {
  is_building: number;
  /** Of its project; null for the default. */
  production_branch: string | null;
};

const deploymentColumns = `deployments.*, CASE WHEN EXISTS (
  SELECT 1 FROM deployment_builds
  WHERE deployment_seq = deployments.seq AND state IN ('queued', 'running')
) THEN 1 ELSE 0 END AS is_building, (
  SELECT production_branches.branch FROM production_branches
  WHERE production_branches.account_seq = deployments.account_seq AND production_branches.project = deployments.project
) AS production_branch`;

export function findDeployment(reads: Reads, accountSeq: number, name: string): Promise<DeploymentRow | undefined> {
  return reads.one(`SELECT ${deploymentColumns} FROM deployments WHERE account_seq = ? AND name = ?`, [
    accountSeq,
    name,
  ]);
}

export function findDeploymentBySeq(reads: Reads, seq: number): Promise<DeploymentRow | undefined> {
  return reads.one(`SELECT ${deploymentColumns} FROM deployments WHERE seq = ?`, [seq]);
}

export async function deploymentExists(reads: Reads, seq: number): Promise<boolean> {
  return (await reads.one("SELECT 1 AS found FROM deployments WHERE seq = ?", [seq])) !== undefined;
}

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

/** The names of all that serve their project's production branch, in every account. */
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

/** Of one project, or of all. */
export async function listAccountDeployments(
  reads: Reads,
  accountSeq: number,
  { project, limit, offset }: Paging & { project?: string | undefined },
): Promise<{ data: DeploymentRow[]; total: number }> {
  const where = project === undefined ? "account_seq = ?" : "account_seq = ? AND project = ?";
  const values = project === undefined ? [accountSeq] : [accountSeq, project];
  const data = await reads.all<DeploymentRow>(
    `SELECT ${deploymentColumns} FROM deployments WHERE ${where} ORDER BY seq LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  );
  const count = await reads.one<{ total: number }>(`SELECT COUNT(*) AS total FROM deployments WHERE ${where}`, values);
  return { data, total: count?.total ?? 0 };
}

export function deploymentsOf(reads: Reads, accountSeq: number): Promise<{ seq: number; name: string }[]> {
  return reads.all("SELECT seq, name FROM deployments WHERE account_seq = ?", [accountSeq]);
}

/** False if the name or the branch is taken. */
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

/** Also moves its revision on. */
export async function updateDeployment(
  transaction: WriteTransaction,
  seq: number,
  now: number,
  values: Updateable<Tables["deployments"]> = {},
): Promise<void> {
  await transaction.query
    .updateTable("deployments")
    .set(({ eb }) => ({ ...values, updated_on: now, version: eb("version", "+", 1) }))
    .where("seq", "=", seq)
    .execute();
}

/** Of a long log the rest goes with the next housekeeping: other writes must not wait for it. */
const linesDeletedAtOnce = 1000;

export async function findProductionBranch(reads: Reads, accountSeq: number, project: string) {
  const row = await reads.one<{ branch: string }>(
    "SELECT branch FROM production_branches WHERE account_seq = ? AND project = ?",
    [accountSeq, project],
  );
  return row?.branch;
}

/** Undefined for the default. Moves the revision of every deployment of the project on: all of them show it. */
export async function saveProductionBranch(
  transaction: WriteTransaction,
  accountSeq: number,
  project: string,
  branch: string | undefined,
): Promise<void> {
  await transaction.run("DELETE FROM production_branches WHERE account_seq = ? AND project = ?", [accountSeq, project]);
  if (branch !== undefined) {
    const row = { account_seq: accountSeq, project, branch };
    await transaction.insertNew("production_branches", [row], ["account_seq", "project"]);
  }
  await transaction.run("UPDATE deployments SET version = version + 1 WHERE account_seq = ? AND project = ?", [
    accountSeq,
    project,
  ]);
}

/** Builds, sources, artifacts and versions go with it. */
export async function deleteDeployment(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM deployments WHERE seq = ?", [seq]);
  await removeOldestLines(transaction, seq, 0, linesDeletedAtOnce);
}

export interface LiveRow {
  name: string;
  deployment_seq: number;
  account_seq: number;
  account_name: string;
  version_seq: number;
  artifact_hash: string;
}

export function findLive(reads: Reads, name: string): Promise<LiveRow | undefined> {
  return reads.one(
    `SELECT deployments.name, deployments.seq AS deployment_seq, deployments.account_seq, accounts.name AS account_name,
      deployment_versions.seq AS version_seq, deployment_versions.artifact_hash
    FROM deployments
    JOIN accounts ON accounts.seq = deployments.account_seq
    JOIN deployment_versions ON deployment_versions.seq = deployments.active_version_seq
    WHERE deployments.name = ?`,
    [name],
  );
}

export async function readArtifact(reads: Reads, deploymentSeq: number, hash: string): Promise<string | undefined> {
  const row = await reads.one<{ data: string }>(
    "SELECT data FROM deployment_artifacts WHERE deployment_seq = ? AND hash = ?",
    [deploymentSeq, hash],
  );
  return row?.data;
}

/** The build that belongs to a status id, with the deployment it is of. */
export interface BuildOfDeployment extends BuildRow {
  account_seq: number;
  account_id: string;
  account_name: string;
  deployment_name: string;
  project: string;
  branch: string;
}

const buildOfDeployment = `SELECT deployment_builds.*, deployments.account_seq, accounts.id AS account_id,
    accounts.name AS account_name, deployments.name AS deployment_name, deployments.project,
    deployments.branch
  FROM deployment_builds
  JOIN deployments ON deployments.seq = deployment_builds.deployment_seq
  JOIN accounts ON accounts.seq = deployments.account_seq`;

export function findBuild(reads: Reads, id: string): Promise<BuildOfDeployment | undefined> {
  return reads.one(`${buildOfDeployment} WHERE deployment_builds.id = ?`, [id]);
}

export function lockBuild(transaction: WriteTransaction, id: string): Promise<BuildRow | undefined> {
  return transaction.one(forUpdate(transaction, "SELECT * FROM deployment_builds WHERE id = ?"), [id]);
}

/** One that nobody has begun. */
export async function insertBuild(
  transaction: WriteTransaction,
  build: Pick<BuildRow, "id" | "deployment_seq" | "upload_hash" | "upload_until" | "source_seq" | "steps">,
  now: number,
): Promise<void> {
  await transaction.insert("deployment_builds", {
    ...build,
    state: "waiting",
    result: null,
    worker: null,
    worker_until: null,
    attempts: 0,
    version: 1,
    created_on: now,
    updated_on: now,
  });
}

export async function updateBuild(
  transaction: WriteTransaction,
  id: string,
  now: number,
  values: Updateable<Tables["deployment_builds"]>,
): Promise<void> {
  await transaction.query
    .updateTable("deployment_builds")
    .set(({ eb }) => ({ ...values, updated_on: now, version: eb("version", "+", 1) }))
    .where("id", "=", id)
    .execute();
}

export interface LeaseRenewal {
  id: string;
  worker: string;
  now: number;
  until: number;
}

/** Only while it has not run out: then somebody else may be about to take it. Not a change that anybody sees. */
export async function renewLease(
  transaction: WriteTransaction,
  { id, worker, now, until }: LeaseRenewal,
): Promise<void> {
  await transaction.run(
    "UPDATE deployment_builds SET worker_until = ? WHERE id = ? AND worker = ? AND worker_until >= ?",
    [until, id, worker, now],
  );
}

const claimable = `(state = 'queued' OR (state = 'running' AND worker_until < ?)) AND NOT EXISTS (
  SELECT 1 FROM deployment_builds AS other
  WHERE other.deployment_seq = candidate.deployment_seq AND other.seq <> candidate.seq
    AND other.state = 'running' AND other.worker_until >= ?
)`;

/**
 * What the builds of each account hold and when one of them was last worked on. Many uploads of one account must not keep the
 * others waiting: the account with the fewest builds under way is next, then the one that was not served for longest.
 */
const fairly = `LEFT JOIN (
    SELECT owner.account_seq,
      SUM(CASE WHEN work.state = 'running' AND work.worker_until >= ? THEN 1 ELSE 0 END) AS running,
      MAX(work.worker_until) AS last_served
    FROM deployment_builds AS work JOIN deployments AS owner ON owner.seq = work.deployment_seq
    WHERE work.worker_until IS NOT NULL
    GROUP BY owner.account_seq
  ) AS served ON served.account_seq = deployments.account_seq`;

/**
 * A build that nobody is at, or whose worker has not been heard of for too long, oldest first of the account whose turn it is;
 * none of a deployment that is being built already. Two nodes that find the same one agree on the deployment's row who takes
 * it.
 */
export async function takeNextBuild(
  transaction: WriteTransaction,
  now: number,
): Promise<BuildOfDeployment | undefined> {
  // The queue is polled every few seconds and empty nearly always.
  const some = await transaction.one<{ seq: number }>(
    "SELECT seq FROM deployment_builds WHERE state = 'queued' OR (state = 'running' AND worker_until < ?) LIMIT 1",
    [now],
  );
  if (!some) return undefined;
  const found = await transaction.one<{ id: string; deployment_seq: number }>(
    `SELECT candidate.id, candidate.deployment_seq FROM deployment_builds AS candidate
      JOIN deployments ON deployments.seq = candidate.deployment_seq ${fairly}
      WHERE ${claimable}
      ORDER BY COALESCE(served.running, 0), COALESCE(served.last_served, 0), candidate.seq LIMIT 1`,
    [now, now, now],
  );
  if (!found) return undefined;
  await transaction.one(forUpdate(transaction, "SELECT seq FROM deployments WHERE seq = ?"), [found.deployment_seq]);
  const still = await transaction.one<{ id: string }>(
    `SELECT id FROM deployment_builds AS candidate WHERE id = ? AND ${claimable}`,
    [found.id, now, now],
  );
  return still && findBuild(transaction, found.id);
}

/** What is queued for a deployment, other than one build. */
export function queuedBuilds(reads: Reads, deploymentSeq: number, besides: number): Promise<BuildRow[]> {
  return reads.all("SELECT * FROM deployment_builds WHERE deployment_seq = ? AND state = 'queued' AND seq <> ?", [
    deploymentSeq,
    besides,
  ]);
}

/** For one process that owns the database: nobody is at what was under way when it ended. */
export async function releaseUnfinished(transaction: WriteTransaction): Promise<void> {
  await transaction.run("UPDATE deployment_builds SET state = 'queued', worker = NULL WHERE state = 'running'", []);
  await transaction.run("UPDATE deployment_builds SET state = 'waiting', worker = NULL WHERE state = 'uploading'", []);
}

export function insertChunk(
  transaction: WriteTransaction,
  sourceSeq: number,
  position: number,
  data: Uint8Array,
): Promise<void> {
  return transaction.insertAll("deployment_source_chunks", [{ source_seq: sourceSeq, position, data }]);
}

export async function readChunk(reads: Reads, sourceSeq: number, position: number): Promise<Uint8Array | undefined> {
  const row = await reads.one<{ data: Uint8Array }>(
    "SELECT data FROM deployment_source_chunks WHERE source_seq = ? AND position = ?",
    [sourceSeq, position],
  );
  return row?.data;
}

/** Builds under way stay, however old they are. Returns how many it removed. */
export async function removeOldBuilds(transaction: WriteTransaction, before: number, rows: number): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM deployment_builds WHERE seq IN (
      SELECT seq FROM deployment_builds
      WHERE created_on < ? AND state IN ('waiting', 'failed', 'succeeded') ORDER BY seq LIMIT ?
    ) RETURNING seq`,
    [before, rows],
  );
  return removed.length;
}

/** Sources that neither the deployment nor an unfinished build needs, made before a moment. Returns how many it removed. */
export async function removeUnusedSources(
  transaction: WriteTransaction,
  before: number,
  rows: number,
): Promise<number> {
  const removed = await transaction.all(
    `DELETE FROM deployment_sources WHERE seq IN (
      SELECT seq FROM deployment_sources WHERE created_on < ?
        AND seq NOT IN (SELECT source_seq FROM deployments WHERE source_seq IS NOT NULL)
        AND seq NOT IN (
          SELECT source_seq FROM deployment_builds
          WHERE source_seq IS NOT NULL AND state IN ('uploading', 'queued', 'running')
        )
      ORDER BY seq LIMIT ?
    ) RETURNING seq`,
    [before, rows],
  );
  return removed.length;
}

export async function deleteSource(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("DELETE FROM deployment_sources WHERE seq = ?", [seq]);
}

export async function lastVersionNumber(reads: Reads, deploymentSeq: number): Promise<number> {
  const row = await reads.one<{ number: number | null }>(
    "SELECT max(number) AS number FROM deployment_versions WHERE deployment_seq = ?",
    [deploymentSeq],
  );
  return row?.number ?? 0;
}

export async function listVersions(reads: Reads, deploymentSeq: number, { limit, offset }: Paging) {
  const ofDeployment = reads.query.selectFrom("deployment_versions").where("deployment_seq", "=", deploymentSeq);
  const data = await ofDeployment.selectAll().orderBy("seq").limit(limit).offset(offset).execute();
  const { total } = await ofDeployment.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { data, total };
}

export function findVersion(reads: Reads, deploymentSeq: number, number: number): Promise<VersionRow | undefined> {
  return reads.one("SELECT * FROM deployment_versions WHERE deployment_seq = ? AND number = ?", [
    deploymentSeq,
    number,
  ]);
}

export function findVersionBySeq(reads: Reads, seq: number): Promise<VersionRow | undefined> {
  return reads.one("SELECT * FROM deployment_versions WHERE seq = ?", [seq]);
}

/** The newest version that is older than another one. */
export function versionBefore(reads: Reads, deploymentSeq: number, seq: number): Promise<VersionRow | undefined> {
  return reads.one("SELECT * FROM deployment_versions WHERE deployment_seq = ? AND seq < ? ORDER BY seq DESC LIMIT 1", [
    deploymentSeq,
    seq,
  ]);
}

/** What a build made that never served, and its artifact if no other version has it. */
export async function removeVersionOfBuild(
  transaction: WriteTransaction,
  deploymentSeq: number,
  buildId: string,
): Promise<void> {
  await transaction.run("DELETE FROM deployment_versions WHERE deployment_seq = ? AND build_id = ?", [
    deploymentSeq,
    buildId,
  ]);
  await removeUnusedArtifacts(transaction, deploymentSeq);
}

/** All but the newest, and with them the artifacts that no version has any more. */
export async function removeOldVersions(
  transaction: WriteTransaction,
  deploymentSeq: number,
  activeSeq: number,
  kept: number,
): Promise<void> {
  await transaction.run(
    `DELETE FROM deployment_versions WHERE deployment_seq = ? AND seq <> ? AND seq NOT IN (
      SELECT seq FROM deployment_versions WHERE deployment_seq = ? ORDER BY seq DESC LIMIT ?
    )`,
    [deploymentSeq, activeSeq, deploymentSeq, kept],
  );
  await removeUnusedArtifacts(transaction, deploymentSeq);
}

async function removeUnusedArtifacts(transaction: WriteTransaction, deploymentSeq: number): Promise<void> {
  await transaction.run(
    `DELETE FROM deployment_artifacts WHERE deployment_seq = ? AND hash NOT IN (
      SELECT artifact_hash FROM deployment_versions WHERE deployment_seq = ?
    )`,
    [deploymentSeq, deploymentSeq],
  );
}
