import { describe, expect, test } from "bun:test";
import { callerWithRole } from "../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type KeyHolder, newKeyHolder } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";

/** The two operations that return keys. */
const ways = [
  { what: "list", path: ({ keys }: KeyHolder, _id: string) => keys },
  { what: "read", path: ({ keys }: KeyHolder, id: string) => `${keys}/${id}` },
];

const onlyKey = (body: { data?: object[] }) => body.data?.[0] ?? body;

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe.each(ways)("key formats, by $what", ({ path }) => {
    test("visible is the value, masked its end, none nothing; masked is the default", async () => {
      const holder = await newKeyHolder(client);
      const { id, key, ...rest } = (await client.post(holder.keys, { description: "one" })).body;
      const read = async (query: string) => onlyKey((await client.get(path(holder, id) + query)).body);
      expect(await read("?key-format=visible")).toEqual({ id, ...rest, key });
      expect(await read("?key-format=masked")).toEqual({ id, ...rest, key: `****${key.slice(-8)}` });
      expect(await read("")).toEqual({ id, ...rest, key: `****${key.slice(-8)}` });
      expect(await read("?key-format=none")).toEqual({ id, ...rest });
    });

    test.each([
      [16, 4],
      [19, 4],
      [20, 5],
      [31, 7],
      [32, 8],
      [100, 8],
      [512, 8],
    ])("of a supplied key of %i characters, %i are shown", async (length, shown) => {
      const holder = await newKeyHolder(client);
      const value = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".repeat(10).slice(0, length);
      const { id } = (await client.post(holder.keys, { key: value })).body;
      const key = onlyKey((await client.get(path(holder, id))).body);
      expect(key).toMatchObject({ key: `****${value.slice(-shown)}` });
    });

    test("an unknown format is rejected by name", async () => {
      const holder = await newKeyHolder(client);
      const { id } = (await client.post(holder.keys, {})).body;
      for (const format of ["hidden", "VISIBLE", "", "visible&key-format=none"]) {
        const response = await client.get(`${path(holder, id)}?key-format=${format}`);
        expectProblem(response, 400, "validation_failed", { pointer: "?key-format" });
      }
    });

    test("a reader sees keys masked at most", async () => {
      const reader = await callerWithRole(client, "reader");
      const holder = await newKeyHolder(client);
      const { id, key } = (await client.post(holder.keys, {})).body;
      const rejected = await reader.get(`${path(holder, id)}?key-format=visible`);
      expectProblem(rejected, 403, "forbidden");
      expect(rejected.text).not.toContain(key);
      for (const format of ["", "?key-format=masked", "?key-format=none"]) {
        const response = await reader.get(path(holder, id) + format);
        expect(response.status).toBe(200);
        expect(response.text).not.toContain(key);
      }
    });

    test("an editor sees them", async () => {
      const editor = await callerWithRole(client, "editor");
      const holder = await newKeyHolder(client);
      const { id, key } = (await client.post(holder.keys, {})).body;
      expect((await editor.get(`${path(holder, id)}?key-format=visible`)).text).toContain(key);
    });

    test("a bucket that is not retrievable shows a key once, when it is made, and masked after", async () => {
      const holder = await newKeyHolder(client, { bucketOptions: { isRetrievable: false } });
      const { id, key } = (await client.post(holder.keys, {})).body;
      expect(key).toMatch(/^tg_/);
      expectProblem(await client.get(`${path(holder, id)}?key-format=visible`), 409, "keys_not_retrievable");
      const masked = onlyKey((await client.get(path(holder, id))).body);
      expect(masked).toMatchObject({ key: `****${key.slice(-8)}` });
    });
  });

  describe("a list", () => {
    test("is in the order of creation, in pages, with the total and a link to the next page", async () => {
      const { keys } = await newKeyHolder(client);
      const made = (
        await client.post(
          `${keys}/$bulk`,
          Array.from({ length: 25 }, () => ({})),
        )
      ).body.data;
      const ids = made.map(({ id }: { id: string }) => id);
      expect(ids.toSorted()).toEqual(ids);

      const seen: string[] = [];
      let next: string | undefined = `${keys}?limit=10`;
      while (next) {
        const { body, headers } = await client.get(next);
        expect(body).toMatchObject({ limit: 10, offset: seen.length, total: 25 });
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        next = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
      }
      expect(seen).toEqual(ids);
    });

    test("keeps its order when keys are changed or deleted", async () => {
      const { keys } = await newKeyHolder(client);
      const [first, second, third] = (await client.post(`${keys}/$bulk`, [{}, {}, {}])).body.data;
      await client.patch(`${keys}/${first.id}`, { description: "changed" });
      const idsOf = async () => (await client.get(keys)).body.data.map(({ id }: { id: string }) => id);
      expect(await idsOf()).toEqual([first.id, second.id, third.id]);
      await client.delete(`${keys}/${second.id}`);
      expect(await idsOf()).toEqual([first.id, third.id]);
    });

    test.each([
      ["limit=1000", 1000, 0],
      ["limit=5000", 1000, 0],
      ["limit=1", 1, 0],
      ["offset=3", 1000, 3],
      ["offset=4294967295", 1000, 4294967295],
      ["", 1000, 0],
    ])("?%s is limit %i and offset %i", async (query, limit, offset) => {
      const { keys } = await newKeyHolder(client);
      await client.post(`${keys}/$bulk`, [{}, {}]);
      const { body } = await client.get(`${keys}?${query}`);
      expect(body).toMatchObject({ limit, offset, total: 2 });
      expect(body.data).toHaveLength(Math.max(0, Math.min(2 - offset, limit)));
    });

    test.each(
      casesFor(engine, [
        ["limit=0", "?limit"],
        ["limit=-1", "?limit"],
        ["limit=1.5", "?limit"],
        ["limit=ten", "?limit"],
        ["limit=", "?limit"],
        ["offset=-1", "?offset"],
        ["offset=1e3", "?offset"],
      ]),
    )("?%s is rejected by name", async (query, pointer) => {
      const { keys } = await newKeyHolder(client);
      expectProblem(await client.get(`${keys}?${query}`), 400, "validation_failed", { pointer });
    });

    test("a list of a consumer without keys, or in a bucket that does not exist, is empty", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      for (const path of [keys, `${bucket}-none/consumers/acme/keys`])
        expect((await client.get(path)).body).toEqual({ data: [], limit: 1000, offset: 0, total: 0 });
      expectProblem(await client.get(`${bucket}/consumers/nobody/keys`), 404, "not_found");
    });

    test("has only the keys of its consumer", async () => {
      const one = await newKeyHolder(client);
      const two = await newKeyHolder(client, { bucket: one.bucket, name: "two" });
      await client.post(one.keys, { description: "of one" });
      await client.post(two.keys, { description: "of two" });
      expect((await client.get(one.keys)).body).toMatchObject({ data: [{ description: "of one" }], total: 1 });
    });
  });

  describe("a key that is not there", () => {
    test("is 404, and its name is not repeated: it may be a key", async () => {
      const { keys } = await newKeyHolder(client);
      const { body: made } = await client.post(keys, {});
      for (const id of ["key_0QGzNqW81Kx8VhTb3mPcRdZu", "x", "%00", made.key]) {
        const response = await client.get(`${keys}/${id}`);
        expect(response.status).toBe(404);
        expect(response.body).toMatchObject({ code: "not_found" });
        expect(response.text).not.toContain(made.key);
      }
    });

    test("is one of another consumer, too", async () => {
      const one = await newKeyHolder(client);
      const two = await newKeyHolder(client, { bucket: one.bucket, name: "two" });
      const { id } = (await client.post(one.keys, {})).body;
      expectProblem(await client.get(`${two.keys}/${id}`), 404, "not_found");
      expectProblem(await client.patch(`${two.keys}/${id}`, { description: "stolen" }), 404, "not_found");
      expectProblem(await client.delete(`${two.keys}/${id}`), 404, "not_found");
      expect((await client.get(`${one.keys}/${id}`)).body).not.toHaveProperty("description");
    });
  });

  test("If-None-Match returns 304 for an unchanged key", async () => {
    const { keys } = await newKeyHolder(client);
    const created = await client.post(keys, {});
    const path = `${keys}/${created.body.id}`;
    const etag = (await client.get(path)).headers.get("etag")!;
    expect(created.headers.get("etag")).toBe(etag);
    expect((await client.get(path, { "if-none-match": etag })).status).toBe(304);
    await client.patch(path, { description: "changed" });
    expect((await client.get(path, { "if-none-match": etag })).status).toBe(200);
  });
});
