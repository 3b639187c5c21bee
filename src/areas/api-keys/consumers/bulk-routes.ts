import { z } from "zod";
import { write } from "../../../api/endpoint.ts";
import { anyText, description, tags, text } from "../../../core/schemas/schemas.ts";
import { jobStarted } from "../../common/background-jobs/schema.ts";
import { consumersPath } from "../consumer-addresses/consumer-address.ts";
import { checkConditions, tagCondition, tagConditions, tagsOf } from "../consumer-addresses/where-tags.ts";
import type { KeyBucketDirectory } from "../key-buckets/directory.ts";
import { type BulkConsumerTarget, type ConsumerWhere, changeConsumers, previewConsumerChange } from "./bulk.ts";
import { presentConsumer } from "./present.ts";
import { consumer, suspension } from "./schema.ts";

const maxNames = 10_000;

const where = z
  .object({
    q: text(128).min(1).optional().meta({ description: "Consumers whose name has this prefix." }),
    "manager-email": anyText
      .min(1)
      .optional()
      .meta({ description: "Consumers with a manager or an invite of this email address." }),
  })
  .catchall(tagCondition)
  .superRefine((given, context) =>
    checkConditions(given, { fields: ["q", "manager-email"], things: "consumers" }, context),
  )
  .meta({
    id: "ConsumerWhere",
    description: "Conditions that must all match; `tag.<name>` is the value of a tag.",
    ...tagConditions,
  });

function consumerWhereOf(given: z.output<typeof where>): ConsumerWhere {
  return {
    namePrefix: given.q,
    managerEmail: given["manager-email"],
    tags: tagsOf(given),
  };
}

const target = {
  names: z
    .array(anyText)
    .min(1, "must have at least one name")
    .max(maxNames, `must have at most ${maxNames} names`)
    .optional()
    .meta({ description: "The consumers, by name." }),
  where: where.optional(),
  dryRun: z.boolean().default(false).meta({ description: "Only return the matches, without changing anything." }),
};

const set = z
  .strictObject({
    description: description.nullable().optional(),
    addTags: tags.optional().meta({ description: "Tags to add; they replace tags of the same name." }),
    removeTags: z
      .array(text(128).min(1))
      .max(50, "must have at most 50 names")
      .optional()
      .meta({ description: "Names of tags to remove, before tags are added." }),
    ...suspension,
  })
  .refine((given) => Object.values(given).some((value) => value !== undefined), "must have at least one field");

/** Exactly one of `names` and `where`. */
function checkTarget(given: { names?: unknown; where?: unknown }, context: z.RefinementCtx): void {
  if ((given.names === undefined) === (given.where === undefined))
    context.addIssue({
      code: "custom",
      message: "must have either names or where",
      path: given.names === undefined ? [] : ["where"],
    });
}

const updateConsumersInput = z
  .strictObject({ ...target, set })
  .superRefine(checkTarget)
  .meta({ id: "UpdateConsumers" });

const deleteConsumersInput = z.strictObject(target).superRefine(checkTarget).meta({ id: "DeleteConsumers" });

const bulkConsumersResult = z
  .union([
    jobStarted,
    z.object({
      results: z.array(z.object({ name: z.string(), status: z.enum(["updated", "deleted", "not_found"]) })),
    }),
    z.object({
      matched: z.int(),
      keys: z.int().meta({ description: "The number of their keys." }),
      sample: z.array(consumer),
    }),
  ])
  .meta({
    id: "BulkConsumersResult",
    description: "The result of a dry run or of up to 1,000 consumers, or the id of the job for more.",
  });

const aboutSize =
  "Up to 1,000 consumers are changed at once, all or none, and the response has a result for each. For more, the server starts a job: the response is 202 with its id.";

/** Operations on many consumers of a bucket. */
export function bulkConsumerRoutes(buckets: KeyBucketDirectory) {
  return [
    write({
      operationId: "updateConsumers",
      method: "POST",
      path: `${consumersPath}/$update`,
      summary: "Change many consumers",
      description: aboutSize,
      access: "edit",
      isMasked: true,
      body: updateConsumersInput,
      largeBody: true,
      response: bulkConsumersResult,
      accepted: "for-jobs",
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
      summary: "Delete many consumers",
      description: `Their keys stop working immediately; their managers and invites are deleted too. ${aboutSize}`,
      access: "edit",
      isMasked: true,
      body: deleteConsumersInput,
      largeBody: true,
      response: bulkConsumersResult,
      accepted: "for-jobs",
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
