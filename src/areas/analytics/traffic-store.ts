import type { Selectable } from "kysely";
import { runsOf } from "../../platform/storage/runs.ts";
import type { Reads, Statement, WriteTransaction } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";
import { type Detail, detail as details, keyText, TrafficCounts, type TrafficKey } from "./traffic.ts";

type Row = Selectable<Tables["traffic"]>;

interface TrafficDeployment {
  accountSeq: number;
  deploymentSeq: number;
}

export interface TrafficPlace extends TrafficDeployment {
  /** The step in milliseconds. */
  step: number;
  time: number;
  detail: Detail;
}

export interface TrafficRow {
  place: TrafficPlace;
  key: TrafficKey;
  counts: TrafficCounts;
}

const inPlace = "step = ? AND time = ? AND detail = ? AND account_seq = ? AND deployment_seq = ?";

function placeParameters({ step, time, detail, accountSeq, deploymentSeq }: TrafficPlace): number[] {
  return [step, time, detail, accountSeq, deploymentSeq];
}

function countsOf(row: Pick<Row, Counted>): TrafficCounts {
  const counts = new TrafficCounts();
  addRow(counts, row);
  return counts;
}

type Counted = "requests" | "rejected" | "errors" | "observed" | "bytes_in" | "bytes_out" | "latency";

export function addRow(counts: TrafficCounts, row: Pick<Row, Counted>): void {
  counts.requests += row.requests;
  counts.rejected += row.rejected;
  counts.errors += row.errors;
  counts.observed += row.observed;
  counts.bytesIn += row.bytes_in;
  counts.bytesOut += row.bytes_out;
  counts.latency.mergeEncoded(row.latency);
}

// Both engines look each of the rows up by the primary key. PostgreSQL joins VALUES by a scan of the table if it has no statistics.
const readSome = (rows: number) =>
  `SELECT * FROM traffic WHERE ${Array(rows).fill(`(${inPlace} AND version = ? AND route = ? AND status = ? AND consumer = ?)`).join(" OR ")}`;

/** Returns the stored rows among these, by `rowText`. All are of one deployment. */
export async function readRows(reads: Reads, rows: TrafficRow[]): Promise<Map<string, TrafficCounts>> {
  const known = new Map<string, TrafficCounts>();
  for (const run of runsOf(rows)) {
    const parameters = run.flatMap(rowParameters);
    const stored = await reads.all<Row>(readSome(run.length), parameters);
    for (const row of stored) known.set(rowText(row, row), countsOf(row));
  }
  return known;
}

function rowParameters({ place, key: { version, route, status, consumer } }: TrafficRow): (number | string)[] {
  return [...placeParameters(place), version, route, status, consumer];
}

/** Distinguishes the rows of one deployment. */
export function rowText({ step, time, detail }: Pick<Row, "step" | "time" | "detail">, key: TrafficKey): string {
  return `${step} ${time} ${detail} ${keyText(key)}`;
}

export async function countRows(reads: Reads, place: TrafficPlace): Promise<number> {
  const sql = `SELECT COUNT(*) AS rows FROM traffic WHERE ${inPlace}`;
  return (await reads.one<{ rows: number }>(sql, placeParameters(place)))!.rows;
}

const replaced = ["requests", "rejected", "errors", "observed", "bytes_in", "bytes_out", "latency"];

const writeSome = (rows: number) => `INSERT INTO traffic (step, time, detail, account_seq, deployment_seq,
    version, route, status, consumer, ${replaced.join(", ")})
  VALUES ${Array(rows).fill("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}
  ON CONFLICT (step, time, detail, account_seq, deployment_seq, version, route, status, consumer) DO UPDATE SET
    ${replaced.map((column) => `${column} = excluded.${column}`).join(", ")}`;

/**
 * Replaces stored rows of a deployment, and records that it has some. The caller has merged the stored ones into them,
 * and has locked them.
 */
export async function writeRows(transaction: WriteTransaction, rows: TrafficRow[]): Promise<void> {
  const statements: Statement[] = Array.from(runsOf(rows), (run) => ({
    sql: writeSome(run.length),
    parameters: run.flatMap((row) => [
      ...rowParameters(row),
      row.counts.requests,
      row.counts.rejected,
      row.counts.errors,
      row.counts.observed,
      row.counts.bytesIn,
      row.counts.bytesOut,
      Buffer.from(row.counts.latency.encode()),
    ]),
  }));
  const [first] = rows;
  if (first) statements.push(addDeployment(first.place));
  // Few at a time, because a statement has at most 65,535 parameters.
  for (let from = 0; from < statements.length; from += 4) await transaction.runAll(statements.slice(from, from + 4));
}

export async function versionNumbers(reads: Reads, seqs: number[]): Promise<{ seq: number; number: number }[]> {
  if (seqs.length === 0) return [];
  return reads.query.selectFrom("deployment_versions").select(["seq", "number"]).where("seq", "in", seqs).execute();
}

export async function existingDeployments(reads: Reads, seqs: number[]): Promise<Set<number>> {
  const rows = await reads.query.selectFrom("deployments").select("seq").where("seq", "in", seqs).execute();
  return new Set(rows.map(({ seq }) => seq));
}

function addDeployment({ deploymentSeq, accountSeq }: TrafficDeployment): Statement {
  return {
    sql: "INSERT INTO traffic_deployments (deployment_seq, account_seq) VALUES (?, ?) ON CONFLICT DO NOTHING",
    parameters: [deploymentSeq, accountSeq],
  };
}

const primaryKey = "step, time, detail, account_seq, deployment_seq, version, route, status, consumer";

const removeWhere = (condition: string) => `DELETE FROM traffic WHERE (${primaryKey}) IN (
    SELECT ${primaryKey} FROM traffic WHERE ${condition} ORDER BY ${primaryKey} LIMIT ?
  ) RETURNING step`;

/** Removes at most the given number of rows of a step from before a time. Returns how many it removed. */
export async function removeBefore(
  transaction: WriteTransaction,
  step: number,
  time: number,
  rows: number,
): Promise<number> {
  return (await transaction.all(removeWhere("step = ? AND time < ?"), [step, time, rows])).length;
}

export interface Orphan {
  deployment_seq: number;
  account_seq: number;
}

/** Returns deleted deployments that may still have rows. */
export function orphanedTraffic(reads: Reads): Promise<Orphan[]> {
  return reads.all(
    `SELECT deployment_seq, traffic_deployments.account_seq FROM traffic_deployments
      LEFT JOIN deployments ON deployments.seq = deployment_seq WHERE deployments.seq IS NULL`,
    [],
  );
}

/** Removes at most the given number of rows of a deployment at given times. Returns how many it removed. */
export async function removeOf(
  transaction: WriteTransaction,
  { deployment_seq, account_seq }: Orphan,
  step: number,
  times: number[],
  rows: number,
): Promise<number> {
  const condition = `step = ? AND time IN (${times.map(() => "?").join(", ")}) AND detail IN (${Object.values(details).join(", ")})
    AND account_seq = ? AND deployment_seq = ?`;
  const removed = await transaction.all(removeWhere(condition), [step, ...times, account_seq, deployment_seq, rows]);
  return removed.length;
}

export function deleteTrafficDeployment(transaction: WriteTransaction, { deployment_seq }: Orphan): Promise<void> {
  return transaction.run("DELETE FROM traffic_deployments WHERE deployment_seq = ?", [deployment_seq]);
}
