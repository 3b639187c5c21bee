import { z } from "zod";
import { namePattern, namePatternText, plainNamePattern, plainNamePatternText } from "../../lib/text/names.ts";
import { mailedNameError, nameError } from "../../lib/text/shown-names.ts";
import { parseDateTime } from "../../lib/time/time.ts";

/** Marks a value that must never be logged. The mark appears in the OpenAPI document as `x-secret`. */
export const secretMark = "x-secret";

export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), [secretMark]: true });
}

/** The name of an account or a key bucket. */
export const name = z
  .string()
  .regex(namePattern, `must be ${namePatternText}`)
  .meta({ description: "1 to 128 characters of a-z, 0-9, `_` and `-`." });

/** The name of a consumer. */
export const plainName = z
  .string()
  .regex(plainNamePattern, `must be ${plainNamePatternText}`)
  .meta({ description: "1 to 128 characters of a-z, 0-9 and `-`." });

/** Whether both engines can store and compare the text unchanged: it has no NUL and no unpaired surrogate. */
export function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

export const notStorable = "must be text without NUL characters";

/** Text of any length, such as a name that may not exist. */
export const anyText = z.string().refine(isStorable, notStorable);

export function text(maximum: number) {
  return z.string().max(maximum, `must have at most ${maximum} characters`).refine(isStorable, notStorable);
}

function nameOf(maximum: number, errorOf: (name: string) => string | undefined) {
  return text(maximum)
    .trim()
    .superRefine((name, context) => {
      const message = errorOf(name);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    });
}

/** A name that pages show to others than the person who chose it. It may be empty. */
export const shownName = (maximum: number) => nameOf(maximum, nameError);

/** A name that is in mail to others than the person who chose it. It may be empty. */
export const mailedName = (maximum: number) => nameOf(maximum, mailedNameError);

export const email = z.email("must be an email address").max(254, "must have at most 254 characters");

export const description = text(1000).meta({ description: "At most 1,000 characters." });

/**
 * The maximum number of tag conditions in one request, in its query or its body: hundreds keep PostgreSQL busy for
 * seconds.
 */
export const maxTagConditions = 20;
export const tooManyTagConditions = `exceeds the limit of tag conditions: ${maxTagConditions}`;

/** Parses RFC 3339 to milliseconds. */
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

/** For queries with a time range. A reversed range is a client error, not an empty result. */
export function isOrdered({ from, to }: { from?: number | undefined; to?: number | undefined }): boolean {
  return from === undefined || to === undefined || from < to;
}

export const notOrdered = { path: ["from"], message: "must be before to" };

export const dateTime = z.string().meta({ format: "date-time" });

/** Assigning a member of this name changes the object's prototype. */
const prototypeName = "__proto__";
const forbiddenName = "is not allowed as a name";
const maxDepth = 64;

/**
 * Checked before each member: Zod silently drops `__proto__` from a record, and takes a second to describe the errors
 * of 60,000 members.
 */
export function atMost(members: number, message: string) {
  return (value: unknown, context: z.RefinementCtx): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Object.hasOwn(value, prototypeName))
      context.addIssue({ code: "custom", message: forbiddenName, path: [prototypeName] });
    else if (Object.keys(value).length > members) context.addIssue({ code: "custom", message });
    return value;
  };
}

/** A record with a maximum of members, which are counted before they are parsed. */
export function fewMembers<Schema extends z.ZodType>(maximum: number, record: Schema, noun = "members") {
  return z.preprocess(atMost(maximum, `must have at most ${maximum} ${noun}`), record).meta({ maxProperties: maximum });
}

/**
 * Some of these values. A longer list than all of them repeats one, and is rejected before its items are read:
 * 43,000 of them, a body of 170 KiB, took 270 ms.
 */
export function someOf<const Value extends string>(values: readonly Value[]) {
  const twice = "must not have an item twice";
  return z
    .array(z.enum(values))
    .min(1, "must name at least one")
    .max(values.length, twice)
    .refine((list) => new Set(list).size === list.length, twice);
}

interface FoundError {
  message: string;
  path: (string | number)[];
}

/** Any JSON object of at most `maximumBytes` in compact UTF-8. */
function jsonObject(maximumBytes: number) {
  const tooLarge = `must be at most ${maximumBytes} bytes as compact JSON`;
  // Including its separator, no value takes less than two bytes.
  const maxValues = maximumBytes / 2;
  const record = z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const values = { left: maxValues };
    const error = findError(value, 0, [], values);
    if (error) context.addIssue({ code: "custom", ...error });
    else if (values.left < 0 || Buffer.byteLength(JSON.stringify(value)) > maximumBytes)
      context.addIssue({ code: "custom", message: tooLarge });
  });
  return z
    .preprocess(atMost(maxValues, tooLarge), record)
    .meta({ description: `Any JSON object, at most ${maximumBytes} bytes in its compact form.` });
}

/** Stops when the maximum is exceeded. */
function findError(
  value: unknown,
  depth: number,
  path: (string | number)[],
  values: { left: number },
): FoundError | undefined {
  // JavaScript parses 1e999 as Infinity and serializes that as null.
  if (typeof value === "number" && !Number.isFinite(value)) return { message: "is too large a number", path };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > maxDepth) return { message: `must not be nested deeper than ${maxDepth}`, path: path.slice(0, 3) };
  values.left -= Array.isArray(value) ? value.length : Object.keys(value).length;
  if (values.left < 0) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (key === prototypeName) return { message: forbiddenName, path: [...path, key] };
    const error = findError(member, depth + 1, [...path, key], values);
    if (error) return error;
  }
  return undefined;
}

export const metadata = jsonObject(16 * 1024);

/** The maximum number of meters in a plan and in a request. */
const maxMembers = 100;

/** An object of 1 to 100 members whose names match a pattern and whose values have one schema. */
export function namedRecord<Value extends z.ZodType>(
  pattern: RegExp,
  patternText: string,
  value: Value,
  { mayBeEmpty = false } = {},
) {
  const record = z.record(z.string(), value).superRefine((members, context) => {
    const names = Object.keys(members);
    if (names.length === 0 && !mayBeEmpty)
      context.addIssue({ code: "custom", message: "must have at least one member" });
    for (const name of names) {
      if (!pattern.test(name))
        context.addIssue({ code: "custom", message: `must have a name of ${patternText}`, path: [name] });
    }
  });
  return fewMembers(maxMembers, record);
}

const tagValue = z.union([text(256), z.number(), z.boolean()], "must be text, a number or a boolean");
const tagName = text(128);

const tagRecord = z.record(z.string(), tagValue).superRefine((value, context) => {
  const names = Object.keys(value);
  for (const tag of names) {
    const wrong =
      tag === "" || !tagName.safeParse(tag).success
        ? "must have a name of 1 to 128 characters, none of them NUL"
        : undefined;
    if (wrong) context.addIssue({ code: "custom", message: wrong, path: [tag] });
  }
});

export const tags = fewMembers(50, tagRecord, "tags").meta({
  description: "At most 50; names up to 128 characters, values text, number or boolean up to 256.",
});

export const tagsOutput = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
export const metadataOutput = z.record(z.string(), z.unknown());

/** The address of an issuer or of its keys. */
export const httpUrl = z
  .string()
  .max(2048, "must have at most 2048 characters")
  .refine((url) => {
    if (!URL.canParse(url)) return false;
    const { protocol, username, hash } = new URL(url);
    return /^https?:$/.test(protocol) && username === "" && hash === "" && !url.includes("#");
  }, "must be an http or https URL without credentials and fragment");
