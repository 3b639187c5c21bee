import { z } from "zod";
import { list, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { secret, text } from "../../../../core/schemas/schemas.ts";
import { jobStarted } from "../../../common/background-jobs/schema.ts";
import {
  type BulkKeyChange,
  type BulkKeyTarget,
  changeKeys,
  type KeyChanges,
  type ListedKey,
  listFilteredKeys,
  previewKeyChange,
} from "../bulk/bulk-changes.ts";
import {
  bulkResult,
  deleteKeysInput,
  keyFilterOf,
  keyFilterQuery,
  keyWhereOf,
  listedKey,
  updateKeysInput,
} from "../filter/filter-schema.ts";
import { reportLeak } from "../leaks.ts";
import type { KeyServices } from "./shared.ts";

const maxKeys = 1000;

const leakReport = z
  .strictObject({
    keys: z
      .array(secret(text(512).min(1)))
      .min(1, "must have at least one value")
      .max(maxKeys, `must have at most ${maxKeys} values`)
      .meta({ description: "The values that were found, whether they are keys or not." }),
    source: text(256).min(1).meta({ description: "Who found them, such as `github`." }),
    url: text(2000)
      .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), "must be an http or https URL")
      .optional()
      .meta({ description: "Where they were found." }),
  })
  .meta({ id: "LeakReport" });

const path = "/v1/accounts/{accountName}/key-buckets/{bucketName}/keys";

const example = {
  id: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
  createdOn: "2026-01-31T10:00:00.000Z",
  updatedOn: "2026-01-31T10:00:00.000Z",
  expiresOn: null,
  isEnabled: true,
  lastUsedOn: null,
  key: "****1b2c3d4e",
  consumer: { id: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu", name: "acme" },
};

const aboutSize =
  "Up to 1,000 keys are changed at once, all or none, and the response has a result for each. For more, the server starts a job: the response is 202 with its id.";

/** Operations on the keys of all consumers of a bucket. */
export function bulkRoutes({ keys, buckets }: KeyServices) {
  const present = (row: ListedKey) => ({
    ...keys.present(row, "masked"),
    consumer: { id: row.consumer_id, name: row.consumer_name },
  });

  return [
    list({
      operationId: "listBucketKeys",
      path,
      summary: "List the keys of all consumers",
      description: "Masked, in the order of creation. Tag conditions apply to the consumers.",
      access: "read",
      isMasked: true,
      query: keyFilterQuery,
      takesTags: true,
      item: listedKey,
      listName: "ListedApiKeyList",
      examples: { response: { data: [example], limit: 1000, offset: 0, total: 1 } },
      handle: async ({ reads, account, params, query, tags }) => {
        const bucket = await buckets.find(account.seq, params.bucketName);
        if (!bucket) return { data: [], total: 0 };
        return presentPage(await listFilteredKeys(reads, bucket, keyFilterOf(query, tags), query), present);
      },
    }),
    write({
      operationId: "updateKeys",
      method: "POST",
      path: `${path}/$update`,
      summary: "Change many keys",
      description: aboutSize,
      access: "edit",
      isMasked: true,
      body: updateKeysInput,
      largeBody: true,
      response: bulkResult,
      accepted: "for-jobs",
      examples: {
        request: { where: { "unused-since": "2026-01-01T00:00:00Z" }, set: { isEnabled: false } },
        response: { results: [{ id: example.id, status: "updated" }] },
      },
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await buckets.findIn(transaction, act.account.seq, params.bucketName);
        if (body.dryRun) return { body: shown(await previewKeyChange(transaction, bucket, targetOf(body))) };
        return started(await changeKeys(transaction, act, bucket, changeOf(body, body.set)));
      },
    }),
    write({
      operationId: "reportLeakedKeys",
      method: "POST",
      path: `${path}/$leaked`,
      summary: "Report leaked keys",
      description:
        "Returns 202 for every valid body, in the same time: the keys among the values are looked up later. They are marked with " +
        "`leak`, and disabled if the bucket's `onLeak` is `disable`. Webhooks get `key.leaked` for each.",
      access: "edit",
      body: leakReport,
      response: jobStarted,
      accepted: "for-jobs",
      examples: {
        request: {
          keys: ["tg_0123456789abcdef0123456789abcdef_7759b50e"],
          source: "github",
          url: "https://github.com/acme/website/blob/main/config.js",
        },
        response: { jobId: "job_0QGzNqW81Kx8VhTb3mPcRdZu" },
      },
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await buckets.findIn(transaction, act.account.seq, params.bucketName);
        return { body: { jobId: await reportLeak(transaction, act, bucket, body) }, startsJob: true };
      },
    }),
    write({
      operationId: "deleteKeys",
      method: "POST",
      path: `${path}/$delete`,
      summary: "Delete many keys",
      description: `They stop working immediately. ${aboutSize}`,
      access: "edit",
      isMasked: true,
      body: deleteKeysInput,
      largeBody: true,
      response: bulkResult,
      accepted: "for-jobs",
      examples: {
        request: { where: { "unused-since": "2026-01-01T00:00:00Z" } },
        response: { results: [{ id: example.id, status: "deleted" }] },
      },
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await buckets.findIn(transaction, act.account.seq, params.bucketName);
        if (body.dryRun) return { body: shown(await previewKeyChange(transaction, bucket, targetOf(body))) };
        return started(await changeKeys(transaction, act, bucket, changeOf(body, undefined)));
      },
    }),
  ];

  function shown({ matched, sample }: { matched: number; sample: ListedKey[] }) {
    return { matched, sample: sample.map(present) };
  }
}

function started(result: z.input<typeof bulkResult>) {
  return "jobId" in result ? { body: result, startsJob: true } : { body: result };
}

type Body = z.output<typeof deleteKeysInput>;

/** The schema ensures that exactly one of them is present. */
function targetOf({ ids, where }: Body): BulkKeyTarget {
  return ids ? { ids } : { where: keyWhereOf(where!) };
}

function changeOf(body: Body, set: KeyChanges | undefined): BulkKeyChange {
  return { ...targetOf(body), set };
}
