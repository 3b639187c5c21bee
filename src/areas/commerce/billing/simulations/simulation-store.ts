import type { Paging } from "../../../../lib/paging.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type SimulationRow = RowOf<"simulations">;
export type SimulatedCustomerRow = RowOf<"simulation_customers">;

/** A simulation with the progress of its job, which may be removed already. */
export interface ListedSimulation extends SimulationRow {
  state: string | null;
  done: number | null;
  total: number | null;
}

const listed = `SELECT simulations.*, jobs.state, jobs.done, jobs.total FROM simulations
  LEFT JOIN jobs ON jobs.id = job_id WHERE bucket_seq = ?`;

export async function listSimulations(reads: Reads, bucketSeq: number, { limit, offset }: Paging) {
  const data = await reads.all<ListedSimulation>(`${listed} ORDER BY simulations.seq DESC LIMIT ? OFFSET ?`, [
    bucketSeq,
    limit,
    offset,
  ]);
  return { data, total: await countSimulations(reads, bucketSeq) };
}

export async function countSimulations(reads: Reads, bucketSeq: number): Promise<number> {
  const row = await reads.one<{ count: number }>("SELECT count(*) AS count FROM simulations WHERE bucket_seq = ?", [
    bucketSeq,
  ]);
  return row!.count;
}

export function findSimulation(reads: Reads, bucketSeq: number, id: string): Promise<ListedSimulation | undefined> {
  return reads.one(`${listed} AND simulations.id = ?`, [bucketSeq, id]);
}

export function simulationOfJob(reads: Reads, jobId: string): Promise<SimulationRow | undefined> {
  return reads.one("SELECT * FROM simulations WHERE job_id = ?", [jobId]);
}

/** Removes at most the given number of simulations that began before a time. Returns how many it removed. */
export async function removeOldSimulations(transaction: WriteTransaction, before: number, rows: number) {
  const removed = await transaction.all(
    `DELETE FROM simulations WHERE seq IN (SELECT seq FROM simulations WHERE created_on < ? ORDER BY seq LIMIT ?)
     RETURNING seq`,
    [before, rows],
  );
  return removed.length;
}

export async function insertCustomers(transaction: WriteTransaction, rows: SimulatedCustomerRow[]): Promise<void> {
  await transaction.insertNew("simulation_customers", rows, ["simulation_seq", "customer_key", "currency"]);
}

export async function listCustomers(reads: Reads, seq: number, { limit, offset }: Paging) {
  const data = await reads.all<SimulatedCustomerRow>(
    `SELECT * FROM simulation_customers WHERE simulation_seq = ?
     ORDER BY size DESC, customer_key, currency LIMIT ? OFFSET ?`,
    [seq, limit, offset],
  );
  const count = await reads.one<{ count: number }>(
    "SELECT count(*) AS count FROM simulation_customers WHERE simulation_seq = ?",
    [seq],
  );
  return { data, total: count!.count };
}

interface SpreadRow {
  currency: string;
  least: number;
  most: number;
  more: number;
  less: number;
  same: number;
}

/** The smallest and the largest difference of each currency, and how many customers would have paid more, less and the same. */
export function spreadOf(reads: Reads, seq: number): Promise<SpreadRow[]> {
  return reads.all(
    `SELECT currency, min(difference) AS least, max(difference) AS most,
       sum(CASE WHEN difference > 0 THEN 1 ELSE 0 END) AS more,
       sum(CASE WHEN difference < 0 THEN 1 ELSE 0 END) AS less,
       sum(CASE WHEN difference = 0 THEN 1 ELSE 0 END) AS same
     FROM simulation_customers WHERE simulation_seq = ? GROUP BY currency ORDER BY currency`,
    [seq],
  );
}

/** The number of customers in each range of a width, from the smallest difference on. */
export function rangesOf(reads: Reads, seq: number, currency: string, least: number, width: number) {
  return reads.all<{ range: number; customers: number }>(
    `SELECT (difference - ?) / ? AS range, count(*) AS customers FROM simulation_customers
     WHERE simulation_seq = ? AND currency = ? GROUP BY 1`,
    [least, width, seq, currency],
  );
}

/** Customers of a bucket after one of them, in the order in which they came. */
export function customersAfter(reads: Reads, bucketSeq: number, after: number, limit: number, keys?: string[]) {
  const named = keys === undefined ? "" : `AND customer_key IN (${keys.map(() => "?").join()})`;
  return reads.all<{ seq: number; customer_key: string }>(
    `SELECT seq, customer_key FROM customers WHERE bucket_seq = ? AND seq > ? ${named} ORDER BY seq LIMIT ?`,
    [bucketSeq, after, ...(keys ?? []), limit],
  );
}
