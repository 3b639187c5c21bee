import { Slice } from "../../../lib/tasks/slices.ts";
import { segmentRangeOf } from "../../../lib/topics.ts";
import { forUpdate } from "../../../platform/storage/query.ts";
import { deleteRows } from "../../../platform/storage/rows.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type AuditSegmentRow = RowOf<"audit_segments">;
export type ChainRow = RowOf<"audit_chains">;
export type AuditKeyRow = RowOf<"audit_keys">;

interface SegmentFilter {
  /** An id that entries of the segment concern. */
  topic?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /** Only segments with entries below this number of the chain. */
  below?: number | undefined;
}

/** The number of entries to read at a time. */
const entriesPerBatch = 1000;
const bytesPerBatch = 2 * 1024 * 1024;
const maxSegments = 500;

/**
 * A segment has between one and a thousand entries, so the number of segments to read at a time depends on the size of
 * the last ones. It yields to the event loop in between, because a log may have millions of entries, and one segment
 * takes a few milliseconds.
 */
async function* inBatches(
  next: (last: AuditSegmentRow | undefined, limit: number) => Promise<AuditSegmentRow[]>,
): AsyncGenerator<AuditSegmentRow> {
  const slice = new Slice();
  let last: AuditSegmentRow | undefined;
  for (let limit = 2; ; ) {
    const rows = await next(last, limit);
    for (const row of rows) {
      yield row;
      if (slice.isOver) await slice.next();
    }
    if (rows.length < limit) return;
    await slice.next();
    last = rows.at(-1);
    const batches = Math.max(
      rows.reduce((sum, { count }) => sum + count, 0) / entriesPerBatch,
      rows.reduce((sum, { entries }) => sum + entries.length, 0) / bytesPerBatch,
    );
    limit = Math.max(1, Math.min(maxSegments, Math.floor(rows.length / batches)));
  }
}

/** Returns the segments that may contain matching entries, the last of the chain first. */
export function newestSegments(
  reads: Reads,
  accountSeq: number,
  { topic, from, to, below }: SegmentFilter,
): AsyncGenerator<AuditSegmentRow> {
  return inBatches((last, limit) => {
    let query = reads.query.selectFrom("audit_segments").selectAll().where("account_seq", "=", accountSeq);
    if (topic !== undefined)
      query = query.where("number", "in", (segments) => {
        const byTopic = segments
          .selectFrom("audit_topics")
          .select("audit_topics.number")
          .where("audit_topics.account_seq", "=", accountSeq)
          .where("topic", "=", topic);
        const ids = segmentRangeOf(topic);
        if (!ids) return byTopic;
        const byTime = segments
          .selectFrom("audit_segments as made")
          .select("made.number")
          .where("made.account_seq", "=", accountSeq)
          .where("made.lowest_id", "<", ids.lowestBelow)
          .where("made.highest_id", ">=", ids.highestFrom)
          .where("made.highest_id", "<", ids.highestBelow);
        return byTopic.union(byTime);
      });
    if (from !== undefined) query = query.where("latest", ">=", from);
    if (to !== undefined) query = query.where("earliest", "<", to);
    const end = last?.number ?? below;
    if (end !== undefined) query = query.where("number", "<", end);
    return query.orderBy("number", "desc").limit(limit).execute();
  });
}

const between =
  "SELECT * FROM audit_segments WHERE account_seq = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?";

/** Returns segments between the chain's anchor and its end, in the order of the chain. */
export function auditSegmentsOf(
  reads: Reads,
  { account_seq, anchor, count }: ChainRow,
): AsyncGenerator<AuditSegmentRow> {
  return inBatches((last, limit) => reads.all(between, [account_seq, last?.number ?? anchor, count, limit]));
}

/** Returns segments that may contain one of the ids between two. */
export function segmentsBetween(
  reads: Reads,
  accountSeq: number,
  from: string,
  to: string,
): Promise<AuditSegmentRow[]> {
  return reads.all("SELECT * FROM audit_segments WHERE account_seq = ? AND highest_id >= ? AND lowest_id <= ?", [
    accountSeq,
    from,
    to,
  ]);
}

/** The number of segments whose ids are compared at a time. */
const comparedAtOnce = 1000;

/**
 * Returns the segments that may contain the highest id up to the given one: those whose range it is in, and the nearest
 * one below. The range of a segment is wide if some of its ids come from the clock of a test bucket, so all segments that
 * end above the id are compared. Usually the first contains it.
 */
export async function* segmentsAround(reads: Reads, accountSeq: number, id: string): AsyncGenerator<AuditSegmentRow> {
  const sql = "SELECT * FROM audit_segments WHERE account_seq = ? AND";
  const slice = new Slice();
  let from = id;
  for (let limit = 2; ; limit = comparedAtOnce) {
    const ranges = await reads.all<Pick<AuditSegmentRow, "lowest_id" | "highest_id">>(
      `SELECT lowest_id, highest_id FROM audit_segments WHERE account_seq = ? AND highest_id >= ?
        ORDER BY highest_id LIMIT ?`,
      [accountSeq, from, limit],
    );
    for (const { lowest_id, highest_id } of ranges)
      if (lowest_id <= id) yield* await reads.all<AuditSegmentRow>(`${sql} highest_id = ?`, [accountSeq, highest_id]);
    if (ranges.length < limit) break;
    // No id has this suffix, so it is the next one.
    from = `${ranges.at(-1)!.highest_id}0`;
    await slice.next();
  }
  yield* await reads.all<AuditSegmentRow>(`${sql} highest_id < ? ORDER BY highest_id DESC LIMIT 1`, [accountSeq, id]);
}

/** Inserts segments of one account, each with its topics. */
export async function addSegments(
  transaction: WriteTransaction,
  added: { segment: AuditSegmentRow; topics: string[] }[],
): Promise<void> {
  await transaction.insertAll(
    "audit_segments",
    added.map(({ segment }) => segment),
  );
  const rows = added.flatMap(({ segment: { account_seq, number }, topics }) =>
    topics.map((topic) => ({ account_seq, topic, number })),
  );
  // Sorted, so that each row is next to the previous one.
  await transaction.insertAll(
    "audit_topics",
    rows.sort((one, other) => (one.topic < other.topic ? -1 : 1)),
  );
}

const fromTopics = (count: number) =>
  `FROM audit_topics WHERE account_seq = ? AND number = ? AND topic IN (${Array(count).fill("?").join(", ")})`;

/** Returns the number of topics of a segment. */
export async function countTopics(
  reads: Reads,
  { account_seq, number }: AuditSegmentRow,
  topics: string[],
): Promise<number> {
  let found = 0;
  for (const run of runsOf(topics))
    found += (await reads.all(`SELECT topic ${fromTopics(run.length)}`, [account_seq, number, ...run])).length;
  return found;
}

export async function removeSegment(
  transaction: WriteTransaction,
  { account_seq, number }: AuditSegmentRow,
  topics: string[],
): Promise<void> {
  for (const run of runsOf(topics))
    await transaction.run(`DELETE ${fromTopics(run.length)}`, [account_seq, number, ...run]);
  await deleteRows(transaction, "audit_segments", { account_seq, number });
}

/** Returns the number of the last entry in any segment, or 0. */
export async function lastNumber(reads: Reads, accountSeq: number): Promise<number> {
  const sql = "SELECT number, count FROM audit_segments WHERE account_seq = ? ORDER BY number DESC LIMIT 1";
  const last = await reads.one<Pick<AuditSegmentRow, "number" | "count">>(sql, [accountSeq]);
  return last ? last.number + last.count - 1 : 0;
}

export function unsignedChains(reads: Reads, limit: number): Promise<ChainRow[]> {
  return reads.all("SELECT * FROM audit_chains WHERE count > signed_count ORDER BY account_seq LIMIT ?", [limit]);
}

/** Locks the chain with the oldest segment, if that has expired. */
export function chainToTrim(transaction: WriteTransaction, olderThan: number): Promise<ChainRow | undefined> {
  const sql = "SELECT * FROM audit_chains WHERE oldest_on < ? ORDER BY oldest_on LIMIT 1";
  return transaction.one(forUpdate(transaction, sql), [olderThan]);
}

/** The newest first. */
export function signingKeys(reads: Reads): Promise<AuditKeyRow[]> {
  return reads.all("SELECT * FROM audit_keys ORDER BY created_on DESC, id", []);
}
