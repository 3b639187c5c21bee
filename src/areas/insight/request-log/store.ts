import type { Insertable } from "kysely";
import { forUpdate } from "../../../platform/storage/query.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";

export interface RequestRow {
  seq: number;
  id: string;
  deployment_name: string;
  /** The number of the version that served the request. Null if it was removed. */
  version_number: number | null;
  time: number;
  status: number;
  method: string;
  path: string;
  route: string | null;
  consumer: string | null;
  request_id: string;
  entry: string;
}

export interface OmittedCount {
  deploymentSeq: number;
  accountSeq: number;
  minute: number;
  successes: number;
  failures: number;
}

/** Selects the requests of an account, or of one of its deployments. */
export interface RequestLogScope {
  accountSeq: number;
  deploymentSeq?: number | undefined;
}

export interface RequestFilter {
  /** Both inclusive. */
  statuses?: readonly [from: number, to: number] | undefined;
  method?: string | undefined;
  route?: string | undefined;
  consumer?: string | undefined;
  requestId?: string | undefined;
  /** The id of the consumer. Names are unique in a bucket only, and can be used again. */
  consumerId?: string | undefined;
  /** Names of deployments. */
  deployments?: readonly string[] | undefined;
  /** A text in the path. */
  q?: string | undefined;
  /** Requests that a policy in `observe` would have rejected: that policy, or with `true` any. */
  observed?: string | undefined;
  from?: number | undefined;
  /** Exclusive. */
  to?: number | undefined;
}

/** The text of a consumer's id in an entry, which is JSON: no other text contains unescaped quotation marks. */
export function consumerIdIn(consumerId: string): string {
  return `"consumerId":${JSON.stringify(consumerId)}`;
}

/** The text of an observed decision in an entry: of a policy, or of any. */
export function observedIn(policy: string | undefined): string {
  const outcome = `"outcome":"observed"`;
  return policy === undefined || policy === "true" ? outcome : `"policy":${JSON.stringify(policy)},${outcome}`;
}

const columns = `requests.seq, requests.id, deployments.name AS deployment_name, deployment_versions.number AS version_number,
  requests.time, requests.status, requests.method, requests.path, requests.route, requests.consumer, requests.request_id,
  requests.entry`;

/** Requests of deleted deployments are hidden immediately, and removed later. */
const source = `requests JOIN deployments ON deployments.seq = requests.deployment_seq
  LEFT JOIN deployment_versions ON deployment_versions.seq = requests.version_seq`;

export async function insertRequests(
  transaction: WriteTransaction,
  rows: Insertable<Tables["requests"]>[],
  omitted: OmittedCount[],
): Promise<void> {
  await transaction.insertAll("requests", rows);
  await addToSizes(transaction, rows, 1);
  // Sorted, so that two nodes with the same rows cannot deadlock.
  for (const run of runsOf(summed(omitted).sort(byDeployment)))
    await transaction.run(
      addOmitted(run.length),
      run.flatMap(({ deploymentSeq, minute, accountSeq, successes, failures }) => [
        deploymentSeq,
        minute,
        accountSeq,
        successes,
        failures,
      ]),
    );
}

const addOmitted = (rows: number) => `INSERT INTO omitted_requests
    (deployment_seq, minute, account_seq, successes, failures)
  VALUES ${Array(rows).fill("(?, ?, ?, ?, ?)").join(", ")}
  ON CONFLICT (deployment_seq, minute) DO UPDATE SET
    successes = omitted_requests.successes + excluded.successes,
    failures = omitted_requests.failures + excluded.failures`;

/** Workers count the same minute of a deployment. */
function summed(omitted: OmittedCount[]): OmittedCount[] {
  const sums = new Map<string, OmittedCount>();
  for (const { successes, failures, ...place } of omitted) {
    const key = `${place.deploymentSeq} ${place.minute}`;
    const sum = sums.get(key);
    sums.set(key, {
      ...place,
      successes: (sum?.successes ?? 0) + successes,
      failures: (sum?.failures ?? 0) + failures,
    });
  }
  return [...sums.values()];
}

function byDeployment(one: OmittedCount, other: OmittedCount): number {
  return one.deploymentSeq - other.deploymentSeq || one.minute - other.minute;
}

type Sized = Pick<Insertable<Tables["requests"]>, "deployment_seq" | "is_failure" | "bytes">;

async function addToSizes(transaction: WriteTransaction, rows: Sized[], sign: 1 | -1): Promise<void> {
  const changes = new Map<string, Sized>();
  for (const { deployment_seq, is_failure, bytes } of rows) {
    const key = `${deployment_seq} ${is_failure}`;
    const sum = changes.get(key)?.bytes ?? 0;
    changes.set(key, { deployment_seq, is_failure, bytes: sum + sign * bytes });
  }
  const sorted = [...changes.values()].sort(
    (one, other) => one.deployment_seq - other.deployment_seq || one.is_failure - other.is_failure,
  );
  for (const run of runsOf(sorted))
    await transaction.run(
      addSizes(run.length),
      run.flatMap(({ deployment_seq, is_failure, bytes }) => [deployment_seq, is_failure, bytes]),
    );
}

const addSizes = (rows: number) => `INSERT INTO request_sizes (deployment_seq, is_failure, bytes)
  VALUES ${Array(rows).fill("(?, ?, ?)").join(", ")}
  ON CONFLICT (deployment_seq, is_failure) DO UPDATE SET bytes = request_sizes.bytes + excluded.bytes`;

/** Returns the id `rows` below `below`, which is the lower bound of the next batch. Undefined if fewer are left. */
export async function pieceEnd(
  reads: Reads,
  scope: RequestLogScope,
  below: string,
  rows: number,
): Promise<string | undefined> {
  const { column, value } = scopeOf(scope);
  const row = await reads.one<{ id: string }>(
    `SELECT id FROM requests WHERE ${column} = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${rows - 1}`,
    [value, below],
  );
  return row?.id;
}

/** Returns the newest matches with `from <= id < below`. */
export function newestRequests(
  reads: Reads,
  scope: RequestLogScope,
  { from, below, limit }: { from: string; below: string; limit: number },
  filter: RequestFilter,
): Promise<RequestRow[]> {
  const { column, value } = scopeOf(scope);
  const { conditions, parameters } = conditionsOf(filter);
  return reads.all(
    `SELECT ${columns} FROM ${source}
      WHERE requests.${column} = ? AND requests.id >= ? AND requests.id < ?${conditions}
      ORDER BY requests.id DESC LIMIT ?`,
    [value, from, below, ...parameters, limit],
  );
}

export interface WrittenRequest extends RequestRow {
  account_seq: number;
  deployment_seq: number;
}

/**
 * Returns requests of all accounts in the order in which they were written. With a condition on the account, SQLite
 * would sort all of its requests.
 */
export function requestsAfter(reads: Reads, seq: number, limit: number): Promise<WrittenRequest[]> {
  return reads.all(
    `SELECT ${columns}, requests.account_seq, requests.deployment_seq FROM ${source}
      WHERE requests.seq > ? ORDER BY requests.seq LIMIT ?`,
    [seq, limit],
  );
}

/** Returns the numbers of omitted requests in each minute from one on, of all accounts. */
export async function omittedSince(reads: Reads, minute: number): Promise<OmittedCount[]> {
  return reads.all(
    `SELECT deployment_seq AS "deploymentSeq", account_seq AS "accountSeq", minute, successes, failures FROM omitted_requests
      WHERE minute >= ?`,
    [minute],
  );
}

/** The size of all requests of the installation. */
export async function lastSeq(reads: Reads): Promise<number> {
  return (await reads.one<{ seq: number | null }>("SELECT max(seq) AS seq FROM requests", []))?.seq ?? 0;
}

export function findRequest(reads: Reads, accountSeq: number, id: string): Promise<RequestRow | undefined> {
  return reads.one(`SELECT ${columns} FROM ${source} WHERE requests.id = ? AND requests.account_seq = ?`, [
    id,
    accountSeq,
  ]);
}

export function requestsById(
  reads: Reads,
  scope: RequestLogScope,
  requestId: string,
  limit: number,
): Promise<RequestRow[]> {
  const ofDeployment = scope.deploymentSeq === undefined ? "" : " AND requests.deployment_seq = ?";
  return reads.all(
    `SELECT ${columns} FROM ${source} WHERE requests.account_seq = ? AND requests.request_id = ?${ofDeployment}
      ORDER BY requests.id DESC LIMIT ?`,
    [scope.accountSeq, requestId, ...(scope.deploymentSeq === undefined ? [] : [scope.deploymentSeq]), limit],
  );
}

/** Returns the number of omitted requests in a range of minutes, both inclusive. */
export async function omittedBetween(
  reads: Reads,
  scope: RequestLogScope,
  from: number,
  to: number,
): Promise<{ successes: number; failures: number }> {
  const { column, value } = scopeOf(scope);
  const row = await reads.one<{ successes: number | null; failures: number | null }>(
    `SELECT sum(successes) AS successes, sum(failures) AS failures FROM omitted_requests
      WHERE ${column} = ? AND minute >= ? AND minute <= ?`,
    [value, from, to],
  );
  return { successes: Number(row?.successes ?? 0), failures: Number(row?.failures ?? 0) };
}

export function omittedMinutes(reads: Reads, deploymentSeq: number, from: number, limit: number) {
  return reads.all<{ minute: number; successes: number; failures: number }>(
    `SELECT minute, successes, failures FROM omitted_requests WHERE deployment_seq = ? AND minute >= ?
      ORDER BY minute DESC LIMIT ?`,
    [deploymentSeq, from, limit],
  );
}

interface RequestSize {
  deployment_seq: number;
  is_failure: number;
  /** Null if the deployment was deleted. */
  account_seq: number | null;
  bytes: number;
  /** The time of the oldest request. Null if there is none. */
  oldest: number | null;
}

export function requestSizes(reads: Reads): Promise<RequestSize[]> {
  return reads.all(
    `SELECT request_sizes.deployment_seq, request_sizes.is_failure, deployments.account_seq, request_sizes.bytes,
        (SELECT time FROM requests WHERE requests.deployment_seq = request_sizes.deployment_seq
          AND requests.is_failure = request_sizes.is_failure ORDER BY id LIMIT 1) AS oldest
      FROM request_sizes
      LEFT JOIN deployments ON deployments.seq = request_sizes.deployment_seq`,
    [],
  );
}

/**
 * Removes the oldest requests while they are older than `before` or together larger than `maxBytes`, and at most the
 * given number of rows.
 */
export async function removeOldest(
  transaction: WriteTransaction,
  { deployment_seq, is_failure }: Pick<RequestSize, "deployment_seq" | "is_failure">,
  { before, maxBytes }: { before: number; maxBytes: number },
  rows: number,
): Promise<number> {
  const size = await transaction.one<{ bytes: number }>(
    forUpdate(transaction, "SELECT bytes FROM request_sizes WHERE deployment_seq = ? AND is_failure = ?"),
    [deployment_seq, is_failure],
  );
  let excess = (size?.bytes ?? 0) - maxBytes;
  const oldest = await transaction.all<{ id: string; time: number; bytes: number }>(
    "SELECT id, time, bytes FROM requests WHERE deployment_seq = ? AND is_failure = ? ORDER BY id LIMIT ?",
    [deployment_seq, is_failure, rows],
  );
  let last: string | undefined;
  for (const { id, time, bytes } of oldest) {
    if (excess <= 0 && time >= before) break;
    excess -= bytes;
    last = id;
  }
  if (last === undefined) return 0;
  // Counts what it deletes: a request with a lower id may have been written since they were read.
  const removed = await transaction.all<{ bytes: number }>(
    "DELETE FROM requests WHERE deployment_seq = ? AND is_failure = ? AND id <= ? RETURNING bytes",
    [deployment_seq, is_failure, last],
  );
  await addToSizes(
    transaction,
    removed.map(({ bytes }) => ({ deployment_seq, is_failure, bytes })),
    -1,
  );
  return removed.length;
}

/** Removes counts of minutes before that time and of deleted deployments, and the sizes of those without requests. */
export async function deleteOld(transaction: WriteTransaction, before: number): Promise<void> {
  const isGone = (table: string) => `NOT EXISTS (SELECT 1 FROM deployments WHERE seq = ${table}.deployment_seq)`;
  await transaction.run(`DELETE FROM omitted_requests WHERE minute < ? OR ${isGone("omitted_requests")}`, [before]);
  await transaction.run(
    `DELETE FROM request_sizes WHERE ${isGone("request_sizes")}
      AND NOT EXISTS (SELECT 1 FROM requests WHERE deployment_seq = request_sizes.deployment_seq)`,
    [],
  );
}

function scopeOf({ accountSeq, deploymentSeq }: RequestLogScope) {
  return deploymentSeq === undefined
    ? { column: "account_seq", value: accountSeq }
    : { column: "deployment_seq", value: deploymentSeq };
}

function conditionsOf(filter: RequestFilter): { conditions: string; parameters: unknown[] } {
  const { statuses, method, route, consumer, consumerId, deployments, requestId, q, observed, from, to } = filter;
  const all: [condition: string, ...parameters: unknown[]][] = [];
  if (statuses) all.push(["requests.status >= ? AND requests.status <= ?", ...statuses]);
  if (method !== undefined) all.push(["requests.method = ?", method]);
  // The unknown route of analytics has no route here. A route begins with a slash, so none has that name.
  if (route === "unknown") all.push(["requests.route IS NULL"]);
  else if (route !== undefined) all.push(["requests.route = ?", route]);
  if (consumer === "") all.push(["requests.consumer IS NULL"]);
  else if (consumer !== undefined) all.push(["requests.consumer = ?", consumer]);
  if (consumerId !== undefined)
    all.push(["replace(requests.entry, ?, '') <> requests.entry", consumerIdIn(consumerId)]);
  if (deployments)
    all.push([`deployments.name IN (${deployments.map(() => "?").join(", ") || "NULL"})`, ...deployments]);
  if (requestId !== undefined) all.push(["requests.request_id = ?", requestId]);
  // Both engines support it. It is case-sensitive and has no wildcards.
  if (q !== undefined) all.push(["replace(requests.path, ?, '') <> requests.path", q]);
  if (observed !== undefined) all.push(["replace(requests.entry, ?, '') <> requests.entry", observedIn(observed)]);
  if (from !== undefined) all.push(["requests.time >= ?", from]);
  if (to !== undefined) all.push(["requests.time < ?", to]);
  return {
    conditions: all.map(([condition]) => ` AND ${condition}`).join(""),
    parameters: all.flatMap(([, ...parameters]) => parameters),
  };
}
