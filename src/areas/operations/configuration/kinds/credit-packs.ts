import { invalid } from "../../../../core/problems/problem.ts";
import {
  createPack,
  deletePack,
  listPacks,
  type PackInput,
  presentPack,
  updatePack,
} from "../../../commerce/billing/packs/packs.ts";
import { findMeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import type { Existing, Kind } from "../kind.ts";
import { packEntry } from "../schema.ts";
import { allPages, fieldsOf, patchOf, withoutDefaults } from "./entries.ts";
import { namedBuckets } from "./metering-buckets.ts";

const defaults = { isPublic: false, position: 0 };

export const creditPacks: Kind = {
  name: "creditPacks",
  operations: { create: "createCreditPack", update: "updateCreditPack", delete: "deleteCreditPack" },
  parent: "meteringBuckets",
  async existing(reads, account) {
    const found: Existing[] = [];
    for (const bucket of await namedBuckets(reads, account))
      for (const row of await allPages((paging) => listPacks(reads, bucket, undefined, paging))) {
        const entry = fieldsOf(packEntry, presentPack(row));
        found.push({ parent: bucket.name, name: row.external_id, id: row.id, version: row.version, entry });
      }
    return found;
  },
  desired: (name, entry) => ({ ...name, input: { ...defaults, ...entry } }),
  dumped: ({ entry }) => withoutDefaults(entry, defaults),
  async create(transaction, act, { parent, name, input }) {
    const bucket = await findMeteringBucket(transaction, act.account.seq, parent!);
    const pack = { ...(input as unknown as PackInput), packExternalId: name };
    return (await createPack({ transaction, act, bucket }, pack)).id;
  },
  async update(transaction, act, { parent, id }, { before, input }, precondition) {
    const bucket = await findMeteringBucket(transaction, act.account.seq, parent!);
    const patch = patchOf(before, input);
    for (const fixed of ["price", "grant"])
      if (fixed in patch) throw invalid(`/${fixed}`, "cannot be changed: add another pack");
    await updatePack({ transaction, act, bucket }, id, patch, precondition);
  },
  async delete(transaction, act, { parent, id }, precondition) {
    const bucket = await findMeteringBucket(transaction, act.account.seq, parent!);
    await deletePack({ transaction, act, bucket }, id, precondition);
  },
};
