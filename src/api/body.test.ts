import { beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { expectProblem } from "../../test/support/expect-problem.ts";
import { usageEvent } from "../../test/support/metering.ts";
import { useServer } from "../../test/support/server.ts";

const server = useServer(sqlite);
const { client } = server;
const consumers = "/v1/accounts/default/key-buckets/bodies/consumers";
const bulk = `${consumers}/acme/keys/$bulk`;
let events: string;

beforeAll(async () => {
  await client.post(consumers, { name: "acme" });
  events = `/v1/metering/${(await client.post("/v1/metering")).body.id}/events`;
});

const post = (path: string, text: string) => client.raw("POST", path, text);
const padding = " ".repeat(10_000);

describe("a body", () => {
  test.each([
    ["nested deeper than 512", "[".repeat(500_000), "must not be nested deeper than 512"],
    ["of more than 100,000 values", `[${"[],".repeat(100_000)}[]]`, "must have at most 100000 values"],
    ["of more than 20,000 members", `{${manyMembers(20_001)}}`, "must have at most 20000 members in all"],
  ])("%s is rejected before it is parsed", async (_, text, detail) => {
    const rejected = await post(consumers, text);
    expectProblem(rejected, 400, "validation_failed");
    expect(rejected.body.errors).toEqual([{ pointer: "", detail }]);
  });

  test("a body at these bounds is validated by its schema", async () => {
    const deep = await post(consumers, `${padding}${"[".repeat(512)}${"]".repeat(512)}`);
    expect(deep.body.errors).toEqual([{ pointer: "", detail: "must be an object" }]);
    const wide = await post(consumers, `{"name":"wide",${manyMembers(19_999)}}`);
    expect(wide.body.errors[0]).toEqual({ pointer: "/a0", detail: "is not a field of this request" });
  });

  test("has brackets and quotes in its texts", async () => {
    const description = `${'[{"'.repeat(200)}\\`;
    const text = `${padding}${JSON.stringify({ name: "quotes", description })}${padding}`;
    expect((await post(consumers, text)).body).toMatchObject({ name: "quotes", description });
  });

  test("a body without a credential has at most 16 KiB", async () => {
    const headers = { origin: new URL(server.url).origin, "content-type": "application/json" };
    const send = (text: string) => client.raw("POST", "/v1/sessions", text, headers);
    const rejected = await send(`{"token":"${"[".repeat(16 * 1024)}"}`);
    expectProblem(rejected, 413, "body_too_large");
    expect(rejected.body.detail).toBe("The body is larger than 16 KiB.");
    expectProblem(await send(`{"token":"${"x".repeat(10_000)}"}`), 400, "validation_failed", { pointer: "/token" });
  });
});

describe("an error says what is expected of", () => {
  const verify = "/v1/accounts/default/key-buckets/bodies/verify-key";
  const hold = (more: object) => ({ key: "k", hold: { bucketId: "b", meters: { requests: 1 }, ...more } });

  test.each<[what: string, path: string, body: unknown, pointer: string, detail: string]>([
    [
      "a number that is too small",
      verify,
      hold({ expiresInSeconds: 0 }),
      "/hold/expiresInSeconds",
      "must be at least 1",
    ],
    [
      "a number that is too large",
      verify,
      hold({ expiresInSeconds: 1e9 }),
      "/hold/expiresInSeconds",
      "must be at most 86400",
    ],
    ["an empty text", verify, hold({ bucketId: "" }), "/hold/bucketId", "must not be empty"],
    [
      "a text that is too long",
      verify,
      hold({ bucketId: "b".repeat(129) }),
      "/hold/bucketId",
      "must have at most 128 characters",
    ],
    ["a type of a union, once", bulk, { allowedIps: "10.0.0.1" }, "/allowedIps", "must be an array"],
    [
      "a misspelled field",
      consumers,
      { name: "x", desription: "y" },
      "/desription",
      'is not a field of this request; did you mean "description"?',
    ],
    ["a field like no other", consumers, { name: "x", a: 1 }, "/a", "is not a field of this request"],
  ])("%s", async (_, path, body, pointer, detail) => {
    expect((await client.post(path, body)).body.errors).toEqual([{ pointer, detail }]);
  });

  test("a misspelled parameter", async () => {
    const { body } = await client.get("/v1/accounts/default/analytics?form=2026-01-01T00:00:00Z");
    const detail = 'is not a parameter of this request; did you mean "from"?';
    expect(body.errors).toEqual([{ pointer: "?form", detail }]);
  });
});

describe("a long batch", () => {
  test("stops at the first item that is one too many", async () => {
    const rejected = await post(events, `[${"{},".repeat(3_000_000)}{}]`);
    expectProblem(rejected, 400, "validation_failed");
    expect(rejected.body.errors).toEqual([{ pointer: "", detail: "must have at most 100000 events" }]);
  });

  test("names the item that is beyond the bounds", async () => {
    const rejected = await post(events, `[${JSON.stringify(usageEvent({ requests: 1 }))},${"[".repeat(2_000_000)}`);
    expectProblem(rejected, 400, "validation_failed");
    expect(rejected.body.errors).toEqual([{ pointer: "/1", detail: "must not be nested deeper than 512" }]);
  });

  test("lists the invalid items, as a short batch does", async () => {
    const wrong = [{}, { key: "short" }, 5, { unknown: 1 }, { permissions: ["a b"] }];
    const short = await client.post(bulk, wrong);
    const long = await post(bulk, `${padding}${JSON.stringify(wrong)}`);
    expectProblem(long, 400, "validation_failed");
    expect(long.body.errors).toEqual(short.body.errors);
    expect((await client.get(`${consumers}/acme/keys`)).body.total).toBe(0);
  });

  test.each([
    ["an item is missing", "[{},,{}]"],
    ["the last item is missing", "[{},]"],
    ["its end is missing", "[{},{}"],
    ["its end is another bracket", "[{},{}}"],
    ["something follows it", "[{}]]"],
    ["an item is no JSON", "[{},{a}]"],
    ["brackets do not match", "[{},[}]"],
    ["a text does not end", '[{},{"description":"]'],
  ])("is invalid JSON if %s", async (_, text) => {
    expectProblem(await post(bulk, `${padding}${text}`), 400, "invalid_json");
    expect((await client.get(`${consumers}/acme/keys`)).body.total).toBe(0);
  });

  test("is rejected without items, and with more than 1,000", async () => {
    const detail = "must be an array of 1 to 1000 keys, or one key";
    for (const text of [`[${padding}]`, `[${"{},".repeat(5_000)}{}]`])
      expect((await post(bulk, text)).body.errors).toEqual([{ pointer: "", detail }]);
  });

  test("creates its items in order", async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => ({
      description: `${index} [,] "{`,
      metadata: { a: [{}] },
    }));
    const created = await post(bulk, ` [${keys.map((key) => ` ${JSON.stringify(key)}\n`).join(",")} ] `);
    expect(created.status).toBe(200);
    expect(created.body.data.map(({ description, metadata }: (typeof keys)[0]) => ({ description, metadata }))).toEqual(
      keys,
    );
  });
});

function manyMembers(count: number): string {
  return Array.from({ length: count }, (_, index) => `"a${index}":0`).join();
}
