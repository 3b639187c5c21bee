import { z } from "zod";
import { dateTime, description, name, tags, tagsOutput } from "../../core/schemas/schemas.ts";

const keyPrefix = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, "must be 1 to 32 characters of a-z, 0-9, _ and -")
  .meta({ description: "What generated keys begin with." });

export const bucket = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    tags: tagsOutput.optional(),
    isRetrievable: z.boolean(),
    keyPrefix: z.string(),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "KeyBucket",
    description: "A place for consumers and their keys, such as one API or one environment.",
    examples: [
      {
        id: "bckt_0QGzNqW81Kx8VhTb3mPcRdZu",
        name: "main",
        description: "Keys of the public API",
        isRetrievable: true,
        keyPrefix: "tg",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const bucketInput = z
  .strictObject({
    name,
    description: description.optional(),
    tags: tags.optional(),
    isRetrievable: z
      .boolean()
      .optional()
      .meta({ description: "Whether key values can be read again later. Fixed after creation.", default: true }),
    keyPrefix: keyPrefix.optional().meta({ default: "tg" }),
  })
  .meta({ id: "KeyBucketCreate" });

export const bucketPatch = z
  .strictObject({
    description: description.nullable().optional(),
    tags: tags.nullable().optional(),
    keyPrefix: keyPrefix.optional(),
  })
  .meta({ id: "KeyBucketUpdate" });
