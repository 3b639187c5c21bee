import { isJsonObject } from "../../lib/text/json-object.ts";
import type { Located } from "../documents/located.ts";

type Test = (value: unknown) => boolean;

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];

const isNumber: Test = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isNames: Test = (value) =>
  Array.isArray(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length;
const isType: Test = (value) => types.includes(value as string);

const count = { test: isCount, must: "must be a whole number, 0 or more" };
const number = { test: isNumber, must: "must be a number" };

/**
 * The keywords of JSON Schema 2020-12 that constrain a value directly. Ajv could check them against the metaschema, but
 * its set-up takes 150 ms: half of a build.
 */
const keywords: Record<string, { test: Test; must: string }> = {
  type: {
    test: (value) =>
      isType(value) || (isNames(value) && (value as unknown[]).length > 0 && (value as unknown[]).every(isType)),
    must: `must be ${types.map((type) => `"${type}"`).join(", ")}, or a list of them`,
  },
  enum: { test: Array.isArray, must: "must be a list" },
  const: { test: () => true, must: "" },
  multipleOf: { test: (value) => isNumber(value) && (value as number) > 0, must: "must be a number greater than 0" },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: { test: (value) => typeof value === "string", must: "must be a string" },
  maxItems: count,
  minItems: count,
  uniqueItems: { test: (value) => typeof value === "boolean", must: "must be true or false" },
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: { test: isNames, must: "must be a list of names, each of them once" },
  dependentRequired: {
    test: (value) => isJsonObject(value) && Object.values(value).every(isNames),
    must: "must be an object of lists of names",
  },
  format: { test: (value) => typeof value === "string", must: "must be a string" },
};

/** All other keywords contain schemas or are annotations. */
export function isValueKeyword(name: string): boolean {
  return Object.hasOwn(keywords, name);
}

/** Reports an error if the value of a keyword is invalid by JSON Schema 2020-12. */
export function checkKeyword(name: string, value: unknown, place: Located): void {
  const keyword = keywords[name];
  if (keyword && !keyword.test(value)) place.error(`"${name}" ${keyword.must}`);
}
