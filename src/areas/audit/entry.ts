import type { ChangeDetails } from "../../platform/storage/change.ts";
import "../../core/changes/details.ts";
import { formatDateTime } from "../../lib/time.ts";
import { differences, type FieldChange } from "./differences.ts";

/** An entry without what sealing adds: what its hash is over. */
export interface Entry {
  id: string;
  time: string;
  action: string;
  actor: ChangeDetails["actor"];
  resource: ChangeDetails["resource"];
  requestId?: string | undefined;
  ip?: string | undefined;
  changes: FieldChange[];
  counts?: Record<string, number> | undefined;
}

export function entryOf(details: ChangeDetails): Entry {
  const { id, time, action, actor, resource, requestId, ip, before, after, changed = [], counts } = details;
  return {
    id,
    time: formatDateTime(time),
    action,
    actor,
    resource,
    requestId,
    ip,
    changes: [...differences(before, after), ...changed.map((pointer) => ({ pointer, after: "changed" }))],
    counts,
  };
}
