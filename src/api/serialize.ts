import { z } from "zod";
import { runInSlices } from "../lib/tasks/slices.ts";
import { Presented } from "./presented.ts";

/** The number of values that are filtered and serialized at once, which takes about a millisecond. */
const valuesAtOnce = 500;

/**
 * Serializes a value, filtered through its schema, to the result of `JSON.stringify(schema.parse(value))`. A large one
 * is serialized in parts, and yields to the event loop in between; its text is then UTF-8, because joining and encoding
 * a long string at the end would block the event loop.
 */
export function serialize(schema: z.ZodType, value: unknown): JsonText | Promise<JsonText> {
  if (!isLarge(value)) return JSON.stringify(schema.parse(value));
  return runInSlices(serializeLarge(schema, value));
}

export type JsonText = string | Uint8Array;

function* serializeLarge(schema: z.ZodType, value: unknown): Generator<void, JsonText> {
  const text = new LongText();
  yield* parts(schema, value, text);
  return text.whole();
}

const encodedAtOnce = 64 * 1024;

/** A text that is encoded as it grows. */
class LongText {
  #end = "";
  readonly #encoded: Uint8Array[] = [];

  push(text: string): void {
    this.#end += text;
    if (this.#end.length >= encodedAtOnce) this.#encode();
  }

  whole(): JsonText {
    if (this.#encoded.length === 0) return this.#end;
    this.#encode();
    return Buffer.concat(this.#encoded);
  }

  #encode(): void {
    this.#encoded.push(Buffer.from(this.#end));
    this.#end = "";
  }
}

function* parts(schema: z.ZodType, value: unknown, texts: LongText): Generator<void> {
  const entries = isLarge(value) ? entriesOf(schema, value) : undefined;
  if (!entries) {
    texts.push(JSON.stringify(schema.parse(value)));
    yield;
    return;
  }
  const isList = isItems(value);
  let separator = isList ? "[" : "{";
  for (const { name, schema: inner, value: member } of entries) {
    texts.push(isList ? separator : `${separator}${JSON.stringify(name)}:`);
    separator = ",";
    yield* parts(inner, member, texts);
  }
  if (separator !== ",") texts.push(separator);
  texts.push(isList ? "]" : "}");
}

interface Entry {
  name: string;
  schema: z.ZodType;
  value: unknown;
}

/** Returns the parts of a value. Undefined if only the schema of the whole can filter it. */
function entriesOf(schema: z.ZodType, value: unknown): Iterable<Entry> | undefined {
  // A check applies to the whole value.
  if (schema.def.checks?.length) return undefined;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return entriesOf(schema.unwrap() as z.ZodType, value);
  // `z.preprocess`: what it returns is filtered by the inner schema.
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform)
    return entriesOf(schema.out as z.ZodType, schema.in.parse(value));
  if (schema instanceof z.ZodArray && isItems(value)) return itemsOf(schema.element as z.ZodType, value);
  if (typeof value !== "object" || value === null || isItems(value)) return undefined;
  if (schema instanceof z.ZodObject && hasOnlyFields(schema, value))
    return fieldsOf(schema, value as Record<string, unknown>);
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodString)
    return membersOf(schema.keyType, schema.valueType as z.ZodType, value as Record<string, unknown>);
  return undefined;
}

/** Whether only the fields of the schema decide. A strict object rejects others. */
function hasOnlyFields({ def, shape }: z.ZodObject, value: object): boolean {
  if (!def.catchall) return true;
  return def.catchall instanceof z.ZodNever && Object.keys(value).every((name) => Object.hasOwn(shape, name));
}

function isItems(value: unknown): value is unknown[] | Presented<unknown> {
  return Array.isArray(value) || value instanceof Presented;
}

function* itemsOf(schema: z.ZodType, items: Iterable<unknown>): Generator<Entry> {
  for (const value of items) yield { name: "", schema, value };
}

function* fieldsOf(schema: z.ZodObject, fields: Record<string, unknown>): Generator<Entry> {
  // Undefined becomes the default, or throws if the field is required.
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][])
    if ((fields[name] ?? field.parse(fields[name])) !== undefined) yield { name, schema: field, value: fields[name] };
}

function* membersOf(names: z.ZodString, schema: z.ZodType, members: Record<string, unknown>): Generator<Entry> {
  for (const name of Object.keys(members)) yield { name: names.parse(name), schema, value: members[name] };
}

function isLarge(value: unknown): boolean {
  return count(value, 0) > valuesAtOnce;
}

/** Adds the number of values to a count, and stops beyond the bound. */
function count(value: unknown, counted: number): number {
  let sum = counted + 1;
  if (typeof value !== "object" || value === null) return sum;
  // A `Presented` list has an unknown size and can only be filtered part by part.
  if (value instanceof Presented) return valuesAtOnce + 1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && sum <= valuesAtOnce; index++) sum = count(value[index], sum);
    return sum;
  }
  for (const name in value) {
    sum = count((value as Record<string, unknown>)[name], sum);
    if (sum > valuesAtOnce) break;
  }
  return sum;
}
