import { beforeAll, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const tagged = {
  gold: { plan: "gold", region: "eu" },
  "gold-number": { plan: "gold", seats: 5, region: "us" },
  "seats-text": { seats: "5" },
  "seats-more": { seats: 50 },
  fraction: { ratio: 0.1, large: 1e21, negative: -0 },
  yes: { active: true },
  "yes-text": { active: "true" },
  no: { active: false },
  empty: { plan: "" },
  capital: { Plan: "Gold" },
  strange: { "a.b=c&d": "x=y", 長い名前: "値 🛒", "  ": " ", "tag.plan": "gold", '"]': '["' },
  functions: { constructor: "x", toString: 1 },
  untagged: {},
};

/** Requested tags, and the consumers that have them. */
const filters: [Record<string, string>, string[]][] = [
  [{ plan: "gold" }, ["gold", "gold-number"]],
  [{ plan: "gold", region: "us" }, ["gold-number"]],
  [{ region: "us", plan: "gold", seats: "5" }, ["gold-number"]],
  [{ plan: "gold", active: "true" }, []],
  [{ seats: "5" }, ["gold-number", "seats-text"]],
  [{ seats: "5.0" }, []],
  [{ seats: "05" }, []],
  [{ ratio: "0.1" }, ["fraction"]],
  [{ large: "1e+21" }, ["fraction"]],
  [{ negative: "0" }, ["fraction"]],
  [{ active: "true" }, ["yes", "yes-text"]],
  [{ active: "false" }, ["no"]],
  [{ active: "True" }, []],
  [{ plan: "" }, ["empty"]],
  [{ Plan: "Gold" }, ["capital"]],
  [{ plan: "Gold" }, []],
  [{ plan: "go%" }, []],
  [{ "a.b=c&d": "x=y" }, ["strange"]],
  [{ 長い名前: "値 🛒" }, ["strange"]],
  [{ "  ": " " }, ["strange"]],
  [{ "tag.plan": "gold" }, ["strange"]],
  [{ '"]': '["' }, ["strange"]],
  [{ constructor: "x" }, ["functions"]],
  [{ constructor: "x", toString: "1" }, ["functions"]],
  [{ valueOf: "x" }, []],
];

eachEngine((engine) => {
  const { client } = useServer(engine);
  const consumers = `${newBucketPath()}/consumers`;

  beforeAll(async () => {
    for (const [name, tags] of Object.entries(tagged)) {
      expect((await client.post(consumers, { name, tags })).status).toBe(200);
    }
  });

  test.each(filters)("the tags %j are found on %j", async (tags, expected) => {
    const list = await client.get(`${consumers}?${tagQuery(Object.entries(tags))}`);
    expect(names(list.body)).toEqual(expected);
    expect(list.body.total).toBe(expected.length);
    for (const name of Object.keys(tagged)) {
      const read = await client.get(`${consumers}/${name}?${tagQuery(Object.entries(tags))}`);
      expect([name, read.status]).toEqual([name, expected.includes(name) ? 200 : 404]);
    }
  });

  test("the longest tag is found, and longer ones are not", async () => {
    const [name, value] = ["n".repeat(128), "v".repeat(256)];
    const path = `${newBucketPath()}/consumers`;
    await client.post(path, { name: "acme", tags: { [name]: value } });
    for (const [query, total] of [
      [tagQuery([[name, value]]), 1],
      [tagQuery([[`${name}n`, value]]), 0],
      [tagQuery([[name, `${value}v`.repeat(20)]]), 0],
    ]) {
      expect((await client.get(`${path}?${query}`)).body.total).toBe(total);
    }
  });

  test("one tag requested twice must be both", async () => {
    const both = await client.get(
      `${consumers}?${tagQuery([
        ["plan", "gold"],
        ["plan", "gold"],
      ])}`,
    );
    expect(names(both.body)).toEqual(["gold", "gold-number"]);
    expect(both.body.total).toBe(2);
    const neither = await client.get(
      `${consumers}?${tagQuery([
        ["plan", "gold"],
        ["plan", ""],
      ])}`,
    );
    expect(neither.body).toMatchObject({ data: [], total: 0 });
  });

  test("the same condition counts once, however often it is given", async () => {
    const repeated = Array.from({ length: 300 }, (): [string, string] => ["plan", "gold"]);
    const list = await client.get(`${consumers}?${tagQuery([...repeated, ["region", "us"]])}`);
    expect(names(list.body)).toEqual(["gold-number"]);
  });

  test("20 conditions are the most", async () => {
    const path = `${newBucketPath()}/consumers`;
    const tags = Object.entries(manyTags(21));
    await client.post(path, { name: "acme", tags: Object.fromEntries(tags) });
    for (const address of [path, `${path}/acme`]) {
      expect((await client.get(`${address}?${tagQuery(tags.slice(0, 20))}`)).status).toBe(200);
      const rejected = await client.get(`${address}?${tagQuery(tags)}`);
      expectProblem(rejected, 400, "validation_failed", { pointer: "?tag.tag-20" });
    }
    expect(names((await client.get(`${path}?${tagQuery(tags.slice(1))}`)).body)).toEqual(["acme"]);
  });

  test("pages of a filter show every match once, with one tag or several", async () => {
    const path = `${newBucketPath()}/consumers`;
    const expected: string[] = [];
    for (let index = 0; index < 20; index++) {
      const isMatch = index % 3 !== 0;
      if (isMatch) expected.push(`c-${index}`);
      await client.post(path, { name: `c-${index}`, tags: { third: !isMatch, all: "yes", own: index } });
    }
    for (const query of ["tag.third=false", "tag.third=false&tag.all=yes"]) {
      for (const limit of [1, 2, 5, 12, 13, 14]) {
        const seen: string[] = [];
        for (let offset = 0; offset < expected.length; offset += limit) {
          const { body } = await client.get(`${path}?${query}&limit=${limit}&offset=${offset}`);
          expect(body.total).toBe(expected.length);
          expect(body.data.length).toBe(Math.min(limit, expected.length - offset));
          seen.push(...names(body));
        }
        expect(seen).toEqual(expected);
      }
    }
  });

  test("a filter follows every change of tags at once", async () => {
    const path = `${newBucketPath()}/consumers`;
    const totals = async () => {
      const counts: Record<string, number> = {};
      for (const query of ["tag.a=1", "tag.a=2", "tag.b=1", "tag.a=1&tag.b=1"]) {
        const { body } = await client.get(`${path}?${query}`);
        expect(body.data.length).toBe(body.total);
        counts[query] = body.total;
      }
      return Object.values(counts);
    };
    await client.post(path, { name: "one", tags: { a: 1, b: 1 } });
    await client.post(path, { name: "other", tags: { a: 1 } });
    expect(await totals()).toEqual([2, 0, 1, 1]);
    await client.patch(`${path}/one`, { tags: { a: "1", b: true } });
    expect(await totals()).toEqual([2, 0, 0, 0]);
    await client.patch(`${path}/one`, { tags: { a: 2, b: 1 } });
    expect(await totals()).toEqual([1, 1, 1, 0]);
    await client.patch(`${path}/other`, { tags: null });
    expect(await totals()).toEqual([0, 1, 1, 0]);
    await client.patch(`${path}/other`, { tags: { a: 2 }, description: "back" });
    expect(await totals()).toEqual([0, 2, 1, 0]);
    await client.delete(`${path}/one`);
    expect(await totals()).toEqual([0, 1, 0, 0]);
    await client.post(path, { name: "one" });
    expect(await totals()).toEqual([0, 1, 0, 0]);
  });

  test("a tag with a NUL character is rejected", async () => {
    expectProblem(await client.get(`${consumers}?tag.a=%00`), 400, "validation_failed", { pointer: "?tag.a" });
  });
});

function tagQuery(tags: [string, string][]): string {
  return tags.map(([name, value]) => `tag.${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

function manyTags(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${index}`, "x"]));
}

function names(body: { data: { name: string }[] }): string[] {
  return body.data.map(({ name }) => name);
}
