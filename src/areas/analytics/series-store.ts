import type { Selectable } from "kysely";
import { yieldToEventLoop } from "../../lib/tasks/slices.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { Tables } from "../../platform/storage/tables.ts";
import { steps } from "./steps.ts";
import { type Detail, detail, other } from "./traffic.ts";

/** Selects the rows of a series. */
export interface SeriesSelection {
  /** The step in milliseconds. */
  step: number;
  times: number[];
  accountSeq: number;
  /** The deployment of the series. Undefined for all deployments of the account. */
  deploymentSeq: number | undefined;
  route: string | undefined;
  consumer: string | undefined;
  /** From the first status (inclusive) to the second (exclusive). */
  status: [from: number, to: number] | undefined;
}

export type Dimension =
  | "route"
  | "status"
  | "consumer"
  | "key"
  | "client"
  | "tool"
  | "policy"
  | "version"
  | "deployment";

export type RequestSeriesRow = Pick<
  Selectable<Tables["traffic"]>,
  | "time"
  | "deployment_seq"
  | "version"
  | "route"
  | "status"
  | "consumer"
  | "requests"
  | "rejected"
  | "errors"
  | "observed"
  | "bytes_in"
  | "bytes_out"
  | "latency"
>;

/**
 * The number of times in one statement, which limits how long other queries wait. It is constant, so that the statement
 * is prepared once.
 */
export const timesAtOnce = 32;
/** The number of names in one statement. Constant, so that the statement is prepared once. */
const namesAtOnce = 16;

/**
 * Visits the rows of one detail in no particular order. With `names`, only those with these values. Times are listed
 * one by one, because each is a separate range of the primary key.
 */
export async function visitRows(
  reads: Reads,
  selection: SeriesSelection,
  detail: Detail,
  visit: (row: RequestSeriesRow) => void,
  names?: { column: "route" | "consumer"; values: string[] },
): Promise<void> {
  const columns =
    "time, deployment_seq, version, route, status, consumer, requests, rejected, errors, observed, bytes_in, bytes_out, latency";
  for (const some of names ? pieces(names.values, namesAtOnce) : [undefined]) {
    const condition = some ? ` AND ${names!.column} IN (${some.map(() => "?").join(", ")})` : "";
    for (const times of pieces(selection.times, timesAtOnce)) {
      const { where, parameters } = conditions(selection, detail, times);
      const sql = `SELECT ${columns} FROM traffic WHERE ${where}${condition}`;
      for (const row of await reads.all<RequestSeriesRow>(sql, [...parameters, ...(some ?? [])])) visit(row);
      await yieldToEventLoop();
    }
  }
}

/** Returns the number of requests of each group: by deployment and version, or by one column. */
export async function rankRequests(
  reads: Reads,
  selection: SeriesSelection,
  detail: Detail,
  dimension: Dimension,
): Promise<{ row: RequestSeriesRow; requests: number }[]> {
  const columns = {
    route: "route",
    status: "status",
    consumer: "consumer",
    key: "route",
    client: "route",
    tool: "route",
    policy: "route",
    deployment: "deployment_seq",
  };
  const column = dimension === "version" ? "deployment_seq, version" : columns[dimension];
  const groups = new Map<string, { row: RequestSeriesRow; requests: number }>();
  for (const times of pieces(selection.times, timesAtOnce)) {
    const { where, parameters } = conditions(selection, detail, times);
    const sql = `SELECT ${column}, CAST(SUM(requests) AS bigint) AS requests FROM traffic WHERE ${where} GROUP BY ${column}`;
    for (const row of await reads.all<RequestSeriesRow>(sql, parameters)) {
      if (row.route === other || row.consumer === other) continue;
      const key = JSON.stringify([row.deployment_seq, row.version, row.route, row.status, row.consumer]);
      const group = groups.get(key) ?? { row, requests: 0 };
      group.requests += row.requests;
      groups.set(key, group);
    }
    await yieldToEventLoop();
  }
  return [...groups.values()];
}

function conditions(selection: SeriesSelection, detail: Detail, times: number[]) {
  const { step, accountSeq, deploymentSeq, route, consumer, status } = selection;
  let where = `step = ? AND time IN (${times.map(() => "?").join(", ")}) AND detail = ? AND account_seq = ?`;
  const parameters: (number | string)[] = [step, ...times, detail, accountSeq];
  const add = (condition: string, ...values: (number | string)[]) => {
    where += ` AND ${condition}`;
    parameters.push(...values);
  };
  if (deploymentSeq !== undefined) add("deployment_seq = ?", deploymentSeq);
  // Rows of deleted deployments are about to be removed.
  else add("deployment_seq IN (SELECT seq FROM deployments WHERE account_seq = ?)", accountSeq);
  if (route !== undefined) add("route = ?", route);
  if (consumer !== undefined) add("consumer = ?", consumer);
  if (status !== undefined) add("status >= ? AND status < ?", ...status);
  return { where, parameters };
}

/** Splits into lists of equal size. The last one is padded with its last value, which matches nothing twice. */
export function* pieces<Value>(values: Value[], size: number): Generator<Value[]> {
  for (let from = 0; from < values.length; from += size) {
    const piece = values.slice(from, from + size);
    while (piece.length < size) piece.push(piece.at(-1)!);
    yield piece;
  }
}

/** Returns the times for each statement. */
export function* timePieces(times: number[]): Generator<number[]> {
  for (let from = 0; from < times.length; from += timesAtOnce) yield times.slice(from, from + timesAtOnce);
}

export async function deploymentNames(reads: Reads, accountSeq: number): Promise<Map<number, string>> {
  const rows = await reads.query
    .selectFrom("deployments")
    .select(["seq", "name"])
    .where("account_seq", "=", accountSeq)
    .execute();
  return new Map(rows.map(({ seq, name }) => [seq, name]));
}

/** Whether a request to one of the account's deployments succeeded on one of these days. */
export async function hasSuccessOn(reads: Reads, accountSeq: number, days: number[]): Promise<boolean> {
  const step = steps["1d"].milliseconds;
  const selection = { step, accountSeq, deploymentSeq: undefined, route: undefined, consumer: undefined } as const;
  const { where, parameters } = conditions({ ...selection, status: [200, 400], times: days }, detail.totals, days);
  return (await reads.one(`SELECT 1 AS found FROM traffic WHERE ${where} LIMIT 1`, parameters)) !== undefined;
}

/** The first and the last day on which requests of each consumer succeeded. */
export function firstAndLast(
  reads: Reads,
  accountSeq: number,
  consumers: string[],
): Promise<{ consumer: string; first: number; last: number }[]> {
  return reads.all(
    `SELECT consumer, MIN(time) AS first, MAX(time) AS last FROM traffic
     WHERE account_seq = ? AND step = ? AND detail = ? AND status < 400 AND consumer <> ''
       AND consumer IN (${consumers.map(() => "?").join(", ")})
     GROUP BY consumer`,
    [accountSeq, steps["1d"].milliseconds, detail.consumers, ...consumers],
  );
}
