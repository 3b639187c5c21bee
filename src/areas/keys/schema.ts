import { z } from "zod";
import { dateTime, dateTimeInput, description, secret } from "../../core/schemas/schemas.ts";
import { keyMistake } from "./value.ts";

export const keyFormats = ["none", "visible", "masked"] as const;
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
    key: secret(z.string().meta({ description: "The value, as key-format asks." })).optional(),
  })
  .meta({ id: "ApiKey" });

const keyValue = secret(
  z
    .string()
    .superRefine((value, context) => {
      const mistake = keyMistake(value);
      if (mistake) context.addIssue({ code: "custom", message: mistake });
    })
    .meta({
      description: "16 to 512 visible ASCII characters, unique in the bucket. Generated if left out.",
      minLength: 16,
      maxLength: 512,
    }),
);

const keyFields = {
  key: keyValue.optional(),
  expiresOn: dateTimeInput.nullable().optional(),
  description: description.optional(),
};

export const keyInput = z.strictObject(keyFields).meta({ id: "ApiKeyCreate" });

/** Inside a consumer: clients send back what they read, so members that only the service sets are ignored. */
export const nestedKeyInput = z
  .strictObject({
    ...keyFields,
    id: z.unknown().optional(),
    createdOn: z.unknown().optional(),
    updatedOn: z.unknown().optional(),
  })
  .transform(({ key, expiresOn, description: text }) => ({ key, expiresOn, description: text }));

const bulkSize = 1000;
const bulkMistake = `must be an array of 1 to ${bulkSize} keys, or one key`;

export const bulkKeyInput = z
  .union([z.array(keyInput).min(1, bulkMistake).max(bulkSize, bulkMistake), keyInput], bulkMistake)
  .transform((value) => (Array.isArray(value) ? value : [value]));

export const keyPatch = z
  .strictObject({
    key: keyValue.optional(),
    expiresOn: dateTimeInput.nullable().optional(),
    description: description.nullable().optional(),
  })
  .meta({ id: "ApiKeyUpdate" });

export const rollInput = z
  .strictObject({
    expiresOn: dateTimeInput.meta({
      format: "date-time",
      description: "When the keys that have no expiry stop working; a past time revokes them at once.",
    }),
  })
  .meta({ id: "RollKey" });

export const verifyInput = z.strictObject({ key: secret(z.string()) }).meta({ id: "VerifyKey" });

/** The fast path of `verifyInput`: a key alone. Undefined for all else, which the schema decides. */
export function parseVerifyInput(body: unknown): z.output<typeof verifyInput> | undefined {
  if (typeof body !== "object" || body === null || !("key" in body) || typeof body.key !== "string") return undefined;
  for (const name in body) if (name !== "key") return undefined;
  return body as z.output<typeof verifyInput>;
}

export const verification = z
  .discriminatedUnion("valid", [
    z.object({
      valid: z.literal(true),
      keyId: z.string(),
      consumer: z.object({ id: z.string(), name: z.string() }),
      user: z.object({ sub: z.string(), data: z.record(z.string(), z.unknown()) }),
      expiresOn: dateTime.nullable(),
    }),
    z.object({ valid: z.literal(false), code: z.enum(["malformed", "not_found", "expired"]) }),
  ])
  .meta({ id: "KeyVerification" });
