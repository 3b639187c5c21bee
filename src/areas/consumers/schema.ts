import { z } from "zod";
import { queryBoolean } from "../../api/schemas.ts";
import {
  dateTime,
  description,
  metadata,
  metadataOutput,
  plainName,
  tags,
  tagsOutput,
  text,
} from "../../core/schemas/schemas.ts";
import { manager, managerInvite, nestedManagerInput } from "../consumer-managers/schema.ts";
import { apiKey, keyFormat, nestedKeyInput } from "../keys/schema.ts";

export const consumer = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    tags: tagsOutput.optional(),
    metadata: metadataOutput.optional(),
    createdOn: dateTime,
    updatedOn: dateTime,
    apiKeys: z.array(apiKey).optional(),
    managers: z.array(manager).optional(),
    managerInvites: z.array(managerInvite).optional(),
  })
  .meta({ id: "Consumer", description: "A named holder of API keys: a customer, a team, a program." });

export const consumerInput = z
  .strictObject({
    name: plainName.meta({
      description: "1 to 128 characters of a-z, 0-9 and `-`; unique in the bucket, and fixed after creation.",
    }),
    description: description.optional(),
    tags: tags.optional(),
    metadata: metadata.optional(),
    apiKeys: z.array(nestedKeyInput).max(1000, "must have at most 1000 keys").optional(),
    managers: z
      .array(nestedManagerInput)
      .max(100, "must have at most 100 managers")
      .optional()
      .meta({ description: "E-mail addresses to invite, or managers with their `sub`." }),
  })
  .meta({ id: "ConsumerCreate" });

export const consumerPatch = z
  .strictObject({
    description: description.nullable().optional(),
    tags: tags.nullable().optional(),
    metadata: metadata.nullable().optional(),
  })
  .meta({ id: "ConsumerUpdate" });

export const createQuery = z.object({
  "with-api-key": queryBoolean.default(false).meta({ description: "Create a key together with the consumer." }),
});

export const includeQuery = z.object({
  "include-api-keys": queryBoolean.default(false).meta({ description: "Include the consumer's keys." }),
  "include-managers": queryBoolean.default(false).meta({ description: "Include the consumer's managers." }),
  "include-manager-invites": queryBoolean.default(false).meta({ description: "Include the pending invites." }),
  "key-format": keyFormat,
});

export const listQuery = includeQuery.extend({
  q: text(128).optional().meta({ description: "Only consumers whose name has this prefix." }),
  "manager-email": z
    .string()
    .optional()
    .meta({ description: "Only consumers with a manager or an invite of this e-mail address, case-insensitive." }),
});
