import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";

const account = "/v1/accounts/default";
const buckets = `${account}/key-buckets`;
const consumers = `${buckets}/main/consumers`;
const numbers = [1, 2, 3, 4, 5, 6, 7];

interface List {
  path: string;
  /** The number of items that existed before. */
  others: number;
  add(number: number): [path: string, body: object];
}

/** Every list of the API. */
const lists: Record<string, List> = {
  accounts: { path: "/v1/accounts", others: 1, add: (n) => ["/v1/accounts", { name: `account-${n}` }] },
  tokens: {
    path: `${account}/tokens`,
    others: 1,
    add: (n) => [`${account}/tokens`, { role: "reader", name: `t-${n}` }],
  },
  buckets: { path: buckets, others: 1, add: (n) => [buckets, { name: `bucket-${n}` }] },
  consumers: { path: consumers, others: 1, add: (n) => [consumers, { name: `consumer-${n}` }] },
  keys: { path: `${consumers}/acme/keys`, others: 0, add: (n) => [`${consumers}/acme/keys`, { description: `${n}` }] },
  managers: {
    path: `${consumers}/acme/managers`,
    others: 0,
    add: (n) => [`${consumers}/acme/managers`, { sub: `${n}` }],
  },
  invites: {
    path: `${consumers}/acme/manager-invites`,
    others: 0,
    add: (n) => [`${consumers}/acme/manager-invites`, { email: `${n}@acme.example` }],
  },
};

const good: [query: string, limit: number, offset: number][] = [
  ["", 1000, 0],
  ["?limit=2", 2, 0],
  ["?limit=2&offset=3", 2, 3],
  ["?offset=6", 1000, 6],
  ["?limit=1000", 1000, 0],
  ["?limit=1001", 1000, 0],
  ["?limit=4294967296", 1000, 0],
  [`?limit=${"9".repeat(40)}`, 1000, 0],
  ["?offset=100", 1000, 100],
  ["?offset=4294967295", 1000, 4294967295],
];

const bad: [query: string, pointer: string][] = [
  ["?limit=0", "?limit"],
  ["?limit=-1", "?limit"],
  ["?limit=1.5", "?limit"],
  ["?limit=1e2", "?limit"],
  ["?limit=0x10", "?limit"],
  ["?limit=ten", "?limit"],
  ["?limit=", "?limit"],
  ["?limit=%201", "?limit"],
  ["?limit=%00", "?limit"],
  ["?limit=1&limit=2", "?limit"],
  ["?offset=-1", "?offset"],
  ["?offset=0.5", "?offset"],
  ["?offset=NaN", "?offset"],
  ["?offset=", "?offset"],
  ["?offset=4294967296", "?offset"],
  [`?offset=${"9".repeat(40)}`, "?offset"],
  ["?offset=1&offset=1", "?offset"],
];

eachEngine((engine) => {
  const server = useServer(engine);
  const client = server.client.as(operatorToken);

  beforeAll(async () => {
    await client.post(consumers, { name: "acme" });
    for (const { add } of Object.values(lists)) for (const number of numbers) await client.post(...add(number));
  });

  /** The URLs of the `Link` headers, and all items that they return. */
  async function follow(first: string): Promise<{ pages: number; items: { id: string }[] }> {
    const items: { id: string }[] = [];
    let pages = 0;
    for (let next: string | undefined = first; next !== undefined; pages++) {
      const response = await client.get(next);
      items.push(...response.body.data);
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
    }
    return { pages, items };
  }

  describe.each(Object.entries(lists))("the list of %s", (_name, { path, others }) => {
    const total = others + numbers.length;

    test.each(good)("returns the page of %p", async (query, limit, offset) => {
      const everything = (await client.get(path)).body.data;
      const { body } = await client.get(path + query);
      expect(body).toEqual({ data: everything.slice(offset, offset + limit), limit, offset, total });
    });

    test.each(bad)("rejects %p", async (query, pointer) => {
      expectProblem(await client.get(path + query), 400, "validation_failed", { pointer });
    });

    test("is in the order of creation, which its ids sort by", async () => {
      const ids = (await client.get(path)).body.data.map(({ id }: { id: string }) => id);
      expect(ids).toHaveLength(total);
      expect(ids).toEqual([...new Set(ids)].sort());
    });

    test.each([1, 3, total - 1])("can be followed by Link, %i at a time", async (limit) => {
      const everything = (await client.get(path)).body.data;
      const { pages, items } = await follow(`${path}?limit=${limit}`);
      expect(items).toEqual(everything);
      expect(pages).toBe(Math.ceil(total / limit));
    });

    test("has no Link on the last page", async () => {
      for (const query of ["", `?limit=${total}`, "?offset=1", `?offset=${total + 5}&limit=1`])
        expect((await client.get(path + query)).headers.has("link")).toBe(false);
    });
  });

  test("Link keeps the other parameters", async () => {
    const names = Array.from({ length: 5 }, (_, index) => `tagged-${index}`);
    for (const name of names) await client.post(`${consumers}?with-api-key=true`, { name, tags: { "a b&c": "ü=1" } });
    const filter = new URLSearchParams({ "tag.a b&c": "ü=1", "include-api-keys": "true", "key-format": "none" });
    const { pages, items } = await follow(`${consumers}?limit=2&${filter}`);
    expect(pages).toBe(3);
    expect(items).toMatchObject(names.map((name) => ({ name, apiKeys: [{ expiresOn: null }] })));
    expect(JSON.stringify(items)).not.toContain('"key":');
  });

  test("the order does not change between pages while others are added and changed", async () => {
    const path = `${buckets}/moving/consumers`;
    for (const number of numbers) await client.post(path, { name: `n-${number}` });
    const first = (await client.get(`${path}?limit=3`)).body.data;
    await client.post(path, { name: "a-late-one" });
    await client.patch(`${path}/n-1`, { description: "changed" });
    const rest = (await client.get(`${path}?offset=3`)).body.data;
    const names = [...first, ...rest].map(({ name }: { name: string }) => name);
    expect(names).toEqual([...numbers.map((number) => `n-${number}`), "a-late-one"]);
  });
});
