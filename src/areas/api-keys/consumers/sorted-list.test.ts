import { expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const hourMs = 3_600_000;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const namesOf = async (path: string): Promise<string[]> =>
    (await client.get(path)).body.data.map(({ name }: { name: string }) => name);

  /** Creates consumers with this number of keys each. Returns the values of the keys by consumer. */
  const createConsumers = async (bucket: string, counts: Record<string, number>) => {
    const keys: Record<string, string[]> = {};
    for (const [name, count] of Object.entries(counts)) {
      const apiKeys = Array.from({ length: count }, () => ({}));
      const { body } = await client.post(`${bucket}/consumers`, { name, apiKeys });
      keys[name] = body.apiKeys?.map(({ key }: { key: string }) => key) ?? [];
    }
    return keys;
  };
  const use = async (bucket: string, key: string) => {
    const { body } = await client.post(`${bucket}/verify-key`, { key });
    expect(body.valid).toBe(true);
    await server.runTasks();
  };

  test("consumers are sorted by the last use of their keys, page by page", async () => {
    const bucket = newBucketPath();
    const keys = await createConsumers(bucket, { none: 0, early: 2, never: 1, late: 1, twice: 3, last: 0 });
    await use(bucket, keys.late![0]!);
    await use(bucket, keys.twice![0]!);
    clock.advance(7 * hourMs);
    await use(bucket, keys.early![1]!);
    clock.advance(7 * hourMs);
    await use(bucket, keys.twice![2]!);
    clock.advance(7 * hourMs);
    await use(bucket, keys.late![0]!);
    const order = ["late", "twice", "early", "none", "never", "last"];
    const list = `${bucket}/consumers?sort=lastUsedOn`;
    expect(await namesOf(list)).toEqual(order);
    for (const limit of [1, 2, 4]) {
      const seen: string[] = [];
      for (let offset = 0; offset < order.length; offset += limit) {
        const { body } = await client.get(`${list}&limit=${limit}&offset=${offset}`);
        expect(body.total).toBe(order.length);
        seen.push(...body.data.map(({ name }: { name: string }) => name));
      }
      expect(seen).toEqual(order);
    }
    expect(await namesOf(`${list}&offset=6`)).toEqual([]);

    // Uses within one period of the index are compared exactly.
    clock.advance(60_000);
    await use(bucket, keys.twice![2]!);
    clock.advance(60_000);
    expect((await namesOf(list)).slice(0, 2)).toEqual(["twice", "late"]);
    await client.delete(`${bucket}/consumers/twice`);
    expect(await namesOf(list)).toEqual(["late", "early", "none", "never", "last"]);
  });

  test("a sorted list of a missing bucket is empty", async () => {
    const { body } = await client.get(`${newBucketPath()}/consumers?sort=lastUsedOn`);
    expect(body).toMatchObject({ data: [], total: 0 });
  });

  test("consumers are listed by their names", async () => {
    const bucket = newBucketPath();
    await createConsumers(bucket, { acme: 0, globex: 0, "acme-2": 0 });
    const list = async (query: string) => {
      const { body } = await client.get(`${bucket}/consumers?${query}`);
      return [body.total, ...body.data.map(({ name }: { name: string }) => name)];
    };
    expect(await list("names=globex,acme,none")).toEqual([2, "acme", "globex"]);
    expect(await list("names=globex,acme&limit=1&offset=1")).toEqual([2, "globex"]);
    expect(await list("names=none")).toEqual([0]);
  });

  const rejected: [query: string, pointer: string][] = [
    ["sort=name", "?sort"],
    ["sort=lastUsedOn&q=a", "?sort"],
    ["sort=lastUsedOn&tag.plan=gold", "?sort"],
    ["sort=lastUsedOn&names=acme", "?sort"],
    ["sort=lastUsedOn&offset=10001", "?offset"],
    ["names=acme&manager-email=jo@acme.example", "?names"],
    [`names=${"a,".repeat(100)}`, "?names"],
  ];
  for (const [query, pointer] of rejected)
    test(`${query.slice(0, 60)} is rejected`, async () => {
      const response = await client.get(`${newBucketPath()}/consumers?${query}`);
      expectProblem(response, 400, "validation_failed", { pointer });
    });
});
