import type { z } from "zod";
import { write } from "../../api/endpoint.ts";
import { consumersPath } from "../consumer-addresses/consumer-address.ts";
import type { KeyBucketDirectory } from "../key-buckets/directory.ts";
import { type BulkConsumerTarget, changeConsumers, previewConsumerChange } from "./bulk.ts";
import { bulkConsumersResult, consumerWhereOf, deleteConsumersInput, updateConsumersInput } from "./bulk-schema.ts";
import { presentConsumer } from "./present.ts";

const area = "Consumers";
const aboutSize =
  "Up to 1,000 consumers are changed at once, all or none, and the response has a result for each. For more, the server starts a job: the response is 202 with its id.";

/** Operations on many consumers of a bucket. */
export function bulkConsumerRoutes(buckets: KeyBucketDirectory) {
  return [
    write({
      operationId: "updateConsumers",
      method: "POST",
      path: `${consumersPath}/$update`,
      area,
      summary: "Change many consumers",
      description: aboutSize,
      access: "edit",
      isMasked: true,
      body: updateConsumersInput,
      largeBody: true,
      response: bulkConsumersResult,
      mayStartJob: true,
      examples: {
        request: { where: { "tag.plan": "silver" }, set: { addTags: { plan: "gold" } } },
        response: { results: [{ name: "acme", status: "updated" }] },
      },
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await buckets.findIn(transaction, act.account.seq, params.bucketName);
        if (body.dryRun)
          return { body: shown(await previewConsumerChange(transaction, bucket, targetOf(body), act.now)) };
        return started(await changeConsumers(transaction, act, bucket, { ...targetOf(body), set: body.set }));
      },
    }),
    write({
      operationId: "deleteConsumers",
      method: "POST",
      path: `${consumersPath}/$delete`,
      area,
      summary: "Delete many consumers",
      description: `Their keys stop working immediately; their managers and invites are deleted too. ${aboutSize}`,
      access: "edit",
      isMasked: true,
      body: deleteConsumersInput,
      largeBody: true,
      response: bulkConsumersResult,
      mayStartJob: true,
      examples: {
        request: { names: ["acme"] },
        response: { results: [{ name: "acme", status: "deleted" }] },
      },
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await buckets.findIn(transaction, act.account.seq, params.bucketName);
        if (body.dryRun)
          return { body: shown(await previewConsumerChange(transaction, bucket, targetOf(body), act.now)) };
        return started(await changeConsumers(transaction, act, bucket, targetOf(body)));
      },
    }),
  ];
}

function shown({ matched, keys, sample }: Awaited<ReturnType<typeof previewConsumerChange>>) {
  return { matched, keys, sample: sample.map(presentConsumer) };
}

function started(result: z.input<typeof bulkConsumersResult>) {
  return "jobId" in result ? { body: result, startsJob: true } : { body: result };
}

/** The schema ensures that exactly one of them is present. */
function targetOf({ names, where }: z.output<typeof deleteConsumersInput>): BulkConsumerTarget {
  return names ? { names } : { where: consumerWhereOf(where!) };
}
