import { z } from "zod";
import { dateTime, description, httpUrl, name, tags, tagsOutput, text } from "../../../core/schemas/schemas.ts";

const keyPrefix = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, "must be 1 to 32 characters of a-z, 0-9, _ and -")
  .meta({ description: "The prefix of generated keys." });

const onLeak = z.enum(["mark", "disable"]).meta({
  description: "What happens to a key that is reported as leaked: it is marked, or also disabled.",
});

const tokenIssuer = z.strictObject({
  issuer: httpUrl.meta({ description: "The `iss` of the tokens, exactly." }),
  claim: text(1024).meta({ description: "The claim that has the name of the consumer." }),
  jwksUrl: httpUrl
    .optional()
    .meta({ description: "Where the keys are, if the policies do not find them by discovery." }),
});

const tokenIssuers = z
  .array(tokenIssuer)
  .max(20, "must have at most 20 issuers")
  .meta({
    description:
      "The issuers whose tokens `jwt` policies may map to consumers of the bucket if a caller with a role in projects, or a token " +
      "for some deployments, builds them. Other callers may map tokens of any issuer.",
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
    tokenIssuers,
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
        tokenIssuers: [],
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
    tokenIssuers: tokenIssuers.optional().meta({ default: [] }),
  })
  .meta({ id: "KeyBucketCreate" });

export const keyBucketPatch = z
  .strictObject({
    description: description.nullable().optional(),
    tags: tags.nullable().optional(),
    keyPrefix: keyPrefix.optional(),
    onLeak: onLeak.optional(),
    tokenIssuers: tokenIssuers.nullable().optional(),
  })
  .meta({ id: "KeyBucketUpdate" });
