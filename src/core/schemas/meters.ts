import { z } from "zod";
import { amountOf } from "../../lib/amount.ts";
import { namedRecord } from "./schemas.ts";

export const meterName = /^[A-Za-z0-9_.-]{1,64}$/;

export function isMeterName(text: string): boolean {
  return meterName.test(text) && text !== "__proto__";
}

export const meterNameText = "1 to 64 characters of A-Z, a-z, 0-9, _, . and -";

/** A number that is counted exactly: at most nine decimals, at most 2^53 - 1. */
export const exactNumber = z
  .number("must be a number")
  .refine((value) => amountOf(value) !== undefined, "must have at most 9 decimals and be at most 9007199254740991");

/** `{<meter>: number > 0}`, for events, consumption and the quota policy. */
export const meterAmounts = namedRecord(
  meterName,
  meterNameText,
  exactNumber.refine((value) => value > 0, "must be greater than 0"),
);

/** More meters are validated by the schema. */
const maxFastMeters = 16;

/** The fast path of `meterAmounts`: a few meters with integer amounts. False for any other form, which the schema validates. */
export function isFewMeterAmounts(meters: unknown): boolean {
  if (typeof meters !== "object" || meters === null || Array.isArray(meters)) return false;
  let count = 0;
  for (const name in meters) {
    const amount = (meters as Record<string, unknown>)[name];
    if (!isMeterName(name) || !Number.isSafeInteger(amount) || (amount as number) <= 0) return false;
    if (++count > maxFastMeters) return false;
  }
  return count > 0;
}

/** Used in paths instead of an id, so it must not look like one. */
export const bucketNamePattern = /^(?!mtr_|bckt_)[a-z0-9_-]{1,128}$/;

export const meterUsages = z
  .record(
    z.string(),
    z.object({
      label: z.string().optional(),
      used: z.number(),
      max: z.number(),
      available: z.number(),
      credits: z
        .number()
        .optional()
        .meta({ description: "What grants of the customer allow beyond `max`. Only with grants of the meter." }),
    }),
  )
  .meta({ description: "By meter. `available` is never below 0; `used` may exceed `max`." });
