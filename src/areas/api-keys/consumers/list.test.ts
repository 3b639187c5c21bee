import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import type { Client } from "../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  test("a list has complete consumers with limit, offset and total", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    const first = await client.post(consumers, { name: "zebra", description: "d", tags: { a: 1 }, metadata: { b: 2 } });
    clock.advance(1);
    const second = await client.post(consumers, { name: "aardvark" });
    const list = await client.get(consumers);
    expect(list.status).toBe(200);
    expect(list.body).toEqual({ data: [first.body, second.body], limit: 1000, offset: 0, total: 2 });
    expect(list.headers.get("link")).toBeNull();
  });

  test("buckets do not see each other's consumers", async () => {
    const [one, other] = [newBucketPath(), newBucketPath()];
    await client.post(`${one}/consumers`, { name: "in-one", tags: { shared: true } });
    await client.post(`${other}/consumers`, { name: "in-other", tags: { shared: true } });
    for (const query of ["", "?tag.shared=true"]) {
      const list = await client.get(`${one}/consumers${query}`);
      expect(names(list.body)).toEqual(["in-one"]);
      expect(list.body.total).toBe(1);
    }
    expectProblem(await client.get(`${one}/consumers/in-other`), 404, "not_found");
  });

  test("pages of any size show every consumer once, in the order of creation", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    const created = await createMany(client, consumers, 23);
    for (const name of ["c-0", "c-7", "c-8", "c-22"]) await client.delete(`${consumers}/${name}`);
    await client.post(consumers, { name: "c-7" });
    const order = [...created.filter((name) => !["c-0", "c-7", "c-8", "c-22"].includes(name)), "c-7"];
    for (const limit of [1, 2, 3, 7, 19, 20, 21, 1000]) {
      const seen: string[] = [];
      for (let offset = 0; offset < order.length; offset += limit) {
        const { body } = await client.get(`${consumers}?limit=${limit}&offset=${offset}`);
        expect(body).toMatchObject({ limit, offset, total: order.length });
        expect(body.data.length).toBe(Math.min(limit, order.length - offset));
        seen.push(...names(body));
      }
      expect(seen).toEqual(order);
    }
  });

  test("a change of a consumer does not move it", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    const order = await createMany(client, consumers, 3);
    clock.advance(1000);
    await client.patch(`${consumers}/c-0`, { description: "changed", tags: { new: true } });
    expect(names((await client.get(consumers)).body)).toEqual(order);
  });

  test("links lead through all pages and keep the filter", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    await client.post(consumers, { name: "untagged" });
    const order = await createMany(client, consumers, 7, { "a=b&c": "gold silver" });
    let next: string | undefined = `${consumers}/?limit=3&tag.a%3Db%26c=gold+silver&include-managers=true`;
    const seen: string[] = [];
    while (next !== undefined) {
      const page = await client.get(next);
      expect(page.body.total).toBe(7);
      expect(page.body.data[0].managers).toEqual([]);
      seen.push(...names(page.body));
      next = /^<(\/[^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(order);
  });

  test("a page past the end is empty and has the total", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    await createMany(client, consumers, 3, { a: 1 });
    for (const query of [
      "offset=3",
      "offset=4&limit=1",
      "offset=4294967295",
      "offset=9&tag.a=1",
      "offset=9&tag.a=1&tag.a=1",
    ]) {
      const list = await client.get(`${consumers}?${query}`);
      expect(list.body).toMatchObject({ data: [], total: 3 });
      expect(list.headers.get("link")).toBeNull();
    }
  });

  test.each([
    ["limit=1000", 1000],
    ["limit=1001", 1000],
    ["limit=4294967296", 1000],
    ["limit=99999999999999999999", 1000],
    ["limit=1", 1],
    ["", 1000],
  ])("the limit of %p is %p", async (query, limit) => {
    const consumers = `${newBucketPath()}/consumers`;
    await client.post(consumers, { name: "acme" });
    expect((await client.get(`${consumers}?${query}`)).body).toMatchObject({
      data: [{ name: "acme" }],
      limit,
      total: 1,
    });
  });

  describe("a list rejects", () => {
    test.each(
      casesFor(engine, [
        ...["0", "-1", "1.5", "ten", "", "1e2", "0x10", "%201", "NaN", "1,2"].map((value) => ["limit", value]),
        ...["-1", "0.5", "none", "", "1e2", "4294967296", "%2B1"].map((value) => ["offset", value]),
        ...["include-api-keys", "include-managers", "include-manager-invites"].flatMap((name) =>
          ["yes", "1", "TRUE", ""].map((value) => [name, value]),
        ),
        ...["hidden", "VISIBLE", ""].map((value) => ["key-format", value]),
      ] as [string, string][]),
    )("%s=%s", async (name, value) => {
      const list = await client.get(`${newBucketPath()}/consumers?${name}=${value}`);
      expectProblem(list, 400, "validation_failed", { pointer: `?${name}` });
    });

    test("a parameter given twice", async () => {
      const list = await client.get(`${newBucketPath()}/consumers?limit=1&limit=2`);
      expectProblem(list, 400, "validation_failed", { pointer: "?limit" });
    });
  });

  test("a bucket that does not exist is empty to readers, and stays so", async () => {
    const bucket = newBucketPath();
    for (const query of [
      "",
      "?tag.a=b",
      "?manager-email=jo@acme.example",
      "?include-api-keys=true&key-format=visible",
    ]) {
      const list = await client.get(`${bucket}/consumers${query}`);
      expect(list.status).toBe(200);
      expect(list.body).toEqual({ data: [], limit: 1000, offset: 0, total: 0 });
    }
    for (const rest of ["", "/keys/key_0", "/managers/mngr_0", "/manager-invites/mngi_0"]) {
      expectProblem(await client.get(`${bucket}/consumers/acme${rest}`), 404, "not_found");
    }
    for (const list of ["keys", "managers", "manager-invites"]) {
      const response = await client.get(`${bucket}/consumers/acme/${list}`);
      expect(response.body).toEqual({ data: [], limit: 1000, offset: 0, total: 0 });
    }
    expectProblem(await client.patch(`${bucket}/consumers/acme`, { description: "x" }), 404, "not_found");
    expectProblem(await client.delete(`${bucket}/consumers/acme`), 404, "not_found");
    expectProblem(await client.get(bucket), 404, "not_found");
  });
});

function names(body: { data: { name: string }[] }): string[] {
  return body.data.map(({ name }) => name);
}

async function createMany(client: Client, consumers: string, count: number, tags = {}): Promise<string[]> {
  const order = Array.from({ length: count }, (_, index) => `c-${index}`);
  for (const name of order) expect((await client.post(consumers, { name, tags })).status).toBe(200);
  return order;
}
