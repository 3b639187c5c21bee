import { invalid } from "../../../../core/problems/problem.ts";
import {
  createKeyBucket,
  deleteKeyBucket,
  listKeyBuckets,
  updateKeyBucket,
} from "../../../api-keys/key-buckets/key-buckets.ts";
import { presentKeyBucket } from "../../../api-keys/key-buckets/present.ts";
import type { Kind } from "../kind.ts";
import { keyBucketEntry } from "../schema.ts";
import { allPages, fieldsOf, patchOf, withoutDefaults } from "./entries.ts";

const defaults = { isRetrievable: true, keyPrefix: "tg", onLeak: "mark", tokenIssuers: [] };

export const keyBuckets: Kind = {
  name: "keyBuckets",
  operations: { create: "createKeyBucket", update: "updateKeyBucket", delete: "deleteKeyBucket" },
  async existing(reads, account) {
    const rows = await allPages((paging) => listKeyBuckets(reads, account.seq, paging));
    return rows.map((row) => ({ ...row, entry: fieldsOf(keyBucketEntry, presentKeyBucket(row)) }));
  },
  desired: (name, entry) => ({ ...name, input: { ...defaults, ...entry } }),
  dumped: ({ entry }) => withoutDefaults(entry, defaults),
  async create(transaction, act, { name, input }) {
    return (await createKeyBucket(transaction, act, { name, ...input })).id;
  },
  async update(transaction, act, { name }, { before, input }, precondition) {
    const { isRetrievable, ...patch } = patchOf(before, input);
    if (isRetrievable !== undefined) throw invalid("/isRetrievable", "cannot change after creation");
    await updateKeyBucket(transaction, act, name, patch, precondition);
  },
  delete: (transaction, act, { name }, precondition) =>
    deleteKeyBucket(transaction, act, name, { force: false, precondition }),
};
