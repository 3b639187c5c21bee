import { forUpdate } from "../../../../platform/storage/query.ts";
import { hasRows } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ChangesOf, RowOf } from "../../../../platform/storage/tables.ts";

export type BuildRow = RowOf<"deployment_builds">;

/** The build of a status id, with its deployment. */
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

/** Whether a source was uploaded with a token for previews. */
export const isOnlyForPreviews = (reads: Reads, sourceSeq: number): Promise<boolean> =>
  hasRows(reads, "FROM deployment_builds WHERE source_seq = ? AND is_preview_only = 1", [sourceSeq]);

/** Whether a build of the deployment is queued or running. */
export const hasUnfinishedBuild = (reads: Reads, deploymentSeq: number): Promise<boolean> =>
  hasRows(reads, "FROM deployment_builds WHERE deployment_seq = ? AND state IN ('queued', 'running')", [deploymentSeq]);

/** A build that has not started. */
export async function insertBuild(
  transaction: WriteTransaction,
  build: Pick<
    BuildRow,
    | "id"
    | "deployment_seq"
    | "upload_hash"
    | "upload_until"
    | "source_seq"
    | "steps"
    | "is_staged"
    | "is_preview_only"
    | "is_limited"
    | "author"
    | "note"
  >,
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
  values: ChangesOf<"deployment_builds">,
): Promise<void> {
  await transaction.query
    .updateTable("deployment_builds")
    .set(({ eb }) => ({ ...values, updated_on: now, version: eb("version", "+", 1) }))
    .where("id", "=", id)
    .execute();
}

interface LeaseRenewal {
  id: string;
  worker: string;
  now: number;
  until: number;
}

/**
 * Only while the lease has not expired; after that, another node may be about to claim the build. This is not a visible
 * change.
 */
export async function renewBuildLease(
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
 * The running builds of each account, and when it was last served. Many uploads of one account must not delay others:
 * the account with the fewest running builds is next, then the one that was served least recently.
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
 * Claims a build without a valid lease: the oldest of the account that is next, and none of a deployment that is being
 * built. If two nodes find the same build, the lock of the deployment's row decides which one claims it.
 */
export async function takeNextBuild(
  transaction: WriteTransaction,
  now: number,
): Promise<BuildOfDeployment | undefined> {
  // The queue is polled every few seconds and nearly always empty.
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

/** Returns the queued builds of a deployment other than one. */
export function queuedBuilds(reads: Reads, deploymentSeq: number, besides: number): Promise<BuildRow[]> {
  return reads.all("SELECT * FROM deployment_builds WHERE deployment_seq = ? AND state = 'queued' AND seq <> ?", [
    deploymentSeq,
    besides,
  ]);
}

/** For a process that owns the database: builds that were running when the last process ended have no worker. */
export async function releaseUnfinished(transaction: WriteTransaction): Promise<void> {
  await transaction.run("UPDATE deployment_builds SET state = 'queued', worker = NULL WHERE state = 'running'", []);
  await transaction.run("UPDATE deployment_builds SET state = 'waiting', worker = NULL WHERE state = 'uploading'", []);
}
