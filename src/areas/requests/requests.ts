import { notFound } from "../../core/problems/problem.ts";
import { firstIdOf } from "../../lib/ids.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import type { RequestEntry } from "./record.ts";
import {
  findRequest as findRow,
  newestRequests,
  omittedBetween,
  pieceEnd,
  type RequestFilter,
  type RequestRow,
  requestsById,
  type Scope,
} from "./store.ts";

export type { Scope };

/** A request as it was kept. */
export interface KeptRequest extends RequestEntry {
  id: string;
  deployment: string;
  version: number | null;
  time: number;
  requestId: string;
  method: string;
  path: string;
  route?: string;
  status: number;
  consumer?: string;
}

export interface RequestSelection extends RequestFilter {
  limit: number;
  /** Only requests with a lower id. */
  before?: string | undefined;
}

export interface Omitted {
  successes: number;
  failures: number;
}

const minuteMilliseconds = 60_000;

/** After every id. */
const lastId = "req_~";

/** A filter that matches little reads many rows: in pieces, so that other work on SQLite's thread gets its turns. */
const pieceRows = 2_000;

/** The newest that match, newest first, and how many were not kept in the minutes that they span. */
export async function listRequests(
  reads: Reads,
  scope: Scope,
  { limit, before, ...filter }: RequestSelection,
  now: number,
): Promise<{ data: KeptRequest[]; omitted: Omitted }> {
  const rows = await matching(reads, scope, { limit, before }, filter);
  const newest = before === undefined ? now : (rows[0]?.time ?? now);
  const oldest = rows.length < limit ? 0 : rows.at(-1)!.time;
  const span = { from: Math.max(oldest, filter.from ?? 0), to: Math.min(newest, (filter.to ?? newest + 1) - 1) };
  const omitted = await omittedBetween(reads, scope, minuteOf(span.from), minuteOf(span.to));
  return { data: rows.map(requestOf), omitted };
}

async function matching(
  reads: Reads,
  scope: Scope,
  { limit, before = lastId }: { limit: number; before?: string | undefined },
  filter: RequestFilter,
): Promise<RequestRow[]> {
  if (filter.requestId !== undefined && before === lastId && Object.values(filter).filter(isGiven).length === 1)
    return requestsById(reads, scope, filter.requestId, limit);
  // An id is made after its request came in, so none below this one is from that time on.
  const end = firstIdOf("req", filter.from ?? 0);
  const rows: RequestRow[] = [];
  let below = before;
  while (below > end) {
    const boundary = await pieceEnd(reads, scope, below, pieceRows);
    const from = boundary === undefined || boundary < end ? end : boundary;
    rows.push(...(await newestRequests(reads, scope, { from, below, limit: limit - rows.length }, filter)));
    if (rows.length >= limit || boundary === undefined) break;
    below = boundary;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return rows;
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

function minuteOf(time: number): number {
  return time - (time % minuteMilliseconds);
}

export async function findRequest(reads: Reads, accountSeq: number, id: string): Promise<KeptRequest> {
  const row = await findRow(reads, accountSeq, id);
  if (!row) throw notFound("request");
  return requestOf(row);
}

export function requestOf(row: RequestRow): KeptRequest {
  return {
    id: row.id,
    deployment: row.deployment_name,
    version: row.version_number,
    time: row.time,
    requestId: row.request_id,
    method: row.method,
    path: row.path,
    ...(row.route === null ? {} : { route: row.route }),
    status: row.status,
    ...(row.consumer === null ? {} : { consumer: row.consumer }),
    ...(JSON.parse(row.entry) as RequestEntry),
  };
}
