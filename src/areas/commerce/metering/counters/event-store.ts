import { digestOf } from "../../../../counting/events/event-keys.ts";
import { isPartitioned } from "../../../../counting/events/event-table.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import { runsOf } from "../../../../platform/storage/runs.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf } from "../../../../platform/storage/tables.ts";

export type EventRow = Omit<RowOf<"usage_events">, "seq" | "voided_on">;

/**
 * Stores all events of a transaction, each as the rows of its meters, and returns for each whether it is new. A duplicate
 * is not changed. On SQLite, a large batch yields so that reads run in between.
 */
export async function insertEvents(transaction: WriteTransaction, events: Iterable<EventRow[]>): Promise<boolean[]> {
  // One statement, because it locks the keys of events in order.
  if (isPartitioned(transaction)) return insertKeyed(transaction, [...events]);
  const isNew: boolean[] = [];
  for (const piece of piecesByRows(events)) {
    if (isNew.length > 0) await yieldToEventLoop();
    isNew.push(...(await insertUnique(transaction, piece)));
  }
  return isNew;
}

/** An event may have a thousand rows. */
function* piecesByRows(events: Iterable<EventRow[]>): Generator<EventRow[][]> {
  let piece: EventRow[][] = [];
  let count = 0;
  for (const rows of events) {
    piece.push(rows);
    count += rows.length;
    if (count < pieceSize) continue;
    yield piece;
    piece = [];
    count = 0;
  }
  if (piece.length > 0) yield piece;
}

/** A unique constraint of the table detects duplicates. */
export async function insertUnique(transaction: WriteTransaction, events: EventRow[][]): Promise<boolean[]> {
  const firstParts = events.map(([first]) => first!);
  const isNew = await transaction.insertNew("usage_events", firstParts, ["bucket_seq", "source", "event_id", "part"]);
  await transaction.insertAll(
    "usage_events",
    events.flatMap((rows, index) => (isNew[index] ? rows.slice(1) : [])),
  );
  return isNew;
}

const columns = {
  bucket_seq: "bigint",
  source: "text",
  event_id: "text",
  part: "bigint",
  subscription_seq: "bigint",
  time: "bigint",
  period_start: "bigint",
  received_on: "bigint",
  meter: "text",
  whole: "bigint",
  billionths: "bigint",
} satisfies Record<keyof EventRow, string>;

const names = Object.keys(columns).join(", ");
const types = Object.entries({ n: "bigint", digest: "uuid", ...columns }).map((column) => column.join(" "));

/**
 * Keys first: another transaction with the same event waits there. They are sorted, so that two transactions with events
 * in common cannot deadlock.
 */
const insertWithKeys = `WITH given AS MATERIALIZED (
    SELECT * FROM json_to_recordset(?) AS given (${types.join(", ")})
  ), new_keys AS (
    INSERT INTO usage_event_keys (bucket_seq, digest, received_on)
    SELECT bucket_seq, digest, received_on FROM given WHERE part = 0 ORDER BY bucket_seq, digest
    ON CONFLICT DO NOTHING RETURNING bucket_seq, digest
  ), stored AS (
    INSERT INTO usage_events (seq, ${names}) SELECT nextval('usage_event_numbers'), ${names}
    FROM (SELECT given.* FROM given JOIN new_keys USING (bucket_seq, digest) ORDER BY n) AS new_events
  )
  SELECT bucket_seq, digest FROM new_keys`;

/** A table of keys detects duplicates. */
async function insertKeyed(transaction: WriteTransaction, events: EventRow[][]): Promise<boolean[]> {
  const indexOf = new Map<string, number>();
  const given: object[] = [];
  const slice = new Slice();
  for (const [index, rows] of events.entries()) {
    if (slice.isOver) await slice.next();
    const { bucket_seq, source, event_id } = rows[0]!;
    const digest = digestOf(source, event_id);
    const key = `${bucket_seq} ${digest}`;
    // An event that occurs twice in the batch: only the first one is new.
    if (indexOf.has(key)) continue;
    indexOf.set(key, index);
    for (const row of rows) given.push({ n: given.length, digest, ...row });
  }
  const isNew: boolean[] = Array(events.length).fill(false);
  const sql = insertWithKeys;
  const inserted = await transaction.all<{ bucket_seq: number; digest: string }>(sql, [JSON.stringify(given)]);
  for (const { bucket_seq, digest } of inserted)
    isNew[indexOf.get(`${bucket_seq} ${digest.replaceAll("-", "")}`)!] = true;
  return isNew;
}

/** Returns for each event whether it is stored. */
export function knownEvents(
  transaction: WriteTransaction,
  bucketSeq: number,
  events: { source: string; id: string }[],
): Promise<boolean[]> {
  return isPartitioned(transaction)
    ? knownByKey(transaction, bucketSeq, events)
    : knownByName(transaction, bucketSeq, events);
}

async function knownByKey(
  transaction: WriteTransaction,
  bucketSeq: number,
  events: { source: string; id: string }[],
): Promise<boolean[]> {
  const digests = events.map(({ source, id }) => digestOf(source, id));
  const rows = await transaction.all<{ digest: string }>(
    "SELECT digest FROM usage_event_keys WHERE bucket_seq = ? AND digest = ANY(CAST(? AS uuid[]))",
    [bucketSeq, digests],
  );
  const known = new Set(rows.map(({ digest }) => digest.replaceAll("-", "")));
  return digests.map((digest) => known.has(digest));
}

async function knownByName(
  transaction: WriteTransaction,
  bucketSeq: number,
  events: { source: string; id: string }[],
): Promise<boolean[]> {
  const keyOf = (source: string, id: string) => JSON.stringify([source, id]);
  const known = new Set<string>();
  for (const run of runsOf(events)) {
    const rows = await transaction.all<{ source: string; event_id: string }>(
      `SELECT source, event_id FROM usage_events
       WHERE bucket_seq = ? AND part = 0 AND (source, event_id) IN (VALUES ${run.map(() => "(?, ?)").join(", ")})`,
      [bucketSeq, ...run.flatMap(({ source, id }) => [source, id])],
    );
    for (const row of rows) known.add(keyOf(row.source, row.event_id));
  }
  return events.map(({ source, id }) => known.has(keyOf(source, id)));
}
