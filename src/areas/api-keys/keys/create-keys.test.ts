import { describe, expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { newKeyHolder, stateOfKeys, verdict, verify } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";

const generated = /^tg_([0-9a-f]{32})_([0-9a-f]{8})$/;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  describe("a generated key", () => {
    test("has a format and a checksum that a gateway can verify without a lookup", async () => {
      const { keys } = await newKeyHolder(client);
      const { status, body } = await client.post(keys, {});
      expect(status).toBe(200);
      const [, random, checksum] = generated.exec(body.key)!;
      expect(checksum).toBe(crc32(random!).toString(16).padStart(8, "0"));
      expect(body).toEqual({
        id: expect.stringMatching(/^key_[0-9A-Za-z]{24}$/),
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
        expiresOn: null,
        isEnabled: true,
        lastUsedOn: null,
        key: body.key,
      });
    });

    test("is different each time, and valid immediately", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const made = await Promise.all(Array.from({ length: 20 }, () => client.post(keys, {})));
      const values = made.map(({ body }) => body.key);
      expect(new Set(values).size).toBe(20);
      for (const value of values) expect(await verdict(client, bucket, value)).toBe("valid");
    });

    test("begins with the current prefix of its bucket", async () => {
      const { bucket, keys } = await newKeyHolder(client, { bucketOptions: { keyPrefix: "my-app_live" } });
      expect((await client.post(keys, {})).body.key).toMatch(/^my-app_live_[0-9a-f]{32}_[0-9a-f]{8}$/);
      await client.patch(bucket, { keyPrefix: "x" });
      expect((await client.post(keys, {})).body.key).toMatch(/^x_[0-9a-f]{32}_[0-9a-f]{8}$/);
    });

    test("needs no body", async () => {
      const { keys } = await newKeyHolder(client);
      for (const body of [undefined, "", "  \n"]) {
        const { status, body: key } = await client.raw("POST", keys, body);
        expect(status).toBe(200);
        expect(key.key).toMatch(generated);
      }
    });
  });

  test("a description and an expiry are kept as given, in UTC", async () => {
    const { keys } = await newKeyHolder(client);
    const { body } = await client.post(keys, {
      description: "für die Produktion 🔑",
      expiresOn: "2027-01-01T01:00:00+01:00",
    });
    expect(body).toMatchObject({ description: "für die Produktion 🔑", expiresOn: "2027-01-01T00:00:00.000Z" });
    const { key: _, ...rest } = body;
    expect((await client.get(`${keys}/${body.id}?key-format=none`)).body).toEqual(rest);
  });

  test("an expiry of null is none; one in the past is a key that is expired already", async () => {
    const { bucket, keys } = await newKeyHolder(client);
    const unlimited = await client.post(keys, { expiresOn: null });
    expect(unlimited.body.expiresOn).toBeNull();
    expect(await verdict(client, bucket, unlimited.body.key)).toBe("valid");
    const past = await client.post(keys, { expiresOn: clock.iso(-1) });
    expect(past.body.expiresOn).toBe(clock.iso(-1));
    expect(await verdict(client, bucket, past.body.key)).toBe("expired");
  });

  describe("a supplied key", () => {
    test.each([
      ["16 characters", "sixteen-letters!"],
      ["512 characters", "k".repeat(512)],
      ["every kind of sign", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"],
      ["the generated shape with its checksum", "tg_0123456789abcdef0123456789abcdef_7759b50e"],
    ])("a supplied key of %s is taken as it is", async (_name, key) => {
      const { bucket, keys } = await newKeyHolder(client);
      const { status, body } = await client.post(keys, { key });
      expect(status).toBe(200);
      expect(body.key).toBe(key);
      expect((await verify(client, bucket, key)).body).toMatchObject({ valid: true, keyId: body.id });
      expect((await client.get(`${keys}/${body.id}?key-format=visible`)).body.key).toBe(key);
    });

    test("is distinguished from one in other capitals", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      await client.post(keys, { key: "a-key-of-my-own-making" });
      expect(await verdict(client, bucket, "A-key-of-my-own-making")).toBe("not_found");
      expect((await client.post(keys, { key: "A-key-of-my-own-making" })).status).toBe(200);
    });
  });

  describe("rejected, and no key made:", () => {
    const rejected: Record<string, [body: unknown, pointer: string]> = {
      "15 characters": [{ key: "x".repeat(15) }, "/key"],
      "513 characters": [{ key: "x".repeat(513) }, "/key"],
      spaces: [{ key: "a key with some spaces" }, "/key"],
      "not ASCII": [{ key: "ein-schlüssel-von-mir" }, "/key"],
      "a number as the key": [{ key: 1234567890123456 }, "/key"],
      "null as the key": [{ key: null }, "/key"],
      "a date without time": [{ expiresOn: "2027-01-01" }, "/expiresOn"],
      "a time without a zone": [{ expiresOn: "2027-01-01T00:00:00" }, "/expiresOn"],
      "a day that is none": [{ expiresOn: "2027-02-30T00:00:00Z" }, "/expiresOn"],
      "seconds since 1970": [{ expiresOn: 1798761600 }, "/expiresOn"],
      "a description of 1001 characters": [{ description: "x".repeat(1001) }, "/description"],
      "a description that is no text": [{ description: { a: 1 } }, "/description"],
      "a NUL in the description": [{ description: "a\u0000b" }, "/description"],
      "an unknown field": [{ name: "acme" }, "/name"],
      "a read-only field": [{ id: "key_0QGzNqW81Kx8VhTb3mPcRdZu" }, "/id"],
      "a read-only time": [{ createdOn: "2026-01-01T00:00:00Z" }, "/createdOn"],
      "an array": [[{}], ""],
      null: [null, ""],
      "a text": ["x", ""],
      "a prototype": [JSON.parse('{"__proto__": {}}'), "/__proto__"],
    };
    test.each(casesFor(engine, Object.entries(rejected)))("%s", async (_name, [body, pointer]) => {
      const holder = await newKeyHolder(client);
      expectProblem(await client.post(holder.keys, body), 400, "validation_failed", { pointer });
      expect(await stateOfKeys(client, holder)).toMatchObject({ data: [], total: 0 });
    });

    test.each(["[]", "null", '"x"', "7"])("a body that is %s, and says what it must be", async (text) => {
      const { keys } = await newKeyHolder(client);
      const response = await client.raw("POST", keys, text);
      expectProblem(response, 400, "validation_failed", { pointer: "" });
      expect(response.body.detail).toBe("The body must be an object");
    });

    test("malformed JSON", async () => {
      const holder = await newKeyHolder(client);
      for (const text of ['{"key": ', "{'key': 'a-key-of-my-own-making'}", "{key}", "\u0000", '{"a":1}x'])
        expectProblem(await client.raw("POST", holder.keys, text), 400, "invalid_json");
      expect(await stateOfKeys(client, holder)).toMatchObject({ data: [], total: 0 });
    });

    test("every error is named, and the value is not repeated", async () => {
      const { keys } = await newKeyHolder(client);
      const response = await client.post(keys, { key: "short-secret", expiresOn: "soon", more: 1 });
      for (const pointer of ["/key", "/expiresOn", "/more"])
        expectProblem(response, 400, "validation_failed", { pointer });
      expect(response.text).not.toContain("short-secret");
    });

    test("a consumer that is not there, or a bucket", async () => {
      const { bucket } = await newKeyHolder(client);
      const missing = [`${bucket}/consumers/nobody/keys`, `${bucket}-none/consumers/acme/keys`];
      for (const path of missing) expectProblem(await client.post(path, {}), 404, "not_found");
      expectProblem(await client.get(`${bucket}-none`), 404, "not_found");
    });
  });

  test("a repeated Idempotency-Key returns the same key, and makes none", async () => {
    const { keys } = await newKeyHolder(client);
    const headers = { "idempotency-key": "only-once" };
    const first = await client.post(keys, { description: "once" }, headers);
    const again = await client.post(keys, { description: "once" }, headers);
    expect(again.body).toEqual(first.body);
    expect((await client.get(keys)).body.total).toBe(1);
  });
});
