import type { AccountReference } from "../../../core/access.ts";
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
    return (await namedBuckets(reads, account)).map(({ id, name, version }) => ({ id, name, version, entry: {} }));
  },
  async unnamed(reads, account) {
    const { total } = await listMeteringBuckets(reads, account.seq, { limit: 1, offset: 0 });
    return total - (await namedBuckets(reads, account)).length;
  },
  desired: (name, entry) => ({ ...name, input: entry }),
  dumped: ({ entry }) => entry,
  async create(transaction, act, { name }) {
    return (await createMeteringBucket(transaction, act, { name })).id;
  },
  async update() {
    // A metering bucket has no field except its name.
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
