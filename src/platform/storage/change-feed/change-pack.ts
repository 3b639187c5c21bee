import { packLines, unpackLines } from "../../../lib/text/packed-lines.ts";
import { topicsWithRows } from "../../../lib/topics.ts";
import type { Change, ChangeDetails } from "../change.ts";
import { changeRow, type NewChange } from "./changes.ts";
import type { ChangeRow } from "./feed-cursor.ts";

/**
 * Fewer changes remain separate rows: compressing them saves nothing, and the audit log hashes each of them by itself.
 */
const minPackSize = 16;
/** The limit, because a pack is read, hashed and searched as a whole. */
const maxPackSize = 256;

/** The metadata of a pack that is known without unpacking it, as JSON in the column of a change's details. */
export interface PackSummary {
  lowestId: string;
  highestId: string;
  earliest: string;
  latest: string;
}

type DetailedChange = Change & { details: ChangeDetails };

/**
 * Packs changes that were committed together and that only durable readers need. Under load, the changes of an account
 * become one row, which takes a tenth of the bytes and half of the time.
 */
export function packedRows(changes: Change[], origin: string, now: number): NewChange[] {
  if (changes.length < minPackSize) return changes.map((change) => changeRow(change, origin, now));
  const rows: NewChange[] = [];
  const byAccount = Map.groupBy(changes, ({ accountSeq, details }) => (details ? accountSeq : undefined));
  for (const [account, ofAccount] of byAccount) {
    for (let first = 0; first < ofAccount.length; first += maxPackSize) {
      const together = ofAccount.slice(first, first + maxPackSize);
      if (account === undefined || together.length < minPackSize)
        rows.push(...together.map((change) => changeRow(change, origin, now)));
      else rows.push(packedRow(together as DetailedChange[], origin, now));
    }
  }
  return rows;
}

function packedRow(changes: DetailedChange[], origin: string, now: number): NewChange {
  const { accountSeq, actor, kind, subject, details } = changes[0]!;
  let { id: lowestId, id: highestId, time: earliest, time: latest } = details;
  const topics: string[] = [];
  let otherTopics: string | undefined;
  const lines: string[] = [];
  let isOneKind = true;
  let hasState = false;
  for (const change of changes) {
    const { id, time } = change.details;
    if (id < lowestId) lowestId = id;
    if (id > highestId) highestId = id;
    if (time < earliest) earliest = time;
    if (time > latest) latest = time;
    topics.push(change.subject);
    if (change.topics !== undefined && change.topics !== otherTopics) topics.push(...change.topics.split("\n"));
    otherTopics = change.topics;
    lines.push(JSON.stringify(change.details));
    isOneKind &&= change.kind === kind;
    hasState ||= change.state !== undefined;
  }
  return {
    at: now,
    origin,
    account_seq: accountSeq,
    actor,
    kind: isOneKind ? kind : changes.map((change) => change.kind).join("\n"),
    subject,
    data: null,
    details: JSON.stringify({ lowestId, highestId, earliest, latest } satisfies PackSummary),
    state: hasState ? changes.map(({ state }) => (state ? JSON.stringify(state) : "")).join("\n") : null,
    topics: topicsWithRows(topics, lowestId, highestId).join("\n"),
    count: changes.length,
    pack: packLines(lines),
  };
}

/** A single change as a durable reader receives it. */
export type StoredChange = Pick<ChangeRow, "account_seq" | "kind" | "details" | "state">;

/** Returns the changes of a row in the order in which they were written. */
export function unpackChanges({ account_seq, kind, details, state, pack }: ChangeRow): StoredChange[] {
  if (pack === null) return [{ account_seq, kind, details, state }];
  const kinds = kind.split("\n");
  const states = state?.split("\n");
  return unpackLines(pack).map((line, index) => ({
    account_seq,
    kind: kinds[index] ?? kind,
    details: line,
    state: states?.[index] || null,
  }));
}
