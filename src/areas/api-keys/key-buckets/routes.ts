import { z } from "zod";
import { type AreaContext, areaOf } from "../../../api/area.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { queryBoolean } from "../../../api/schemas.ts";
import { createKeyBucket, deleteKeyBucket, findKeyBucket, listKeyBuckets, updateKeyBucket } from "./key-buckets.ts";
import { presentKeyBucket } from "./present.ts";
import { removeDeletedKeyBuckets } from "./removal.ts";
import { bucket, keyBucketInput, keyBucketPatch } from "./schema.ts";

const buckets = "/v1/accounts/{accountName}/key-buckets";

export function keyBucketArea({ storage }: AreaContext) {
  const operations = [
    list({
      operationId: "listKeyBuckets",
      path: buckets,
      summary: "List key buckets",
      access: "read",
      item: bucket,
      listName: "KeyBucketList",
      handle: async ({ reads, account, query }) =>
        presentPage(await listKeyBuckets(reads, account.seq, query), presentKeyBucket),
    }),
    write({
      operationId: "createKeyBucket",
      method: "POST",
      path: buckets,
      summary: "Create a key bucket",
      access: "edit",
      body: keyBucketInput,
      response: bucket,
      problems: ["bucket_exists"],
      examples: { request: { name: "main", keyPrefix: "acme", isRetrievable: false } },
      handle: async ({ act, body }, transaction) => {
        const created = await createKeyBucket(transaction, act, body);
        return { body: presentKeyBucket(created), revision: created };
      },
    }),
    read({
      operationId: "getKeyBucket",
      path: `${buckets}/{bucketName}`,
      summary: "Read a key bucket",
      access: "read",
      response: bucket,
      handle: async ({ reads, account, params }) => {
        const found = await findKeyBucket(reads, account.seq, params.bucketName);
        return { body: presentKeyBucket(found), revision: found };
      },
    }),
    write({
      operationId: "updateKeyBucket",
      method: "PATCH",
      path: `${buckets}/{bucketName}`,
      summary: "Change a key bucket",
      description: "A given field replaces the old value, `null` clears it, an absent field is not changed.",
      access: "edit",
      body: keyBucketPatch,
      response: bucket,
      examples: { request: { description: "Keys of the public API" } },
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await updateKeyBucket(transaction, act, params.bucketName, body, precondition);
        return { body: presentKeyBucket(updated), revision: updated };
      },
    }),
    remove({
      operationId: "deleteKeyBucket",
      path: `${buckets}/{bucketName}`,
      summary: "Delete a key bucket",
      access: "edit",
      query: z.object({
        force: queryBoolean.default(false).meta({ description: "Also delete the consumers and keys in it." }),
      }),
      problems: ["bucket_not_empty"],
      handle: ({ act, params, query, precondition }, transaction) =>
        deleteKeyBucket(transaction, act, params.bucketName, { force: query.force, precondition }),
    }),
  ];
  return areaOf(
    {
      "Key buckets":
        "Containers for consumers and keys. A bucket is created with its first consumer, or here with options.",
    },
    operations,
    { contents: [(signal) => removeDeletedKeyBuckets(storage, signal)] },
  );
}
