import { newId } from "../../lib/ids.ts";
import type { Change, ChangeDetails, ChangeKind, ChangeKinds } from "../../platform/storage/change.ts";
import type { Act } from "../access/access.ts";
import type { ChangedResource } from "./details.ts";
import "./catalogue.ts";

interface Recorder {
  record(change: Change): void;
}

/** The data of a kind, left out where the kind has none. */
type DataOf<Kind extends ChangeKind> = ChangeKinds[Kind] extends undefined ? [] : [data: ChangeKinds[Kind]];

/** Records what somebody did in their account: for followers, the audit log and webhooks. */
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
  } as Change);
}

/** Records what followers alone must know: it is no change of its own in the audit log. */
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
  return {
    id: newId("audt", act.now),
    time: act.now,
    action,
    actor: { type: act.actorType ?? "system", id: act.actor, name: act.actorName },
    resource: { type, id, name, parent },
    requestId: act.requestId,
    ip: act.ip || undefined,
    before,
    after,
    changed,
    counts,
  };
}
