import { z } from "zod";
import { queryBoolean } from "../../../../api/schemas.ts";
import { maxSuffixLength } from "../../../../core/database/reversed-suffix.ts";
import { anyText, dateTimeInput, description } from "../../../../core/schemas/schemas.ts";
import { jobStarted } from "../../../common/background-jobs/schema.ts";
import type { TagFilter } from "../../consumer-addresses/consumer-address.ts";
import { checkConditions, tagCondition, tagConditions, tagsOf } from "../../consumer-addresses/where-tags.ts";
import { keyRuleChanges, permission } from "../fields-schema.ts";
import { apiKey } from "../schema.ts";
import type { KeyFilter } from "./filter.ts";

const suffix = z
  .string()
  .regex(
    new RegExp(`^[\\x21-\\x7e]{1,${maxSuffixLength}}$`),
    `must be the last 1 to ${maxSuffixLength} characters of a key, at most those that its mask shows`,
  );

const time = dateTimeInput.optional();

/** The filters that a query and a body share, except the format of booleans. */
const conditions = {
  "unused-since": time.meta({
    format: "date-time",
    description: "Keys last used before this time, or never used and created before it.",
  }),
  "expires-before": time.meta({ format: "date-time", description: "Keys whose `expiresOn` is before this time." }),
  "created-before": time.meta({ format: "date-time", description: "Keys created before this time." }),
  permission: permission
    .optional()
    .meta({ description: "Keys that have this permission, also by a prefix such as `orders:*`." }),
  suffix: suffix
    .optional()
    .meta({ description: "Keys with these last characters, at most those that the masked form shows." }),
};

const neverUsed = { description: "Keys that were never used; with false, those that were." };
const enabled = { description: "Keys that are enabled; with false, those that are disabled." };

export const keyFilterQuery = z.strictObject({
  ...conditions,
  "never-used": queryBoolean.optional().meta(neverUsed),
  enabled: queryBoolean.optional().meta(enabled),
});

const fields = [...Object.keys(conditions), "never-used", "enabled"];

const keyWhere = z
  .object({
    ...conditions,
    "never-used": z.boolean().optional().meta(neverUsed),
    enabled: z.boolean().optional().meta(enabled),
  })
  .catchall(tagCondition)
  .superRefine((where, context) => checkConditions(where, { fields, things: "keys" }, context))
  .meta({
    id: "KeyWhere",
    description: "Conditions that must all match; `tag.<name>` is a tag of the consumer.",
    ...tagConditions,
  });

type Conditions = z.output<typeof keyFilterQuery>;

export function keyFilterOf(given: Conditions, tags: TagFilter): KeyFilter {
  return {
    unusedSince: given["unused-since"],
    neverUsed: given["never-used"],
    expiresBefore: given["expires-before"],
    createdBefore: given["created-before"],
    enabled: given.enabled,
    permission: given.permission,
    suffix: given.suffix,
    tags,
  };
}

export function keyWhereOf(where: z.output<typeof keyWhere>): KeyFilter {
  return keyFilterOf(where as Conditions, tagsOf(where));
}

const maxIds = 10_000;
const target = {
  ids: z
    .array(anyText)
    .min(1, "must have at least one id")
    .max(maxIds, `must have at most ${maxIds} ids`)
    .optional()
    .meta({ description: "The keys, by id." }),
  where: keyWhere.optional(),
  dryRun: z.boolean().default(false).meta({ description: "Only return the matches, without changing anything." }),
};

const setFields = z
  .strictObject({
    expiresOn: dateTimeInput.nullable().optional(),
    description: description.nullable().optional(),
    ...keyRuleChanges,
  })
  .refine((set) => Object.values(set).some((value) => value !== undefined), "must have at least one field");

/** Exactly one of `ids` and `where`. */
function checkTarget({ ids, where }: { ids?: unknown; where?: unknown }, context: z.RefinementCtx): void {
  if ((ids === undefined) === (where === undefined))
    context.addIssue({
      code: "custom",
      message: "must have either ids or where",
      path: ids === undefined ? [] : ["where"],
    });
}

export const updateKeysInput = z
  .strictObject({ ...target, set: setFields })
  .superRefine(checkTarget)
  .meta({ id: "UpdateKeys" });

export const deleteKeysInput = z.strictObject(target).superRefine(checkTarget).meta({ id: "DeleteKeys" });

export const listedKey = apiKey
  .extend({ consumer: z.object({ id: z.string(), name: z.string() }) })
  .meta({ id: "ListedApiKey", description: "A key with its consumer." });

export const bulkResult = z
  .union([
    jobStarted,
    z.object({
      results: z.array(z.object({ id: z.string(), status: z.enum(["updated", "deleted", "not_found"]) })),
    }),
    z.object({ matched: z.int(), sample: z.array(listedKey) }),
  ])
  .meta({
    id: "BulkKeysResult",
    description: "The result of a dry run or of up to 1,000 keys, or the id of the job for more.",
  });
