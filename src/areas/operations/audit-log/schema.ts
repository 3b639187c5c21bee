import { z } from "zod";
import { paging } from "../../../api/schemas.ts";
import { dateTime, dateTimeInput, isOrdered, notOrdered } from "../../../core/schemas/schemas.ts";

const hash = z.string().meta({ description: "SHA-256 in hex." });
const exampleHash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const exampleTime = "2026-01-31T10:00:00.000Z";
const exampleHead = {
  account: "acct_0QGzNqW81Kx8VhTb3mPcRdZu",
  count: 7,
  hash: exampleHash,
  time: exampleTime,
  keyId: "5994471abb01112a",
  signature: "pDtLxF1b3WzY8q0c",
};

const exampleEntry = {
  id: "audt_0QGzNqW81Kx8VhTb3mPcRdZu",
  time: exampleTime,
  action: "consumer.updated",
  actor: { type: "token" as const, id: "tokn_0QGzNqW81Kx8VhTb3mPcRdZu", name: "back office" },
  resource: { type: "consumer", id: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu", name: "acme" },
  requestId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e",
  ip: "192.0.2.7",
  changes: [{ pointer: "/tags/plan", before: "silver", after: "gold" }],
  isSealed: true,
  seal: { number: 7, first: 7, last: 7, previousHash: "0".repeat(64), hash: exampleHash },
};

const actorTypes = ["token", "person", "manager", "client", "operator", "system"] as const;

const named = { type: z.string(), id: z.string(), name: z.string().optional() };

const entry = z
  .object({
    id: z.string(),
    time: dateTime,
    action: z.string().meta({ description: "`<type>.<what>`, such as `consumer.created`." }),
    actor: z.object({
      type: z.enum(actorTypes),
      id: z.string(),
      name: z.string().optional(),
    }),
    resource: z
      .object({ ...named, parent: z.object(named).optional() })
      .meta({ description: "The changed resource and its parent, such as a key's consumer." }),
    requestId: z.string().optional(),
    ip: z.string().optional(),
    assistant: z
      .string()
      .optional()
      .meta({ description: "The name of the assistant through which the actor did it, as the assistant reports it." }),
    changes: z
      .array(z.object({ pointer: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }))
      .meta({
        description:
          "The changes by JSON pointer into the resource as the API shows it; the empty pointer is the whole resource. A secret is shown as `changed`.",
      }),
    counts: z.record(z.string(), z.int()).optional().meta({
      description: "The number of resources of a bulk call, or of those that were deleted with the resource.",
    }),
    bucketTime: dateTime.optional().meta({
      description:
        "The time in the bucket, if it differs from `time`: in a test bucket that of its clock, for a billing step when it was due.",
    }),
    isSealed: z.boolean().meta({ description: "Whether it is part of the hash chain, which happens within seconds." }),
    seal: z
      .object({
        number: z.int(),
        first: z.int(),
        last: z.int(),
        previousHash: hash,
        hash,
        pack: z
          .string()
          .optional()
          .meta({ description: "The content that the hash of several entries covers, in base64." }),
      })
      .optional()
      .meta({
        description:
          "Its position in the account's chain. Entries that were committed together under load share one hash: `first` to `last`; " +
          "the first of them has the `pack`.",
      }),
  })
  .meta({
    id: "AuditEntry",
    examples: [exampleEntry],
  });

export const entries = z
  .object({ data: z.array(entry) })
  .meta({ id: "AuditEntries", examples: [{ data: [exampleEntry] }] });

const logParameters = z.strictObject({
  action: z
    .string()
    .regex(/^[a-z-]+(\.[a-z_-]+|\.\*)?$/, "must be an action such as key.rolled, or key.* for all of a type")
    .transform((action) => (action.includes(".") ? action : `${action}.*`))
    .optional()
    .meta({ description: "Such as `key.rolled`, or `key.*` or `key` for all of a type.", examples: ["key.*"] }),
  actor: z.string().min(1).optional().meta({ description: "The id of a token, `operator` or `system`." }),
  actorType: z
    .enum(actorTypes, `must be one of ${actorTypes.join(", ")}`)
    .optional()
    .meta({ description: "`manager`: what customers did in the portal." }),
  resource: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "A type, or an id: entries about the resource and its children." }),
  from: dateTimeInput.optional().meta({ format: "date-time", description: "Not before this time." }),
  to: dateTimeInput.optional().meta({ format: "date-time", description: "Before this time." }),
  limit: paging.shape.limit,
  before: z
    .string()
    .regex(/^audt_[0-9A-Za-z]+$/, "must be the id of an entry, such as audt_0QGzNqW81Kx8VhTb3mPcRdZu")
    .optional()
    .meta({ description: "The id of an entry: returns older entries." }),
});

export const auditLogQuery = logParameters.refine(isOrdered, notOrdered);

const headPattern = /^(\d{1,15}):([0-9a-f]{64})$/;

export const auditVerificationQuery = z.strictObject({
  head: z
    .string()
    .regex(headPattern, "must be <count>:<hash> of a head")
    .transform((text) => {
      const [, count, headHash] = headPattern.exec(text)!;
      return { count: Number(count), hash: headHash! };
    })
    .optional()
    .meta({ description: "`<count>:<hash>` of an earlier head, which the log must still contain." }),
});

export const verification = z
  .object({
    intact: z.boolean(),
    entries: z.int().meta({ description: "The number of verified entries." }),
    unsealed: z.int().meta({ description: "The number of entries that are not sealed yet." }),
    from: dateTime.optional(),
    to: dateTime.optional(),
    head: z
      .object({
        account: z.string(),
        count: z.int(),
        hash,
        time: dateTime,
        trimmed: z
          .int()
          .optional()
          .meta({ description: "The number of expired entries that were removed from the beginning, if any." }),
        keyId: z.string(),
        signature: z
          .string()
          .meta({ description: "Ed25519, in base64url. docs/audit-log.md describes the signed text." }),
      })
      .optional()
      .meta({ description: "The end of the chain, signed now. Store it elsewhere to detect a rewritten log." }),
    firstBroken: z
      .object({
        number: z.int(),
        id: z
          .string()
          .optional()
          .meta({ description: "The id of the entry, or of the first entry in a pack, if it is known." }),
        previousId: z
          .string()
          .optional()
          .meta({ description: "The id of the previous entry, if the entry is missing and its own id is unknown." }),
        detail: z.string(),
      })
      .optional()
      .meta({ description: "The first entry that differs from the sealed one." }),
  })
  .meta({
    id: "AuditVerification",
    examples: [{ intact: true, entries: 7, unsealed: 0, from: exampleTime, to: exampleTime, head: exampleHead }],
  });
