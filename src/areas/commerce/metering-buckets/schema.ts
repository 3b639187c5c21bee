import { z } from "zod";
import { bucketNamePattern } from "../../../core/schemas/meters.ts";
import { dateTime, name } from "../../../core/schemas/schemas.ts";

const bucketName = z
  .string()
  .regex(bucketNamePattern, "must be 1 to 128 characters of a-z, 0-9, _ and -, and not begin with mtr_ or bckt_")
  .meta({ description: "Unique in the account; can be used instead of the id." });

const keyBucket = name.meta({
  description:
    "The name of the key bucket whose consumers are its customers. Consumers of other key buckets have no subscription in it. Without it, consumers of all key buckets are matched by their name.",
});

export const meteringBucket = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    accountName: z.string(),
    keyBucket: z.string().optional(),
    isTest: z.boolean().optional(),
    clock: dateTime.optional().meta({ description: "The time in a test bucket." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "MeteringBucket",
    description: "A container for plans, subscriptions and usage.",
    examples: [
      {
        id: "mtr_0QGzNqW81Kx8VhTb3mPcRdZu",
        accountName: "default",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const meteringBucketInput = z
  .strictObject({
    name: bucketName.optional(),
    keyBucket: keyBucket.optional(),
    isTest: z.boolean().optional().meta({
      description: "Its time stands still until it is moved, and no money is collected.",
    }),
  })
  .optional()
  .meta({ id: "MeteringBucketCreate", examples: [{}] });

export const meteringBucketPatch = z
  .strictObject({ name: bucketName.nullable().optional(), keyBucket: keyBucket.nullable().optional() })
  .meta({ id: "MeteringBucketUpdate", examples: [{ name: "shop" }] });
