import { z } from "zod";
import { list, read, write } from "../../api/endpoint.ts";
import { Presented } from "../../api/presented.ts";
import { queryBoolean } from "../../api/schemas.ts";
import { createBucket, deleteBucket, findBucket, listBuckets, updateBucket } from "./buckets.ts";
import { presentBucket } from "./present.ts";
import { bucket, bucketInput, bucketPatch } from "./schema.ts";

export const bucketAreas = {
  "Key buckets":
    "Containers for consumers and keys. A bucket is created with its first consumer, or here with options.",
};

const area = "Key buckets";
const buckets = "/v1/accounts/{accountName}/key-buckets";

export function bucketRoutes() {
  return [
    list({
      operationId: "listKeyBuckets",
      path: buckets,
      area,
      summary: "List key buckets",
      access: "read",
      item: bucket,
      listName: "KeyBucketList",
      handle: async ({ reads, account, query }) => {
        const { data, total } = await listBuckets(reads, account.seq, query);
        return { data: Presented.from(data, presentBucket), total };
      },
    }),
    write({
      operationId: "createKeyBucket",
      method: "POST",
      path: buckets,
      area,
      summary: "Create a key bucket",
      access: "edit",
      body: bucketInput,
      response: bucket,
      problems: ["bucket_exists"],
      examples: { request: { name: "main", keyPrefix: "acme", isRetrievable: false } },
      handle: async ({ act, body }, transaction) => {
        const created = await createBucket(transaction, act, body);
        return { body: presentBucket(created), revision: created };
      },
    }),
    read({
      operationId: "getKeyBucket",
      path: `${buckets}/{bucketName}`,
      area,
      summary: "Read a key bucket",
      access: "read",
      response: bucket,
      handle: async ({ reads, account, params }) => {
        const found = await findBucket(reads, account.seq, params.bucketName);
        return { body: presentBucket(found), revision: found };
      },
    }),
    write({
      operationId: "updateKeyBucket",
      method: "PATCH",
      path: `${buckets}/{bucketName}`,
      area,
      summary: "Change a key bucket",
      description: "A given field replaces the old value, `null` clears it, an absent field is not changed.",
      access: "edit",
      body: bucketPatch,
      response: bucket,
      examples: { request: { description: "Keys of the public API" } },
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await updateBucket(transaction, act, params.bucketName, body, precondition);
        return { body: presentBucket(updated), revision: updated };
      },
    }),
    write({
      operationId: "deleteKeyBucket",
      method: "DELETE",
      path: `${buckets}/{bucketName}`,
      area,
      summary: "Delete a key bucket",
      access: "edit",
      query: z.object({
        force: queryBoolean.default(false).meta({ description: "Also delete the consumers and keys in it." }),
      }),
      problems: ["bucket_not_empty"],
      handle: async ({ act, params, query, precondition }, transaction) => {
        await deleteBucket(transaction, act, params.bucketName, { force: query.force, precondition });
        return {};
      },
    }),
  ];
}
