import type { ChangeDetails, ChangeKind } from "../../platform/storage/change.ts";
import { type StoredChange, unpackChanges } from "../../platform/storage/change-feed/change-pack.ts";
import type { ChangeRow } from "../../platform/storage/change-feed/feed-cursor.ts";
import "./details.ts";

/** A change as a durable reader receives it. */
export interface RecordedChange {
  accountSeq: number | null;
  kind: ChangeKind;
  details: ChangeDetails;
  /**
   * Returns the state for webhooks: the resource after the change or, if it was deleted, before it, unless the change
   * recorded another state.
   */
  shown: object | undefined;
}

export function recordedChanges(row: ChangeRow): RecordedChange[] {
  return unpackChanges(row).map(recordedChange);
}

function recordedChange({ account_seq, kind, details, state }: StoredChange): RecordedChange {
  const parsed = JSON.parse(details) as ChangeDetails;
  const whole = parsed.changes.find(({ pointer }) => pointer === "");
  const shown = state === null ? (whole?.after ?? whole?.before) : JSON.parse(state);
  return { accountSeq: account_seq, kind: kind as ChangeKind, details: parsed, shown };
}
