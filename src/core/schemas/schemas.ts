import { z } from "zod";
import { namePattern, namePatternText, plainNamePattern, plainNamePatternText } from "../../lib/names.ts";
import { parseDateTime } from "../../lib/time.ts";

/** Marks a value that must never be logged. The mark shows in the OpenAPI document as `x-secret`. */
export const secretMark = "x-secret";

export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), [secretMark]: true });
}

/** Of an account or a key bucket. */
export const name = z
  .string()
  .regex(namePattern, `must be ${namePatternText}`)
  .meta({ description: "1 to 128 characters of a-z, 0-9, `_` and `-`." });

/** Of a consumer. */
export const plainName = z
  .string()
  .regex(plainNamePattern, `must be ${plainNamePatternText}`)
  .meta({ description: "1 to 128 characters of a-z, 0-9 and `-`." });

/** Text that both engines store as it is: no NUL, no half of a surrogate pair. */
export function text(maximum: number) {
  return z
    .string()
    .max(maximum, `must have at most ${maximum} characters`)
    .refine((value) => !value.includes("\0") && value.isWellFormed(), "must be text without NUL characters");
}

export const description = text(1000).meta({ description: "At most 1,000 characters." });

/** RFC 3339 in, milliseconds out. */
export const dateTimeInput = z
  .string()
  .meta({ format: "date-time" })
  .transform((value, context) => {
    const time = parseDateTime(value);
    if (time === undefined) {
      context.addIssue({ code: "custom", message: "must be an RFC 3339 date-time, such as 2030-01-31T10:00:00Z" });
      return z.NEVER;
    }
    return time;
  });

export const dateTime = z.string().meta({ format: "date-time" });

/** The one name that is no name like any other: assigned to an object it changes what the object is. */
const prototypeName = "__proto__";
const forbiddenName = "is not allowed as a name";
const deepest = 64;

/** Zod leaves this one name out of a record without a word; it is rejected like the others. */
function rejectPrototype(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value === "object" && value !== null && Object.hasOwn(value, prototypeName))
    context.addIssue({ code: "custom", message: forbiddenName, path: [prototypeName] });
  return value;
}

/** Any JSON object of at most `maximumBytes` in compact UTF-8. */
function jsonObject(maximumBytes: number) {
  const record = z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const error = findError(value, 0, []);
    if (error) context.addIssue({ code: "custom", message: error.message, path: error.path });
    else if (Buffer.byteLength(JSON.stringify(value)) > maximumBytes)
      context.addIssue({ code: "custom", message: `must be at most ${maximumBytes} bytes as compact JSON` });
  });
  return z
    .preprocess(rejectPrototype, record)
    .meta({ description: `Any JSON object, at most ${maximumBytes} bytes in its compact form.` });
}

function findError(
  value: unknown,
  depth: number,
  path: (string | number)[],
): { message: string; path: (string | number)[] } | undefined {
  // JSON writes 1e999, JavaScript reads it as Infinity, and writes null.
  if (typeof value === "number" && !Number.isFinite(value)) return { message: "is too large a number", path };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > deepest) return { message: `must not be nested deeper than ${deepest}`, path: path.slice(0, 3) };
  for (const [key, member] of Object.entries(value)) {
    if (key === prototypeName) return { message: forbiddenName, path: [...path, key] };
    const error = findError(member, depth + 1, [...path, key]);
    if (error) return error;
  }
  return undefined;
}

export const metadata = jsonObject(16 * 1024);

/** An object whose members have names of a pattern, and values of one shape. At least one. */
export function namedRecord<Value extends z.ZodType>(pattern: RegExp, patternText: string, value: Value) {
  const record = z.record(z.string(), value).superRefine((members, context) => {
    const names = Object.keys(members);
    if (names.length === 0) context.addIssue({ code: "custom", message: "must have at least one member" });
    for (const name of names) {
      if (!pattern.test(name))
        context.addIssue({ code: "custom", message: `must have a name of ${patternText}`, path: [name] });
    }
  });
  return z.preprocess(rejectPrototype, record);
}

const tagValue = z.union([text(256), z.number(), z.boolean()], "must be text, a number or a boolean");
const tagName = text(128);

const tagRecord = z.record(z.string(), tagValue).superRefine((value, context) => {
  const names = Object.keys(value);
  if (names.length > 50) context.addIssue({ code: "custom", message: "must have at most 50 tags" });
  for (const tag of names) {
    const wrong =
      tag === "" || !tagName.safeParse(tag).success
        ? "must have a name of 1 to 128 characters, none of them NUL"
        : undefined;
    if (wrong) context.addIssue({ code: "custom", message: wrong, path: [tag] });
  }
});

export const tags = z
  .preprocess(rejectPrototype, tagRecord)
  .meta({ description: "At most 50; names up to 128 characters, values text, number or boolean up to 256." });

export const tagsOutput = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
export const metadataOutput = z.record(z.string(), z.unknown());
