import { expect, test } from "bun:test";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { ajvCompiler, describe } from "../../../test/support/ajv.ts";
import { Budget } from "./budget.ts";
import { Check } from "./check.ts";
import { coerce } from "./coercion.ts";
import { explain, maxErrors } from "./explain.ts";
import { Preparation } from "./prepare.ts";

const names = ["a", "b", "x-c", "d/e"];
const name = fc.constantFrom(...names);
const text = fc.oneof(
  fc.constantFrom("", "a", "ab", "abc", "2026-01-31", "a@b.test", "😀", "😀😀", "5", "1.5", "true", "http://a.test/b"),
  fc.string({ maxLength: 4 }),
);
const scalar = fc.oneof(fc.constantFrom(0, 1, 2, 2.5, -1, 1e21, 3e9, 1e-7), text, fc.boolean(), fc.constant(null));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const small = fc.nat({ max: 3 });
const types = ["null", "boolean", "object", "array", "number", "string", "integer"];
const type = fc.oneof(
  fc.constantFrom(...types),
  fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }),
);
const pattern = fc.constantFrom("^a", "b$", "^[a-c]+$", "^\\p{L}*$", "^[a-z0-9-]{1,2}$", "[^a]", "x-|d");
const format = fc.constantFrom("date", "email", "uri", "int32", "byte", "uuid", "url", "password", "nothing");

type Schema = Record<string, unknown> | boolean;
const definitions = ["first", "second"];

function schemas(more: (schema: fc.Arbitrary<Schema>) => Record<string, fc.Arbitrary<unknown>>, keywords: number) {
  const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
    const inner = tie("schema");
    const list = fc.array(inner, { minLength: 1, maxLength: 3 });
    const named = fc.dictionary(name, inner, { maxKeys: 3 });
    const all: Record<string, fc.Arbitrary<unknown>> = {
      type,
      const: value,
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      multipleOf: fc.constantFrom(1, 2, 0.5, 0.1),
      maximum: small,
      minimum: small,
      exclusiveMaximum: small,
      exclusiveMinimum: small,
      maxLength: small,
      minLength: small,
      pattern,
      format,
      maxItems: small,
      minItems: small,
      uniqueItems: fc.boolean(),
      contains: inner,
      maxContains: small,
      minContains: small,
      maxProperties: small,
      minProperties: small,
      required: fc.uniqueArray(name, { maxLength: 3 }),
      dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: inner,
      if: inner,
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema; the object is never awaited.
      then: inner,
      else: inner,
      dependentSchemas: named,
      items: inner,
      prefixItems: list,
      properties: named,
      patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2 }),
      additionalProperties: inner,
      propertyNames: inner,
      ...more(inner),
    };
    const keyword = fc
      .constantFrom(...Object.keys(all))
      .chain((each) => all[each]!.map((held): [string, unknown] => [each, held]));
    return {
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.oneof(fc.boolean(), fc.record({ type }), fc.record({ minimum: small }), fc.constant({})),
        fc.array(keyword, { minLength: 1, maxLength: keywords }).map((entries) => Object.fromEntries(entries)),
      ),
    };
  });
  return schema;
}

const reference = (schema: fc.Arbitrary<Schema>) => ({
  // Only below members, because builds reject references without a target.
  properties: fc.dictionary(
    name,
    fc.oneof(
      schema,
      fc.constantFrom(...definitions).map((each) => ({ $ref: `#/$defs/${each}` })),
      fc.constantFrom(...definitions).map((each) => ({ $ref: `#/$defs/${each}`, maxProperties: 2 })),
    ),
    { maxKeys: 3 },
  ),
});

function rooted(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return fc
    .tuple(schema, fc.record({ first: schema, second: schema }))
    .map(([top, $defs]) => (typeof top === "boolean" ? top : { ...top, $defs }));
}

function verdictOf(schema: Schema, checked: unknown): boolean {
  return new Check(new Budget()).fits(new Preparation(schema).finish(), checked, 0);
}

const explaining = ajvCompiler({ allErrors: true, coerceTypes: false });
const coercing = ajvCompiler({ allErrors: true, coerceTypes: "array" });

const holds = (json: unknown, text: string) => JSON.stringify(json).includes(text);

/** Some of the code that Ajv generates for alternatives throws, so it is no reference there. */
function judged(validate: () => boolean): boolean {
  try {
    return validate();
  } catch (error) {
    fc.pre(!(error instanceof TypeError));
    throw error;
  }
}

/** Compiling takes most of the time. */
const runs = { numRuns: 400 };

test("values are valid if Ajv accepts them, with the same errors in the same order", () => {
  fc.assert(
    fc.property(rooted(schemas(reference, 4)), value, (schema, checked) => {
      // Compiled Ajv reuses the result of `contains` for an empty array after another one.
      fc.pre(!(holds(schema, '"contains":') && holds(checked, "[]")));
      const validate = explaining.compile(schema);
      const isValid = judged(() => validate(checked));
      expect(verdictOf(schema, checked)).toBe(isValid);
      if (isValid) return;
      const expected = validate.errors!.map((error) => describe(error, "")).slice(0, maxErrors);
      expect(explain(new Preparation(schema).finish(), checked, "", new Budget())).toEqual(expected);
    }),
    runs,
  );
});

/**
 * Ajv is no reference here: its `contains` evaluates every item, and its unevaluated members after alternatives depend
 * on how it compiles, up to code that throws. The other library lacks the formats of OpenAPI, rounds large multiples,
 * and lets schemas of `dependentSchemas` see what their siblings evaluated.
 */
test("unevaluated members and items follow JSON Schema", () => {
  const leftOver = (schema: fc.Arbitrary<Schema>) => ({
    ...reference(schema),
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
    format: fc.constant(undefined),
    multipleOf: fc.constant(undefined),
    dependentSchemas: fc.constant(undefined),
  });
  fc.assert(
    fc.property(rooted(schemas(leftOver, 5)), value, (schema, checked) => {
      const isValid = new Validator(schema, "2020-12").validate(checked).valid;
      expect(verdictOf(schema, checked)).toBe(isValid);
      if (!isValid) expect(explain(new Preparation(schema).finish(), checked, "", new Budget())).not.toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

const dependents = { a: { properties: { a: true } }, b: { unevaluatedProperties: { type: "null" } } };

test.each([
  ["counts what a dependent schema looked at", { a: "" }, { dependentSchemas: { a: dependents.a } }, true],
  ["does not count a dependent schema without its property", { c: "" }, { dependentSchemas: dependents }, false],
])("unevaluated members and items: %s", (_, checked, schema, isValid) => {
  expect(verdictOf({ ...schema, unevaluatedProperties: false }, checked)).toBe(isValid);
});

test("a dependent schema ignores the members that its sibling evaluated", () => {
  expect(verdictOf({ dependentSchemas: dependents }, { a: "", b: null })).toBe(false);
});

test("texts of parameters are converted as Ajv converts them", () => {
  const item = fc.record({ type }, { requiredKeys: [] });
  const parameter = fc.record({ type, items: item, minimum: small, maxLength: small }, { requiredKeys: [] });
  const sent = fc.oneof(text, fc.array(text, { maxLength: 3 }));
  fc.assert(
    fc.property(parameter, sent, (schema, given) => {
      // Ajv does not treat a single item as one of several types.
      fc.pre(!(Array.isArray(given) && given.length === 1 && Array.isArray(schema.type)));
      // It also reads blanks and hexadecimal, octal and binary numbers.
      fc.pre(![given].flat().some((each) => /^\s+$|^\s+[\d.+-]|[\d.]\s+$|^0[xob]/i.test(each)));
      const validate = coercing.compile(schema);
      const holder = { value: structuredClone(given) };
      const isValid = validate(holder.value, {
        instancePath: "",
        parentData: holder,
        parentDataProperty: "value",
        rootData: holder,
        dynamicAnchors: {},
      });
      const node = new Preparation(schema).finish();
      const check = new Check(new Budget());
      const coerced = coerce(check, node, given);
      expect(check.fits(node, coerced, 0)).toBe(isValid);
      if (isValid) expect(coerced).toEqual(holder.value);
    }),
    runs,
  );
});
