import { notFound } from "../../../core/problems/problem.ts";
import { firstIdOf } from "../../../lib/ids.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { RequestEntry } from "./request-record.ts";
import {
  findRequest as findRow,
  newestRequests,
  omittedBetween,
  pieceEnd,
  type RequestFilter,
  type RequestLogScope,
  type RequestRow,
  requestsById,
  requestsAfter as writtenRequestsAfter,
} from "./store.ts";

export type { RequestLogScope };
export { writtenRequestsAfter };

/** A recorded request. */
export interface StoredRequest extends RequestEntry {
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

interface RequestSelection extends RequestFilter {
  limit: number;
  /** Only requests with a lower id. */
  before?: string | undefined;
}

export interface Omitted {
  successes: number;
  failures: number;
}

const minuteMilliseconds = 60_000;

/** Sorts after every id. */
const lastId = "req_~";

/** A filter with few matches reads many rows: in batches, so that other work runs on SQLite's thread in between. */
const pieceRows = 2_000;

/** Returns the newest matches, newest first, and the number of omitted requests in the same minutes. */
export async function listRequests(
  reads: Reads,
  scope: RequestLogScope,
  { limit, before, ...filter }: RequestSelection,
  now: number,
): Promise<{ data: StoredRequest[]; omitted: Omitted }> {
  const rows = await matching(reads, scope, { limit, before }, filter);
  const newest = before === undefined ? now : (rows[0]?.time ?? now);
  const oldest = rows.length < limit ? 0 : rows.at(-1)!.time;
  const span = { from: Math.max(oldest, filter.from ?? 0), to: Math.min(newest, (filter.to ?? newest + 1) - 1) };
  const omitted = await omittedBetween(reads, scope, minuteOf(span.from), minuteOf(span.to));
  return { data: rows.map(requestOf), omitted };
}

async function matching(
  reads: Reads,
  scope: RequestLogScope,
  { limit, before = lastId }: { limit: number; before?: string | undefined },
  filter: RequestFilter,
): Promise<RequestRow[]> {
  if (filter.requestId !== undefined && before === lastId && Object.values(filter).filter(isGiven).length === 1)
    return requestsById(reads, scope, filter.requestId, limit);
  // An id is generated after its request arrived, so no lower id belongs to that time or later.
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

export async function findRequest(reads: Reads, accountSeq: number, id: string): Promise<StoredRequest> {
  const row = await findRow(reads, accountSeq, id);
  if (!row) throw notFound("request");
  return requestOf(row);
}

export function requestOf(request: RequestRow): StoredRequest {
  return {
    id: request.id,
    deployment: request.deployment_name,
    version: request.version_number,
    time: request.time,
    requestId: request.request_id,
    method: request.method,
    path: request.path,
    ...(request.route === null ? {} : { route: request.route }),
    status: request.status,
    ...(request.consumer === null ? {} : { consumer: request.consumer }),
    ...(JSON.parse(request.entry) as RequestEntry),
  };
}
