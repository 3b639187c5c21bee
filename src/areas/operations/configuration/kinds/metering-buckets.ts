import type { AccountReference } from "../../../../core/access.ts";
import { invalid } from "../../../../core/problems/problem.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import {
  createMeteringBucket,
  deleteMeteringBucket,
  listMeteringBuckets,
  type MeteringBucket,
  updateMeteringBucket,
} from "../../../commerce/metering-buckets/metering-buckets.ts";
import { sharedCustomerWarnings } from "../../../commerce/metering-buckets/shared-customers.ts";
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
      entry: {
        ...(row.test_clock === null ? {} : { isTest: true }),
        ...(row.key_bucket === null ? {} : { keyBucket: row.key_bucket }),
      },
    }));
  },
  async unnamed(reads, account) {
    const { total } = await listMeteringBuckets(reads, account.seq, { limit: 1, offset: 0 });
    return total - (await namedBuckets(reads, account)).length;
  },
  desired: (name, { isTest, ...entry }) => ({ ...name, input: { ...(isTest ? { isTest } : {}), ...entry } }),
  dumped: ({ entry }) => entry,
  async create(transaction, act, { name, input }) {
    return (await createMeteringBucket(transaction, act, { name, ...input })).id;
  },
  async update(transaction, act, { id }, { before, input }, precondition) {
    if (before.isTest !== input.isTest) throw invalid("/isTest", "cannot change after creation");
    const keyBucket = (input.keyBucket as string | undefined) ?? null;
    await updateMeteringBucket(transaction, act, id, { keyBucket }, precondition);
  },
  async remarks(reads, act, { after }) {
    if (!after || after.input.keyBucket !== undefined) return {};
    return { notes: await sharedCustomerWarnings(reads, act.account.seq) };
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
