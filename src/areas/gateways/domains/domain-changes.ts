import type { Act } from "../../../core/access.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { type HostOf, presentDomain } from "./present.ts";
import type { DomainRow } from "./store.ts";

/** The domain in changes, with its former and its current state. */
export function changedDomain(hostOf: HostOf, before: DomainRow | undefined, after?: DomainRow): ChangedResource {
  const { id, host } = (after ?? before)!;
  return {
    type: "domain",
    id,
    name: host,
    before: before && presentDomain(before, hostOf),
    after: after && presentDomain(after, hostOf),
  };
}

/** Changes by the server itself. */
export function systemAct({ account_seq, account_id, account_name }: DomainRow, now: number): Act {
  const account = { seq: account_seq, id: account_id, name: account_name };
  return { account, actor: "system", actorType: "system", now };
}
