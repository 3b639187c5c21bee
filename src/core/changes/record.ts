import { newId } from "../../lib/ids.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { Change, ChangeDetails, ChangeKind, ChangeKinds } from "../../platform/storage/change.ts";
import { type Act, serverTimeOf } from "../access.ts";
import type { ChangedResource } from "./details.ts";
import { differences } from "./differences.ts";
import "./catalogue.ts";

/** The maximum number of ids in the event of a bulk request. */
export const maxListedIds = 100;

interface Recorder {
  record(change: Change): void;
}

/** The data of a kind. Omitted if the kind has none. */
type DataOf<Kind extends ChangeKind> = ChangeKinds[Kind] extends undefined ? [] : [data: ChangeKinds[Kind]];

/** Records a change in an account: for followers, the audit log and webhooks. */
export function recordChange<Kind extends ChangeKind>(
  transaction: Recorder,
  act: Act,
  kind: Kind,
  resource: ChangedResource,
  ...[data]: DataOf<Kind>
): void {
  transaction.record({
    accountSeq: act.account.seq,
    actor: act.actor,
    kind,
    subject: resource.subject ?? resource.id,
    data,
    details: detailsOf(act, kind, resource),
    state: resource.event ?? (resource.before && resource.after),
    topics: topicsOf(resource),
  } as Change);
}

/** Records a change for followers only. It does not appear in the audit log. */
export function recordForFollowers<Kind extends ChangeKind>(
  transaction: Recorder,
  act: Pick<Act, "account" | "actor">,
  kind: Kind,
  subject: string,
  ...[data]: DataOf<Kind>
): void {
  transaction.record({ accountSeq: act.account.seq, actor: act.actor, kind, subject, data } as Change);
}

function detailsOf(act: Act, kind: ChangeKind, resource: ChangedResource): ChangeDetails {
  const { type, id, name, parent, before, after, changed, counts, action = kind } = resource;
  const time = serverTimeOf(act);
  const changes = differences(before, after);
  for (const pointer of changed ?? []) changes.push({ pointer, after: "changed" });
  return {
    id: newId("audt", time),
    time: formatDateTime(time),
    action,
    actor: { type: act.actorType ?? "system", id: act.actor, name: act.actorName },
    resource: { type, id, name, parent: parent && { type: parent.type, id: parent.id, name: parent.name } },
    requestId: act.requestId,
    ip: act.ip || undefined,
    assistant: act.assistant,
    changes,
    counts,
    bucketTime: act.now === time ? undefined : formatDateTime(act.now),
  };
}

/** Returns the ids, besides the subject, by which the change is found. */
function topicsOf({ id, subject = id, parent }: ChangedResource): string | undefined {
  if (subject === id) return parent?.id;
  return parent && parent.id !== subject ? `${id}\n${parent.id}` : id;
}
