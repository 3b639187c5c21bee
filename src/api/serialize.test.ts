import { expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { Presented } from "./presented.ts";
import { type JsonText, serialize } from "./serialize.ts";

const item = z.object({
  name: z.string(),
  note: z.string().optional(),
  rank: z.number().nullable(),
  size: z.int().default(1),
  names: z.array(z.string()).optional(),
  limits: z.record(z.string(), z.object({ max: z.number() })).nullable(),
  any: z.record(z.string(), z.unknown()).optional(),
});
const page = z.object({ data: z.array(item), total: z.int() }).meta({ id: "SerializedPage" });

const textOf = (json: JsonText) => (typeof json === "string" ? json : new TextDecoder().decode(json));

const text = fc.string({ maxLength: 8 });
const items = fc.record(
  {
    name: text,
    note: text,
    rank: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    size: fc.integer(),
    names: fc.array(text, { maxLength: 700 }),
    limits: fc.option(fc.dictionary(text, fc.record({ max: fc.integer(), isSecret: fc.boolean() }))),
    any: fc.dictionary(text, fc.jsonValue()),
    isSecret: fc.boolean(),
  },
  { requiredKeys: ["name", "rank", "limits"] },
);

test("a large response is filtered by its schema", async () => {
  const pages = fc.record({ data: fc.array(items, { maxLength: 60 }), total: fc.nat(), isSecret: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(pages, async (value) => {
      expect(textOf(await serialize(page, value))).toBe(JSON.stringify(page.parse(value)));
      const presented = { ...value, data: Presented.from(value.data, (each) => ({ ...each })) };
      expect(textOf(await serialize(page, presented))).toBe(JSON.stringify(page.parse(value)));
    }),
  );
});

test("a large response of strict objects and checked names is filtered by its schema, in slices", async () => {
  const entries = z.preprocess(
    (value) => value,
    z.record(z.string().regex(/^[a-z0-9-]+$/), z.strictObject({ max: z.int() })),
  );
  const whole = z.strictObject({ version: z.int(), groups: z.record(z.string(), entries).optional() });
  const group = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`plan-${index}`, { max: index }]));
  const value = { version: 1, groups: { one: group, other: {} } };
  const serialized = serialize(whole, value);
  expect(serialized).toBeInstanceOf(Promise);
  expect(textOf(await serialized)).toBe(JSON.stringify(whole.parse(value)));
  for (const wrong of [
    { ...value, isSecret: true },
    { ...value, groups: { one: { ...group, NO: { max: 1 } } } },
    { ...value, groups: { one: { ...group, last: { max: 1, isSecret: true } } } },
  ]) {
    expect(() => whole.parse(wrong)).toThrow();
    await expect((async () => serialize(whole, wrong))()).rejects.toThrow();
  }
});

test("a response that takes longer than a slice yields to the event loop", async () => {
  const value = { data: Array.from({ length: 30_000 }, (_, rank) => ({ name: "a", rank, limits: null })), total: 1 };
  const serialized = serialize(page, value);
  expect(serialized).toBeInstanceOf(Promise);
  expect(JSON.parse(textOf(await serialized)).data).toHaveLength(30_000);
});

test("a long text of any characters is encoded as a whole would be", async () => {
  const any = { text: "\u00e9\ud83d\ude00\ud800\n".repeat(1_000) };
  const value = {
    data: Array.from({ length: 100 }, (_, rank) => ({ name: "\u4e2d", rank, limits: null, any })),
    total: 1,
  };
  const expected = JSON.stringify(page.parse(value));
  const presented = await serialize(page, { ...value, data: Presented.from(value.data, (each) => each) });
  expect(presented).toBeInstanceOf(Uint8Array);
  expect(textOf(presented)).toBe(expected);
});

test("a large response without a required field, or with one of the wrong type, is not sent", async () => {
  const good = { name: "a", rank: 1, limits: null };
  const data = Array.from({ length: 600 }, () => good);
  expect(() => serialize(page, { data: [...data, { ...good, name: 5 }], total: 1 })).toThrow();
  expect(() => serialize(page, { data })).toThrow();
});
