import { z } from "zod";
import { queryBoolean } from "../../../api/schemas.ts";
import {
  dateTime,
  description,
  metadata,
  metadataOutput,
  plainName,
  shownName,
  tags,
  tagsOutput,
  text,
} from "../../../core/schemas/schemas.ts";
import { manager, managerInvite, nestedManagerInput } from "../consumer-managers/schema.ts";
import { apiKey, keyFormat, nestedKeyInput } from "../keys/schema.ts";

/** The maximum number of names in one list. */
const maxNames = 100;
/** The largest offset of a sorted list: the items before a page are read. */
export const maxSortedOffset = 10_000;

export const consumer = z
  .object({
    id: z.string(),
    name: z.string(),
    displayName: z.string().optional(),
    description: z.string().optional(),
    tags: tagsOutput.optional(),
    metadata: metadataOutput.optional(),
    isSuspended: z.boolean().optional().meta({ description: "Present for a suspended consumer." }),
    suspensionReason: z.string().optional(),
    createdOn: dateTime,
    updatedOn: dateTime,
    apiKeys: z.array(apiKey).optional(),
    managers: z.array(manager).optional(),
    managerInvites: z.array(managerInvite).optional(),
  })
  .meta({ id: "Consumer", description: "A named holder of API keys: a customer, a team, a program." });

const displayName = shownName(80)
  .refine((name) => name !== "", "must not be empty")
  .meta({ description: "What people call it: one line of at most 80 characters. Pages, mail and invoices show it." });

export const consumerInput = z
  .strictObject({
    name: plainName.meta({
      description: "1 to 128 characters of a-z, 0-9 and `-`; unique in the bucket, and fixed after creation.",
    }),
    displayName: displayName.optional(),
    description: description.optional(),
    tags: tags.optional(),
    metadata: metadata.optional(),
    apiKeys: z.array(nestedKeyInput).max(1000, "must have at most 1000 keys").optional(),
    managers: z
      .array(nestedManagerInput)
      .max(100, "must have at most 100 managers")
      .optional()
      .meta({ description: "Email addresses to invite, or managers with their `sub`." }),
  })
  .meta({ id: "ConsumerCreate" });

export const suspension = {
  isSuspended: z.boolean().optional().meta({
    description:
      "A suspended consumer's keys and programs are rejected with 403 `consumer_suspended`. In the portal it can only read and pay.",
  }),
  suspensionReason: text(1000).nullable().optional().meta({
    description: "Why it is suspended. The customer reads it in the portal. It is removed when the suspension ends.",
  }),
};

export const consumerPatch = z
  .strictObject({
    displayName: displayName.nullable().optional(),
    description: description.nullable().optional(),
    tags: tags.nullable().optional(),
    metadata: metadata.nullable().optional(),
    ...suspension,
  })
  .meta({ id: "ConsumerUpdate" });

export const createQuery = z.object({
  "with-api-key": queryBoolean.default(false).meta({ description: "Create a key together with the consumer." }),
  "adopt-customer": queryBoolean.default(false).meta({
    description:
      "Hand the customer of a deleted consumer of this name over to the new one: subscriptions, credit, payment method and invoices.",
  }),
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
    .meta({ description: "Only consumers with a manager or an invite of this email address, case-insensitive." }),
  names: z
    .string()
    .transform((names) => names.split(","))
    .refine((names) => names.length <= maxNames, `must have at most ${maxNames} names`)
    .optional()
    .meta({
      description: `Only consumers with these names: up to ${maxNames}, separated by commas. Not with other filters.`,
    }),
  sort: z
    .enum(["lastUsedOn"], "must be lastUsedOn")
    .optional()
    .meta({
      description:
        "`lastUsedOn`: by the last use of any of their keys, the latest first, and then those that were never used. Times are " +
        `compared to 6 hours, and exactly within a page. Not with filters; \`offset\` is at most ${maxSortedOffset}.`,
    }),
});
