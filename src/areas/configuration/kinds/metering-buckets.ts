import type { AccountReference } from "../../../core/access.ts";
import { invalid } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import {
  createMeteringBucket,
  deleteMeteringBucket,
  listMeteringBuckets,
  type MeteringBucket,
} from "../../metering-buckets/metering-buckets.ts";
import type { Kind } from "../kind.ts";
import { allPages } from "./entries.ts";

export const meteringBuckets: Kind = {
  name: "meteringBuckets",
  operations: { create: "createMeteringBucket", update: "updateMeteringBucket", delete: "deleteMeteringBucket" },
  async existing(reads, account) {
    return (await namedBuckets(reads, account)).map((row) => ({
      id: row.id,
      name: row.name,
      version: row.version,
      entry: row.test_clock === null ? {} : { isTest: true },
    }));
  },
  async unnamed(reads, account) {
    const { total } = await listMeteringBuckets(reads, account.seq, { limit: 1, offset: 0 });
    return total - (await namedBuckets(reads, account)).length;
  },
  desired: (name, { isTest }) => ({ ...name, input: isTest ? { isTest } : {} }),
  dumped: ({ entry }) => entry,
  async create(transaction, act, { name, input }) {
    return (await createMeteringBucket(transaction, act, { name, ...input })).id;
  },
  async update() {
    throw invalid("/isTest", "cannot change after creation");
  },
  delete: (transaction, act, { id }, precondition) =>
    deleteMeteringBucket(transaction, act, id, { force: false, precondition }),
};

type NamedBucket = MeteringBucket & { name: string };

/** A bucket without a name cannot be mentioned, and neither can its plans. */
export async function namedBuckets(reads: Reads, account: AccountReference): Promise<NamedBucket[]> {
  const rows = await allPages((paging) => listMeteringBuckets(reads, account.seq, paging));
  return rows.filter((row): row is NamedBucket => row.name !== null);
}
