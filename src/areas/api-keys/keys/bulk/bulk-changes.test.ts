import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { newKeyHolder, stateOfKeys, verdict } from "../../../../../test/support/key-holder.ts";
import { useServer } from "../../../../../test/support/server.ts";

interface Key {
  id: string;
  key: string;
  description?: string;
}

const items = (count: number) => Array.from({ length: count }, (_, index) => ({ description: `number ${index}` }));

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  test.each([1, 2, 1000])("%i keys are made, in order, and returned whole", async (count) => {
    const { bucket, keys } = await newKeyHolder(client);
    const { status, body } = await client.post(`${keys}/$bulk`, items(count));
    expect(status).toBe(200);
    expect(body).toMatchObject({ limit: 1000, offset: 0, total: count });
    expect(body.data.map(({ description }: Key) => description)).toEqual(items(count).map((item) => item.description));
    expect(new Set(body.data.map(({ key }: Key) => key)).size).toBe(count);
    for (const { key } of [body.data[0], body.data.at(-1)]) expect(await verdict(client, bucket, key)).toBe("valid");

    const listed = (await client.get(`${keys}?key-format=visible`)).body;
    expect(listed).toEqual(body);
  });

  test("a lone object is a list of one", async () => {
    const { keys } = await newKeyHolder(client);
    const { status, body } = await client.post(`${keys}/$bulk`, {
      key: "a-key-of-my-own-making",
      expiresOn: clock.iso(1),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [{ key: "a-key-of-my-own-making", expiresOn: clock.iso(1) }], total: 1 });
  });

  test("generated and supplied keys, with and without expiry, go together", async () => {
    const { keys } = await newKeyHolder(client);
    const { body } = await client.post(`${keys}/$bulk`, [
      {},
      { key: "a-key-of-my-own-making" },
      { expiresOn: "2027-01-01T00:00:00Z", description: "third" },
      { expiresOn: null },
    ]);
    expect(body.data).toMatchObject([
      { key: expect.stringMatching(/^tg_/), expiresOn: null },
      { key: "a-key-of-my-own-making", expiresOn: null },
      { key: expect.stringMatching(/^tg_/), expiresOn: "2027-01-01T00:00:00.000Z", description: "third" },
      { expiresOn: null },
    ]);
  });

  describe("rejected, named, and nothing made:", () => {
    const oneBad = (bad: unknown, index = 567) => items(1000).with(index, bad as { description: string });
    const rejected: Record<string, [body: unknown, pointer: string]> = {
      "no items": [[], ""],
      "1,001 items": [items(1001), ""],
      "one bad key in 1,000": [oneBad({ key: "too short" }), "/567/key"],
      "one bad date in 1,000": [oneBad({ expiresOn: "2027-01-01" }), "/567/expiresOn"],
      "one unknown field in 1,000": [oneBad({ name: "x" }), "/567/name"],
      "one read-only field in 1,000": [oneBad({ id: "key_1" }), "/567/id"],
      "one item that is no object": [oneBad(5), "/567"],
      "the last item null": [oneBad(null, 999), "/999"],
      "a lone object with an unknown field": [{ name: "x" }, "/name"],
      "a lone object with a bad key": [{ key: "short" }, "/key"],
      "a text": ["x", ""],
      "a number": [5, ""],
    };
    test.each(casesFor(engine, Object.entries(rejected)))("%s", async (_name, [body, pointer]) => {
      const holder = await newKeyHolder(client);
      const response = await client.post(`${holder.keys}/$bulk`, body);
      expectProblem(response, 400, "validation_failed", { pointer });
      expect(await stateOfKeys(client, holder)).toMatchObject({ data: [], total: 0 });
    });

    test("the error names the most there may be", async () => {
      const { keys } = await newKeyHolder(client);
      for (const count of [0, 1001]) {
        const { body } = await client.post(`${keys}/$bulk`, items(count));
        expect(body.detail).toContain("1 to 1000");
      }
    });

    test("no body", async () => {
      const holder = await newKeyHolder(client);
      expectProblem(await client.raw("POST", `${holder.keys}/$bulk`, ""), 400, "validation_failed", { pointer: "" });
      expect(await stateOfKeys(client, holder)).toMatchObject({ total: 0 });
    });

    test("the same value twice in one request: the second is named", async () => {
      const holder = await newKeyHolder(client);
      const body = [{}, { key: "a-key-of-my-own-making" }, {}, { key: "a-key-of-my-own-making" }];
      expectProblem(await client.post(`${holder.keys}/$bulk`, body), 409, "key_exists", { pointer: "/3/key" });
      expect(await stateOfKeys(client, holder)).toMatchObject({ total: 0 });
    });

    test("one value of 1,000 that is taken", async () => {
      const holder = await newKeyHolder(client);
      await client.post(holder.keys, { key: "a-key-of-my-own-making" });
      const before = await stateOfKeys(client, holder);
      const body = oneBad({ key: "a-key-of-my-own-making" }, 999);
      expectProblem(await client.post(`${holder.keys}/$bulk`, body), 409, "key_exists");
      expect(await stateOfKeys(client, holder)).toEqual(before);
    });

    test("a consumer that is not there", async () => {
      const { bucket } = await newKeyHolder(client);
      expectProblem(await client.post(`${bucket}/consumers/nobody/keys/$bulk`, [{}]), 404, "not_found");
    });
  });

  test("a body of more than 1 MiB is taken, one of more than 10 MiB is not", async () => {
    const holder = await newKeyHolder(client);
    const large = items(1000).map((item, index) => ({
      ...item,
      description: "x".repeat(1000),
      key: `${index}-`.padEnd(512, "k"),
    }));
    expect(JSON.stringify(large).length).toBeGreaterThan(1.4 * 1024 * 1024);
    expect((await client.post(`${holder.keys}/$bulk`, large)).status).toBe(200);
    const before = await stateOfKeys(client, holder);
    const tooLarge = `[{"description":"${"x".repeat(10 * 1024 * 1024)}"}]`;
    expectProblem(await client.raw("POST", `${holder.keys}/$bulk`, tooLarge), 413, "body_too_large");
    expect(await stateOfKeys(client, holder)).toEqual(before);
  });

  test("concurrent bulk requests do not mix: each is stored completely and in order", async () => {
    const { keys } = await newKeyHolder(client);
    await Promise.all(
      ["a", "b", "c", "d"].map((name) =>
        client.post(
          `${keys}/$bulk`,
          Array.from({ length: 100 }, (_, index) => ({ description: `${name} ${index}` })),
        ),
      ),
    );
    const listed = (await client.get(keys)).body.data.map(({ description }: Key) => description);
    for (const name of ["a", "b", "c", "d"]) {
      const own = listed.filter((description: string) => description.startsWith(name));
      expect(own).toEqual(Array.from({ length: 100 }, (_, index) => `${name} ${index}`));
    }
  });
});
