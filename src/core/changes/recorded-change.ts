import type { ChangeDetails, ChangeKind } from "../../platform/storage/change.ts";
import { type StoredChange, unpackChanges } from "../../platform/storage/change-feed/change-pack.ts";
import type { ChangeRow } from "../../platform/storage/change-feed/feed-cursor.ts";
import "./details.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { differences } from "./differences.ts";

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
  const parsed = JSON.parse(details) as ChangeDetails | EarlierDetails;
  const change = { accountSeq: account_seq, kind: kind as ChangeKind };
  if (isEarlier(parsed)) return { ...change, details: toEntry(parsed), shown: parsed.after ?? parsed.before };
  const whole = parsed.changes.find(({ pointer }) => pointer === "");
  const shown = state === null ? (whole?.after ?? whole?.before) : JSON.parse(state);
  return { ...change, details: parsed, shown };
}

/** The format of entries that earlier versions recorded. */
interface EarlierDetails extends Omit<ChangeDetails, "time" | "changes"> {
  time: number;
  before?: object;
  after?: object;
  changed?: string[];
}

function isEarlier(details: ChangeDetails | EarlierDetails): details is EarlierDetails {
  return typeof details.time === "number";
}

const earlierForm = /^\{"id":"[^"]*","time":\d/;

/** Returns the JSON text of an entry. It is parsed only if an earlier version recorded it. */
export function entryText({ details }: StoredChange): string {
  return earlierForm.test(details) ? JSON.stringify(toEntry(JSON.parse(details))) : details;
}

function toEntry({ time, before, after, changed = [], ...rest }: EarlierDetails): ChangeDetails {
  const { id, action, actor, resource, requestId, ip, counts } = rest;
  const secrets = changed.map((pointer) => ({ pointer, after: "changed" }));
  const changes = [...differences(before, after), ...secrets];
  return { id, time: formatDateTime(time), action, actor, resource, requestId, ip, changes, counts };
}
