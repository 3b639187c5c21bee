import { z } from "zod";
import { list, read, write } from "../../../api/endpoint.ts";
import { queryBoolean } from "../../../api/schemas.ts";
import { createBucket, deleteBucket, findBucket, listBuckets, updateBucket } from "../buckets.ts";
import { presentBucket } from "../present-bucket.ts";
import { meteringBucket, meteringBucketInput, meteringBucketPatch } from "../schema.ts";
import { bucketPath, bucketsPath, inAccountOfCaller } from "./shared.ts";

const area = "Metering";

export function bucketRoutes() {
  return [
    list({
      operationId: "listMeteringBuckets",
      path: bucketsPath,
      area,
      inAccountOfCaller,
      summary: "List metering buckets",
      access: "read",
      item: meteringBucket,
      listName: "MeteringBucketList",
      handle: async ({ reads, account, query }) => {
        const { data, total } = await listBuckets(reads, account.seq, query);
        return { data: data.map((row) => presentBucket(row, account.name)), total };
      },
    }),
    write({
      operationId: "createMeteringBucket",
      method: "POST",
      path: bucketsPath,
      area,
      inAccountOfCaller,
      summary: "Create a metering bucket",
      access: "edit",
      body: meteringBucketInput,
      response: meteringBucket,
      problems: ["metering_bucket_exists"],
      handle: async ({ act, body }, transaction) => {
        const created = await createBucket(transaction, act, body);
        return { body: presentBucket(created, act.account.name), revision: created };
      },
    }),
    read({
      operationId: "getMeteringBucket",
      path: bucketPath,
      area,
      inAccountOfCaller,
      summary: "Read a metering bucket",
      access: "read",
      response: meteringBucket,
      handle: async ({ reads, account, params }) => {
        const found = await findBucket(reads, account.seq, params.bucketId);
        return { body: presentBucket(found, account.name), revision: found };
      },
    }),
    write({
      operationId: "updateMeteringBucket",
      method: "PATCH",
      path: bucketPath,
      area,
      inAccountOfCaller,
      summary: "Change a metering bucket",
      description: "`null` clears its name. Paths and gateway projects with the old name no longer work.",
      access: "edit",
      body: meteringBucketPatch,
      response: meteringBucket,
      problems: ["metering_bucket_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await updateBucket(transaction, act, params.bucketId, body, precondition);
        return { body: presentBucket(updated, act.account.name), revision: updated };
      },
    }),
    write({
      operationId: "deleteMeteringBucket",
      method: "DELETE",
      path: bucketPath,
      area,
      inAccountOfCaller,
      summary: "Delete a metering bucket",
      access: "edit",
      query: z.object({
        force: queryBoolean.default(false).meta({ description: "Also delete the subscriptions and usage in it." }),
      }),
      problems: ["metering_bucket_not_empty", "bucket_has_invoices"],
      handle: async ({ act, params, query, precondition }, transaction) => {
        await deleteBucket(transaction, act, params.bucketId, { force: query.force, precondition });
        return {};
      },
    }),
  ];
}
