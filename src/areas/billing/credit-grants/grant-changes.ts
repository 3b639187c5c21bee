import { recordChange } from "../../../core/changes/record.ts";
import { type BucketContext, namedMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import type { GrantRow } from "./grant-store.ts";
import { presentGrant } from "./present-grant.ts";

type GrantKind =
  | "grant.created"
  | "grant.consumed"
  | "grant.depleted"
  | "grant.expired"
  | "grant.voided"
  | "grant.refunded"
  | "grant.restored"
  | "grant.adjusted";

export function recordGrant(
  { transaction, act, bucket }: BucketContext,
  kind: GrantKind,
  after: GrantRow,
  before?: GrantRow,
): void {
  const resource = { type: "grant", id: after.id, name: after.customer_key, parent: namedMeteringBucket(bucket) };
  const shown = presentGrant(after, act.now);
  const snapshots = before ? { before: presentGrant(before, act.now), after: shown } : { after: shown };
  recordChange(transaction, act, kind, { ...resource, ...snapshots });
}
