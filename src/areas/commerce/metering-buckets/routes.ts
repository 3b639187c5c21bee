import { z } from "zod";
import { type AreaContext, areaOf } from "../../../api/area.ts";
import { list, remove, routeScope, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { queryBoolean } from "../../../api/schemas.ts";
import { bucketPath, bucketsPath, inBucket } from "./in-bucket.ts";
import {
  createMeteringBucket,
  deleteMeteringBucket,
  listMeteringBuckets,
  presentMeteringBucket,
  updateMeteringBucket,
} from "./metering-buckets.ts";
import { removeDeletedMetering } from "./removal.ts";
import { meteringBucket, meteringBucketInput, meteringBucketPatch } from "./schema.ts";

export function meteringBucketArea({ storage }: AreaContext) {
  const operations = routeScope({ inAccountOfCaller: true }, [
    list({
      operationId: "listMeteringBuckets",
      path: bucketsPath,
      summary: "List metering buckets",
      access: "read",
      item: meteringBucket,
      listName: "MeteringBucketList",
      handle: async ({ reads, account, query }) =>
        presentPage(await listMeteringBuckets(reads, account.seq, query), (row) =>
          presentMeteringBucket(row, account.name),
        ),
    }),
    write({
      operationId: "createMeteringBucket",
      method: "POST",
      path: bucketsPath,
      summary: "Create a metering bucket",
      access: "edit",
      body: meteringBucketInput,
      response: meteringBucket,
      problems: ["metering_bucket_exists"],
      handle: async ({ act, body }, transaction) => {
        const created = await createMeteringBucket(transaction, act, body);
        return { body: presentMeteringBucket(created, act.account.name), revision: created };
      },
    }),
    inBucket.read({
      operationId: "getMeteringBucket",
      path: bucketPath,
      summary: "Read a metering bucket",
      access: "read",
      response: meteringBucket,
      handle: ({ account, bucket }) => ({ body: presentMeteringBucket(bucket, account.name), revision: bucket }),
    }),
    write({
      operationId: "updateMeteringBucket",
      method: "PATCH",
      path: bucketPath,
      summary: "Change a metering bucket",
      description:
        "`null` clears its name or its key bucket. Paths and gateway projects with the old name no longer work.",
      access: "edit",
      body: meteringBucketPatch,
      response: meteringBucket,
      problems: ["metering_bucket_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await updateMeteringBucket(transaction, act, params.bucketId, body, precondition);
        return { body: presentMeteringBucket(updated, act.account.name), revision: updated };
      },
    }),
    remove({
      operationId: "deleteMeteringBucket",
      path: bucketPath,
      summary: "Delete a metering bucket",
      access: "edit",
      query: z.object({
        force: queryBoolean.default(false).meta({ description: "Also delete the subscriptions and usage in it." }),
      }),
      problems: ["metering_bucket_not_empty", "bucket_has_invoices"],
      handle: ({ act, params, query, precondition }, transaction) =>
        deleteMeteringBucket(transaction, act, params.bucketId, { force: query.force, precondition }),
    }),
  ]);
  return areaOf({ Metering: "Containers for plans and subscriptions." }, operations, {
    contents: [(signal) => removeDeletedMetering(storage, signal)],
  });
}
