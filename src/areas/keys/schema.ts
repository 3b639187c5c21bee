import { z } from "zod";
import { dateTime, dateTimeInput, description, metadataOutput, secret } from "../../core/schemas/schemas.ts";
import { isAddress } from "../../lib/network/ip-address.ts";
import { ipAddress, keyRuleChanges, keyRuleFields, permission, rateLimit } from "./fields-schema.ts";
import { permissionPattern } from "./permissions.ts";
import { keyError, parseHash } from "./value.ts";

const keyFormats = ["none", "visible", "masked"] as const;
export type KeyFormat = (typeof keyFormats)[number];

export const keyFormat = z
  .enum(keyFormats)
  .default("masked")
  .meta({ description: "How key values are shown: not at all, whole, or their last characters." });

export const apiKey = z
  .object({
    id: z.string(),
    createdOn: dateTime,
    updatedOn: dateTime,
    expiresOn: dateTime.nullable().meta({ description: "The key is good before this time; null: for ever." }),
    description: z.string().optional(),
    isEnabled: z.boolean(),
    permissions: z.array(z.string()).optional(),
    allowedIps: z.array(z.string()).optional(),
    rateLimit: rateLimit.optional(),
    metadata: metadataOutput.optional(),
    lastUsedOn: dateTime.nullable().meta({ description: "Within a minute; null: never. Not part of the ETag." }),
    key: secret(z.string().meta({ description: "The value, in the form that `key-format` selects." })).optional(),
    isRetrievable: z
      .literal(false)
      .optional()
      .meta({ description: "Present if only the hash of the value is stored: the value is never shown." }),
  })
  .meta({ id: "ApiKey" });

const keyValue = secret(
  z
    .string()
    .superRefine((value, context) => {
      const error = keyError(value);
      if (error) context.addIssue({ code: "custom", message: error });
    })
    .meta({
      description: "16 to 512 visible ASCII characters, unique in the bucket. Generated if left out.",
      minLength: 16,
      maxLength: 512,
    }),
);

const hash = secret(
  z
    .strictObject({
      sha256: z.string().superRefine((text, context) => {
        if (!parseHash(text))
          context.addIssue({ code: "custom", message: "must be 64 hex digits, or 32 bytes in base64" });
      }),
    })
    .meta({
      description:
        "The SHA-256 of a value that another system issued, without a salt, in hex or base64. It replaces `key`.",
    }),
);

const keyFields = {
  key: keyValue.optional(),
  hash: hash.optional(),
  suffix: z
    .string()
    .regex(/^[\x21-\x7e]{1,4}$/, "must be 1 to 4 visible ASCII characters without spaces")
    .optional()
    .meta({ description: "With `hash`: the last characters of the value, to recognize the key in lists." }),
  expiresOn: dateTimeInput.nullable().optional(),
  description: description.optional(),
  ...keyRuleFields,
};

/** A key is created from a value, from the hash of one, or from neither. */
function checkOrigin(input: { key?: unknown; hash?: unknown; suffix?: unknown }, context: z.RefinementCtx): void {
  if (input.key !== undefined && input.hash !== undefined)
    context.addIssue({ code: "custom", path: ["hash"], message: "must not be sent with `key`" });
  if (input.suffix !== undefined && input.hash === undefined)
    context.addIssue({ code: "custom", path: ["suffix"], message: "must be sent with `hash`" });
}

export const keyInput = z.strictObject(keyFields).superRefine(checkOrigin).meta({ id: "ApiKeyCreate" });

/** A key within a consumer. Clients send back what they read, so read-only members are ignored. */
export const nestedKeyInput = z
  .strictObject({
    ...keyFields,
    id: z.unknown().optional(),
    createdOn: z.unknown().optional(),
    updatedOn: z.unknown().optional(),
    lastUsedOn: z.unknown().optional(),
    isRetrievable: z.unknown().optional(),
  })
  .superRefine(checkOrigin)
  .transform(({ id, createdOn, updatedOn, lastUsedOn, isRetrievable, ...input }) => input);

const bulkSize = 1000;
const bulkError = `must be an array of 1 to ${bulkSize} keys, or one key`;

export const keyBatch = { item: keyInput, max: bulkSize, tooMany: bulkError };

export const bulkKeyInput = z
  .union([z.array(keyInput).min(1, bulkError).max(bulkSize, bulkError), keyInput], bulkError)
  .transform((value) => (Array.isArray(value) ? value : [value]));

export const keyPatch = z
  .strictObject({
    key: keyValue.optional(),
    expiresOn: dateTimeInput.nullable().optional(),
    description: description.nullable().optional(),
    ...keyRuleChanges,
  })
  .meta({ id: "ApiKeyUpdate" });

export const rollInput = z
  .strictObject({
    expiresOn: dateTimeInput.meta({
      format: "date-time",
      description: "When the keys that have no expiry stop working; a past time revokes them immediately.",
    }),
  })
  .meta({ id: "RollKey" });

export const rollOneInput = z
  .strictObject({
    expiresOn: dateTimeInput.meta({
      format: "date-time",
      description: "When the key stops working, unless it does so earlier; a past time revokes it immediately.",
    }),
  })
  .meta({ id: "RollOneKey" });

export const verifyInput = z
  .strictObject({
    key: secret(z.string()),
    ip: ipAddress.optional().meta({ description: "Where the request comes from; needed for keys with `allowedIps`." }),
    permission: permission.optional().meta({ description: "What the key must be allowed to do." }),
  })
  .meta({ id: "VerifyKey" });

/** Why a key is not valid. */
export const verificationCodes = [
  "malformed",
  "not_found",
  "expired",
  "disabled",
  "ip_required",
  "ip_not_allowed",
  "permission_missing",
  "rate_limited",
] as const;

/** The fast path of `verifyInput`. Undefined for any other form, which the schema validates. */
export function parseVerifyInput(body: unknown): z.output<typeof verifyInput> | undefined {
  if (typeof body !== "object" || body === null || !("key" in body) || typeof body.key !== "string") return undefined;
  for (const name in body) if (name !== "key" && !isUsageField(name, body[name as keyof typeof body])) return undefined;
  return body as z.output<typeof verifyInput>;
}

function isUsageField(name: string, value: unknown): boolean {
  if (typeof value !== "string") return false;
  return name === "ip" ? isAddress(value) : name === "permission" && permissionPattern.test(value);
}

export const verification = z
  .discriminatedUnion("valid", [
    z.object({
      valid: z.literal(true),
      keyId: z.string(),
      consumer: z.object({ id: z.string(), name: z.string() }),
      user: z.object({ sub: z.string(), data: z.record(z.string(), z.unknown()) }),
      expiresOn: dateTime.nullable(),
      permissions: z.array(z.string()).optional(),
    }),
    z.object({
      valid: z.literal(false),
      code: z.enum(verificationCodes),
      retryAfterSeconds: z.int().optional().meta({ description: "With `rate_limited`: when the window ends." }),
    }),
  ])
  .meta({ id: "KeyVerification" });
