import { isJsonObject } from "../../lib/text/json-object.ts";
import type { Located } from "../documents/located.ts";
import { referenceOf } from "./document-references.ts";
import { keyOf, type References } from "./references.ts";

/** Optional members deeper than this are omitted, and lists are empty: schemas may be recursive. */
const maxOptionalDepth = 6;
const maxDepth = 40;
const maxListLength = 20;
const maxBriefDepth = 3;
/** Schemas that refer to each other several times describe values of any size: the rest of such a value is null. */
const maxVisits = 10_000;

/** Members that only the other direction has are omitted. */
type Direction = "request" | "response";

/** The example of a media type, parameter or header: its own, else one of its schema, else a generated value. */
export function exampleOf(owner: Located, references: References, direction: Direction = "response"): unknown {
  const own = ownExample(owner, references);
  if (own) return own.value;
  const schema = owner.member("schema");
  return schema && generate(schema, { references, direction, visits: { left: maxVisits } }, 0, nameOf(owner));
}

/** Like `exampleOf`, for people: a schema is not repeated within itself unless it must be, and the value is not large. */
export function briefExampleOf(
  owner: Located,
  references: References,
  direction: Direction,
  maxValues: number,
): unknown {
  const own = ownExample(owner, references);
  if (own) return own.value;
  const schema = owner.member("schema");
  const visits = { left: maxVisits };
  const context = { references, direction, visits, path: [], left: { values: maxValues } };
  return schema && generate(schema, context, 0, nameOf(owner));
}

/** The name of a parameter. */
function nameOf(owner: Located): string | undefined {
  const name = owner.member("name")?.value;
  return typeof name === "string" ? name : undefined;
}

/** The example that a media type, parameter or header itself has. */
export function ownExample(owner: Located, references: References): { value: unknown } | undefined {
  const own = owner.member("example");
  if (own) return own;
  const [first] = owner.member("examples")?.members() ?? [];
  return (first && references.resolve(first))?.member("value");
}

interface Context {
  references: References;
  direction: Direction;
  /** How many schemas may still be visited. */
  visits: { left: number };
  /** The references that lead to the current schema, if recursion ends as early as possible. */
  path?: string[];
  /** How many values may still be generated before optional members are omitted. */
  left?: { values: number };
}

/**
 * A value that matches the schema as far as its rules can be satisfied without a search. It is the same in every build.
 * `name` is that of the property or parameter.
 */
function generate(place: Located, context: Context, depth: number, name?: string): unknown {
  const key = context.path && targetOf(place, context);
  if (key === undefined) return generateHere(place, context, depth, name);
  return generateHere(place, { ...context, path: [...context.path!, key] }, depth, name);
}

function targetOf(place: Located, { references }: Context): string | undefined {
  const reference = referenceOf(place);
  const target = reference && references.target(reference);
  return target && keyOf(target);
}

function isTooDeep(depth: number, { left }: Context): boolean {
  return depth >= maxOptionalDepth || (left !== undefined && (left.values <= 0 || depth >= maxBriefDepth));
}

/** Whether the place leads back to a schema that it is part of. */
function isRepeated(place: Located | undefined, context: Context): boolean {
  const key = place && context.path && targetOf(place, context);
  return key !== undefined && context.path!.includes(key);
}

function generateHere(place: Located, context: Context, depth: number, name?: string): unknown {
  if (context.left) context.left.values -= 1;
  if (context.visits.left-- <= 0) return null;
  const schema = context.references.resolve(place);
  if (!schema?.isObject || depth > maxDepth) return null;
  const given = givenValue(schema);
  if (given) return given.value;
  const all = schema.member("allOf")?.items() ?? [];
  const [option] = [...(schema.member("oneOf")?.items() ?? []), ...(schema.member("anyOf")?.items() ?? [])];
  const parts = [...all, ...(option ? [option] : [])].map((part) => generate(part, context, depth + 1, name));
  const hasOwn = ["type", "properties", "items"].some((name) => schema.member(name));
  const own = hasOwn || parts.length === 0 ? ofType(schema, context, depth, name) : undefined;
  return [...parts, own].reduce(merged, undefined);
}

/** The value that a schema names. */
export function givenValue(schema: Located): { value: unknown } | undefined {
  const given = schema.member("example") ?? schema.member("const") ?? schema.member("default");
  if (given) return given;
  return schema.member("examples")?.items()[0] ?? schema.member("enum")?.items()[0];
}

function merged(one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  return isJsonObject(one) && isJsonObject(other) ? { ...one, ...other } : one;
}

function ofType(schema: Located, context: Context, depth: number, name?: string): unknown {
  switch (typeOf(schema)) {
    case "object":
      return objectOf(schema, context, depth);
    case "array":
      return listOf(schema, context, depth, name);
    case "string":
      return textOf(schema, name);
    case "integer":
    case "number":
      return numberOf(schema);
    case "boolean":
      return true;
    default:
      return null;
  }
}

function typeOf(schema: Located): unknown {
  const type = schema.member("type")?.value;
  if (Array.isArray(type)) return type.find((one) => one !== "null") ?? "null";
  if (type !== undefined) return type;
  if (schema.member("properties")) return "object";
  return schema.member("items") ? "array" : undefined;
}

function objectOf(schema: Located, context: Context, depth: number): Record<string, unknown> {
  const required = (schema.member("required")?.value ?? []) as unknown[];
  const value: Record<string, unknown> = {};
  const omitted = context.direction === "request" ? "readOnly" : "writeOnly";
  for (const property of schema.member("properties")?.members() ?? []) {
    if (property.name === "__proto__") continue;
    const isOptional = !required.includes(property.name);
    if (isOptional && (isTooDeep(depth, context) || isRepeated(property, context))) continue;
    if (context.references.resolve(property)?.member(omitted)?.value === true) continue;
    value[property.name] = generate(property, context, depth + 1, property.name);
  }
  return value;
}

function listOf(schema: Located, context: Context, depth: number, name?: string): unknown[] {
  const min = Math.min(maxListLength, countOf(schema, "minItems") ?? 0);
  const max = countOf(schema, "maxItems") ?? maxListLength;
  const items = schema.member("items");
  const isShort = isTooDeep(depth, context) || isRepeated(items, context);
  const length = isShort ? min : Math.min(max, Math.max(1, min));
  return Array.from({ length }, () => (items ? generate(items, context, depth + 1, name) : null));
}

function textOf(schema: Located, name: string | undefined): string {
  return exampleText({
    format: schema.member("format")?.value,
    name,
    minLength: Math.min(10_000, countOf(schema, "minLength") ?? 0),
    maxLength: countOf(schema, "maxLength"),
  });
}

function numberOf(schema: Located): number {
  const isInteger = typeOf(schema) === "integer";
  const [min, max] = boundsOf(schema, isInteger);
  const start = min ?? Math.min(1, max ?? 1);
  const step = limitOf(schema, "multipleOf") ?? (isInteger ? 1 : 0);
  if (step <= 0) return start;
  const multiple = Math.ceil(start / step) * step;
  return max !== undefined && multiple > max ? Math.floor(max / step) * step : multiple;
}

/** The minimum and maximum number. In OpenAPI 3.0, exclusive bounds are `true` beside the others. */
function boundsOf(schema: Located, isInteger: boolean): [number | undefined, number | undefined] {
  const minimum = limitOf(schema, "minimum");
  const maximum = limitOf(schema, "maximum");
  const above = exclusiveBound(schema, "exclusiveMinimum", minimum);
  const below = exclusiveBound(schema, "exclusiveMaximum", maximum);
  const gap = ((below ?? maximum ?? Number.POSITIVE_INFINITY) - (above ?? minimum ?? 0)) / 3;
  const margin = isInteger ? 1 : Math.min(1, gap);
  const min = above === undefined ? minimum : Math.max(above + margin, minimum ?? Number.NEGATIVE_INFINITY);
  const max = below === undefined ? maximum : Math.min(below - margin, maximum ?? Number.POSITIVE_INFINITY);
  return [min, max];
}

function exclusiveBound(schema: Located, name: string, inclusive: number | undefined): number | undefined {
  const value = schema.member(name)?.value;
  return value === true ? inclusive : limitOf(schema, name);
}

function limitOf(schema: Located, name: string): number | undefined {
  const value = schema.member(name)?.value;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function countOf(schema: Located, name: string): number | undefined {
  const value = limitOf(schema, name);
  return value === undefined || value < 0 ? undefined : Math.floor(value);
}

/** Examples of strings whose schema has none: by the format, else by the name of the property or parameter. */

const formats: Record<string, string> = {
  "date-time": "2026-01-15T10:00:00Z",
  date: "2026-01-15",
  time: "10:00:00Z",
  duration: "P1D",
  email: "user@example.com",
  "idn-email": "user@example.com",
  hostname: "api.example.com",
  "idn-hostname": "api.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  iri: "https://example.com/",
  "uri-reference": "/",
  uuid: "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  byte: "dGV4dA==",
};

/** Examples for the words at the end of a name, the best first. A shorter one follows where codes are usual. */
const words: [names: string, ...examples: string[]][] = [
  ["email mail", formats.email!],
  ["url uri link href website homepage webhook callback", formats.url!],
  ["date day birthday", formats.date!],
  ["time timestamp datetime at on until", formats["date-time"]!],
  ["uuid guid", formats.uuid!],
  ["id", "8f14e45f", "42"],
  ["first-name given-name", "Jo"],
  ["last-name family-name surname", "Smith"],
  ["full-name display-name contact recipient sender author owner", "Jo Smith"],
  ["user-name username login nickname", "jo"],
  ["company organization organisation business company-name", "Acme Inc."],
  ["file-name filename file", "report.pdf"],
  ["name title", "Example"],
  ["city town", "Berlin"],
  ["country", "Germany", "DE"],
  ["country-code", "DE", "DEU"],
  ["street line1 address-line", "1 Main Street"],
  ["address", "1 Main Street, 10115 Berlin", "1 Main Street"],
  ["zip zip-code zipcode postcode postal-code", "10115"],
  ["phone telephone mobile phone-number", "+49 30 1234567"],
  ["currency currency-code", "EUR"],
  ["amount price total cost", "30.00"],
  ["language locale lang language-code", "en-GB", "en"],
  ["timezone time-zone tz", "Europe/Berlin"],
  ["ip ip-address", formats.ipv4!],
  ["host hostname domain", formats.hostname!],
  ["path", "/"],
  ["description summary", "A short description", "Short"],
  ["message comment note reason", "Hello"],
  ["status", "active"],
  ["color colour", "#0b6b68", "teal"],
  ["tag tags label labels", "new"],
  ["slug", "example"],
  ["sku", "SKU-1001"],
  ["number reference", "1001"],
  ["version", "1.0.0"],
  ["password", "a-long-password"],
  ["query q search", "example"],
];
const byName = new Map(words.flatMap(([names, ...examples]) => names.split(" ").map((name) => [name, examples])));

/** "customerEmail", "customer_email" and "Customer-Email" are the words customer and email. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Returns a text within the lengths, which are at most some thousands. */
export function exampleText({
  format,
  name = "",
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: {
  format?: unknown;
  /** Of the property or parameter. */
  name?: string | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
}): string {
  const last = wordsOf(name).slice(-2);
  const named = byName.get(last.join("-")) ?? byName.get(last.at(-1) ?? "") ?? [];
  const ofName = named.find(({ length }) => length >= minLength && length <= maxLength);
  const ofFormat = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  const known = ofFormat ?? (format === undefined ? ofName : undefined) ?? "text";
  return known.padEnd(minLength, "text").slice(0, maxLength);
}
