import type { Change, ChangeKind, ChangeKinds } from "../../platform/storage/change.ts";
import type { Act } from "../access/access.ts";
import "./catalogue.ts";

interface Recorder {
  record(change: Change): void;
}

/** The data of a kind, left out where the kind has none. */
type DataOf<Kind extends ChangeKind> = ChangeKinds[Kind] extends undefined ? [] : [data: ChangeKinds[Kind]];

/** Records what somebody did in their account. */
export function recordChange<Kind extends ChangeKind>(
  transaction: Recorder,
  act: Pick<Act, "account" | "actor">,
  kind: Kind,
  subject: string,
  ...[data]: DataOf<Kind>
): void {
  transaction.record({ accountSeq: act.account.seq, actor: act.actor, kind, subject, data } as Change);
}
