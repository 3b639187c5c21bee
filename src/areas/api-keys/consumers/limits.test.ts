import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

interface Sent {
  what: string;
  body: object;
  /** The pointer of the error, if there is one. */
  pointer?: string;
}

const accepted: Sent[] = [
  { what: "an empty description", body: { description: "" } },
  { what: "a description of 1,000 characters", body: { description: "d".repeat(1000) } },
  { what: "a description of 1,000 characters outside ASCII", body: { description: "🛒".repeat(1000) } },
  { what: "no tags", body: { tags: {} } },
  { what: "50 tags", body: { tags: manyTags(50) } },
  { what: "a tag name of 128 characters", body: { tags: { [text(128)]: "x" } } },
  { what: "a tag value of 256 characters", body: { tags: { plan: text(256) } } },
  { what: "the largest tag that there is", body: { tags: { ["\u0001".repeat(128)]: "\u0001".repeat(256) } } },
  { what: "a tag outside ASCII, at its largest", body: { tags: { ["🛒".repeat(128)]: "🛒".repeat(256) } } },
  { what: "tags that are numbers", body: { tags: { zero: 0, large: 1e308, small: 5e-324, negative: -0.25 } } },
  { what: "tags that are booleans", body: { tags: { yes: true, no: false } } },
  { what: "tags with strange names", body: { tags: { "a.b=c&d": "x", " ": "y", toString: "z", 7: "n" } } },
  ...["constructor", "prototype", "toString", "hasOwnProperty"].flatMap((name) => [
    { what: `a tag named ${name}`, body: { tags: { [name]: "x" } } },
    { what: `metadata named ${name}`, body: { metadata: { [name]: { [name]: [{ [name]: 1 }] } } } },
  ]),
  { what: "empty metadata", body: { metadata: {} } },
  { what: "metadata of 16 KiB", body: { metadata: { text: text(16_384 - '{"text":""}'.length) } } },
  { what: "metadata of 16 KiB in two-byte characters", body: { metadata: { e: "é".repeat(8_188) } } },
  { what: "metadata 64 deep", body: { metadata: nested(64) } },
  { what: "metadata with names of functions", body: { metadata: { toString: 1, nested: { valueOf: null } } } },
];

const rejected: Sent[] = [
  { what: "a description of 1,001 characters", body: { description: "d".repeat(1001) }, pointer: "/description" },
  { what: "a description with a NUL character", body: { description: "a\0b" }, pointer: "/description" },
  { what: "a description that is half a character", body: { description: "\ud83d" }, pointer: "/description" },
  { what: "a description that is a list", body: { description: ["d"] }, pointer: "/description" },
  { what: "51 tags", body: { tags: manyTags(51) }, pointer: "/tags" },
  { what: "a tag name of 129 characters", body: { tags: { [text(129)]: "x" } }, pointer: `/tags/${text(129)}` },
  { what: "a tag without a name", body: { tags: { "": "x" } }, pointer: "/tags/" },
  { what: "a tag name with a NUL character", body: { tags: { "a\0b": "x" } }, pointer: "/tags/a\0b" },
  { what: "a tag value of 257 characters", body: { tags: { plan: text(257) } }, pointer: "/tags/plan" },
  { what: "a tag value with a NUL character", body: { tags: { plan: "a\0b" } }, pointer: "/tags/plan" },
  { what: "a tag that is null", body: { tags: { plan: null } }, pointer: "/tags/plan" },
  { what: "a tag that is a list", body: { tags: { plan: ["gold"] } }, pointer: "/tags/plan" },
  { what: "a tag that is an object", body: { tags: { "a/b": { c: 1 } } }, pointer: "/tags/a~1b" },
  { what: "tags that are a list", body: { tags: ["gold"] }, pointer: "/tags" },
  { what: "tags that are text", body: { tags: "gold" }, pointer: "/tags" },
  { what: "a tag named __proto__", body: { tags: { ["__proto__"]: "x" } }, pointer: "/tags/__proto__" },
  { what: "metadata named __proto__", body: { metadata: { ["__proto__"]: {} } }, pointer: "/metadata/__proto__" },
  {
    what: "__proto__ inside metadata",
    body: { metadata: { a: [{ ["__proto__"]: 1 }] } },
    pointer: "/metadata/a/0/__proto__",
  },
  {
    what: "metadata of 16 KiB and 1",
    body: { metadata: { text: text(16_385 - '{"text":""}'.length) } },
    pointer: "/metadata",
  },
  {
    what: "metadata of 16 KiB and 1 in two-byte characters",
    body: { metadata: { ex: "é".repeat(8_188) } },
    pointer: "/metadata",
  },
  { what: "metadata that is a list", body: { metadata: [1] }, pointer: "/metadata" },
  { what: "metadata that is text", body: { metadata: "{}" }, pointer: "/metadata" },
  { what: "metadata nested without end", body: { metadata: nested(500) }, pointer: "/metadata/a/a/a" },
];

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe("create and update take", () => {
    test.each(accepted)("$what", async ({ body }) => {
      const consumers = `${newBucketPath()}/consumers`;
      const created = await client.post(consumers, { name: "created", ...body });
      expect(created.body).toMatchObject(body);
      expect((await client.get(`${consumers}/created`)).body).toEqual(created.body);

      await client.post(consumers, { name: "updated" });
      const updated = await client.patch(`${consumers}/updated`, body);
      expect(updated.body).toMatchObject(body);
      expect((await client.get(`${consumers}/updated`)).body).toEqual(updated.body);
    });
  });

  describe("create and update reject", () => {
    test.each(casesFor(engine, rejected))("$what", async ({ body, pointer }) => {
      const consumers = `${newBucketPath()}/consumers`;
      const before = await client.post(consumers, {
        name: "updated",
        description: "d",
        tags: { a: 1 },
        metadata: { b: 2 },
      });
      const update = await client.patch(`${consumers}/updated`, body);
      expectProblem(update, 400, "validation_failed", { pointer });

      const creation = await client.post(consumers, { name: "created", ...body });
      expectProblem(creation, 400, "validation_failed", { pointer });
      expect((await client.get(consumers)).body).toMatchObject({ data: [before.body], total: 1 });
    });
  });

  test("metadata counts in its compact form, however it is written", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    const metadata = { list: Array.from({ length: 4000 }, () => 1) };
    const spacious = JSON.stringify({ name: "acme", metadata }, null, 8);
    expect(spacious.length).toBeGreaterThan(50_000);
    expect((await client.raw("POST", consumers, spacious)).body.metadata).toEqual(metadata);
    const escaped = `{"name":"another","metadata":{"text":"${"\\u0061".repeat(16_000)}"}}`;
    expect((await client.raw("POST", consumers, escaped)).body.metadata).toEqual({ text: "a".repeat(16_000) });
  });

  test.each(["1e999", "-1e999"])("a number too large to keep is rejected: %s", async (number) => {
    const consumers = `${newBucketPath()}/consumers`;
    for (const [body, pointer] of [
      [`{"name":"acme","tags":{"seats":${number}}}`, "/tags/seats"],
      [`{"name":"acme","metadata":{"list":[1,${number}]}}`, "/metadata/list/1"],
    ] as const) {
      expectProblem(await client.raw("POST", consumers, body), 400, "validation_failed", { pointer });
    }
    expect((await client.get(consumers)).body.total).toBe(0);
  });

  test.each(["a", "0", "-", "--", "a-b-0", "a".repeat(128)])("the name %p is taken", async (name) => {
    const consumers = `${newBucketPath()}/consumers`;
    expect((await client.post(consumers, { name })).body.name).toBe(name);
    expect((await client.get(`${consumers}/${name}`)).body.name).toBe(name);
  });

  test.each(
    casesFor(engine, [
      "",
      "a".repeat(129),
      "Acme",
      "a_b",
      "a b",
      "a.b",
      "a/b",
      "ä",
      "acme\n",
      "$bulk",
      "a\0",
      5,
      null,
      true,
    ]),
  )("the name %p is rejected", async (name) => {
    const bucket = newBucketPath();
    const rejection = await client.post(`${bucket}/consumers`, { name });
    expectProblem(rejection, 400, "validation_failed", { pointer: "/name" });
    expectProblem(await client.get(bucket), 404, "not_found");
  });
});

function text(length: number): string {
  return "abcdefghij".repeat(Math.ceil(length / 10)).slice(0, length);
}

function manyTags(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${index}`, "x"]));
}

/** The same number of objects, nested. */
function nested(depth: number): object {
  let value = {};
  for (let count = 1; count < depth; count++) value = { a: value };
  return value;
}
