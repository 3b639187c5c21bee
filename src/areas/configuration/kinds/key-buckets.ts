import { invalid } from "../../../core/problems/problem.ts";
import { createBucket, deleteBucket, listBuckets, updateBucket } from "../../key-buckets/buckets.ts";
import { presentBucket } from "../../key-buckets/present.ts";
import type { Kind } from "../kind.ts";
import { keyBucketEntry } from "../schema.ts";
import { allPages, fieldsOf, patchOf, withoutDefaults } from "./entries.ts";

const defaults = { isRetrievable: true, keyPrefix: "tg", onLeak: "mark" };

export const keyBuckets: Kind = {
  name: "keyBuckets",
  operations: { create: "createKeyBucket", update: "updateKeyBucket", delete: "deleteKeyBucket" },
  async existing(reads, account) {
    const rows = await allPages((paging) => listBuckets(reads, account.seq, paging));
    return rows.map((row) => ({ ...row, entry: fieldsOf(keyBucketEntry, presentBucket(row)) }));
  },
  desired: (name, entry) => ({ ...name, input: { ...defaults, ...entry } }),
  dumped: ({ entry }) => withoutDefaults(entry, defaults),
  async create(transaction, act, { name, input }) {
    return (await createBucket(transaction, act, { name, ...input })).id;
  },
  async update(transaction, act, { name }, { before, input }, precondition) {
    const { isRetrievable, ...patch } = patchOf(before, input);
    if (isRetrievable !== undefined) throw invalid("/isRetrievable", "cannot change after creation");
    await updateBucket(transaction, act, name, patch, precondition);
  },
  delete: (transaction, act, { name }, precondition) =>
    deleteBucket(transaction, act, name, { force: false, precondition }),
};
