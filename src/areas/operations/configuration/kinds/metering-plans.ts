import type { Act } from "../../../../core/access.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { modeOf } from "../../../commerce/billing/payments/providers.ts";
import { missingForSales } from "../../../commerce/billing/settings/settings.ts";
import { findMeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import {
  createPlan,
  deletePlan,
  listPlans,
  type Meters,
  type PlanInput,
  presentPlan,
  updatePlan,
} from "../../../commerce/plans/plans.ts";
import { hasCosts } from "../../../commerce/plans/prices.ts";
import { listSubscriptions } from "../../../commerce/subscriptions/subscriptions.ts";
import type { AffectedSubscriptions, Desired, Existing, Kind, PlannedInput } from "../kind.ts";
import { planEntry } from "../schema.ts";
import { plannedSales } from "./billing-settings.ts";
import { allPages, fieldsOf, patchOf } from "./entries.ts";
import { namedBuckets } from "./metering-buckets.ts";

const maxListed = 100;

export const plans: Kind = {
  name: "plans",
  operations: { create: "createPlan", update: "updatePlan", delete: "deletePlan" },
  parent: "meteringBuckets",
  async existing(reads, account) {
    const found: Existing[] = [];
    for (const bucket of await namedBuckets(reads, account)) {
      const rows = await allPages((paging) => listPlans(reads, bucket, undefined, paging));
      for (const row of rows) {
        const entry = fieldsOf(planEntry, presentPlan(row, false));
        found.push({ parent: bucket.name, name: row.external_id, id: row.id, version: row.version, entry });
      }
    }
    return found;
  },
  desired: (name, entry) => ({ ...name, input: entry }),
  dumped: ({ entry }) => entry,
  async create(transaction, act, { parent, name, input }) {
    const bucket = await findMeteringBucket(transaction, act.account.seq, parent!);
    return (
      await createPlan({ transaction, act, bucket }, { ...(input as unknown as PlanInput), planExternalId: name })
    ).id;
  },
  async update(transaction, act, { parent, id }, { before, input }, precondition) {
    const bucket = await findMeteringBucket(transaction, act.account.seq, parent!);
    await updatePlan({ transaction, act, bucket }, id, patchOf(before, input), precondition);
  },
  async delete(transaction, act, { parent, id }, precondition) {
    const bucket = await findMeteringBucket(transaction, act.account.seq, parent!);
    await deletePlan({ transaction, act, bucket }, id, precondition);
  },
  async remarks(reads, act, { before, after }, planned) {
    if (!after) return {};
    const input = after.input as unknown as PlanInput;
    const notes = hasCosts(input) ? await saleNotes(reads, act, after, planned) : [];
    if (!before || !isLower(before.entry.meters as Meters, input.meters)) return { notes };
    const affectedSubscriptions = await subscriptionsWith(reads, act, before);
    return affectedSubscriptions.total === 0 ? { notes } : { notes, affectedSubscriptions };
  },
};

async function saleNotes(reads: Reads, act: Act, { parent }: Desired, planned: PlannedInput): Promise<string[]> {
  const bucket = (await namedBuckets(reads, act.account)).find(({ name }) => name === parent);
  const mode = bucket ? modeOf(bucket) : planned("meteringBuckets", parent!)?.isTest ? "test" : "live";
  return missingForSales(reads, act.account.seq, mode, plannedSales(planned));
}

function isLower(before: Meters, after: Meters): boolean {
  return Object.entries(before).some(([meter, { max }]) => !Object.hasOwn(after, meter) || after[meter]!.max < max);
}

/** The subscriptions that use the plan at the moment. */
async function subscriptionsWith(reads: Reads, act: Act, { parent, id }: Existing): Promise<AffectedSubscriptions> {
  const bucket = await findMeteringBucket(reads, act.account.seq, parent!);
  const affected: AffectedSubscriptions = { total: 0, data: [] };
  for (const status of ["active", "trialing"]) {
    const paging = { limit: maxListed, offset: 0 };
    const { data, total } = await listSubscriptions(reads, bucket, { planId: id, status }, act.now, paging);
    affected.total += total;
    affected.data.push(...data.map(({ row }) => ({ id: row.id, customerKey: row.customer_key })));
  }
  return { ...affected, data: affected.data.slice(0, maxListed) };
}
