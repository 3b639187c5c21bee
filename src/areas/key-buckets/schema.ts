import { z } from "zod";
import { dateTime, description, name, tags, tagsOutput } from "../../core/schemas/schemas.ts";

const keyPrefix = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, "must be 1 to 32 characters of a-z, 0-9, _ and -")
  .meta({ description: "The prefix of generated keys." });

const onLeak = z.enum(["mark", "disable"]).meta({
  description: "What happens to a key that is reported as leaked: it is marked, or also disabled.",
});

export const bucket = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    tags: tagsOutput.optional(),
    isRetrievable: z.boolean(),
    keyPrefix: z.string(),
    onLeak,
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "KeyBucket",
    description: "A container for consumers and their keys, such as those of one API or environment.",
    examples: [
      {
        id: "bckt_0QGzNqW81Kx8VhTb3mPcRdZu",
        name: "main",
        description: "Keys of the public API",
        isRetrievable: true,
        keyPrefix: "tg",
        onLeak: "mark",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const keyBucketInput = z
  .strictObject({
    name,
    description: description.optional(),
    tags: tags.optional(),
    isRetrievable: z
      .boolean()
      .optional()
      .meta({ description: "Whether key values can be read again later. Fixed after creation.", default: true }),
    keyPrefix: keyPrefix.optional().meta({ default: "tg" }),
    onLeak: onLeak.optional().meta({ default: "mark" }),
  })
  .meta({ id: "KeyBucketCreate" });

export const keyBucketPatch = z
  .strictObject({
    description: description.nullable().optional(),
    tags: tags.nullable().optional(),
    keyPrefix: keyPrefix.optional(),
    onLeak: onLeak.optional(),
  })
  .meta({ id: "KeyBucketUpdate" });
