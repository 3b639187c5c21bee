import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { newKeyHolder, stateOfKeys, verdict } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";

const sha256 = (value: string, encoding: "hex" | "base64" = "hex") =>
  createHash("sha256").update(value).digest(encoding);

/** Values that other systems issue. The third has the generated format with another checksum. */
const foreignValues = [
  "zpka_9f8c2d1e7b6a45d3_live",
  "s3cret!",
  "tg_0123456789abcdef0123456789abcdef_00000000",
  "clé d'accès.",
];

eachEngine((engine) => {
  describe("a key that is created from a hash", () => {
    const { client } = useServer(engine);

    test.each(foreignValues)("is valid when its value %j is presented", async (value) => {
      const { bucket, keys } = await newKeyHolder(client);
      expect(await verdict(client, bucket, value)).not.toBe("valid");
      const { status, body } = await client.post(keys, { hash: { sha256: sha256(value) }, suffix: value.at(-1) });
      expect(status).toBe(200);
      expect(body).toMatchObject({ key: `****${value.at(-1)}`, isRetrievable: false, isEnabled: true });
      expect(await verdict(client, bucket, value)).toBe("valid");
      expect(await verdict(client, bucket, `${value}x`)).toBe("not_found");
    });

    test("is accepted in hex of either case and in base64", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const hashes = [sha256("one-of-three"), sha256("two-of-three").toUpperCase(), sha256("three-of-three", "base64")];
      const created = await client.post(
        `${keys}/$bulk`,
        hashes.map((text) => ({ hash: { sha256: text } })),
      );
      expect(created.body.data.map(({ key }: { key: string }) => key)).toEqual(["****", "****", "****"]);
      for (const value of ["one-of-three", "two-of-three", "three-of-three"])
        expect(await verdict(client, bucket, value)).toBe("valid");
    });

    test("is shown masked with every format, alone, in lists and in its consumer", async () => {
      const { bucket, path, keys } = await newKeyHolder(client);
      const own = (await client.post(keys, {})).body;
      const { id } = (await client.post(keys, { hash: { sha256: sha256("issued elsewhere") }, suffix: "here" })).body;
      const masked = { id, key: "****here", isRetrievable: false };
      for (const format of ["visible", "masked"]) {
        expect((await client.get(`${keys}/${id}?key-format=${format}`)).body).toMatchObject(masked);
        const list = (await client.get(`${keys}?key-format=${format}`)).body.data;
        expect(list[1]).toMatchObject(masked);
        expect(list[0]).not.toHaveProperty("isRetrievable");
        const consumer = await client.get(`${path}?include-api-keys=true&key-format=${format}`);
        expect(consumer.body.apiKeys[1]).toMatchObject(masked);
      }
      expect((await client.get(`${keys}?key-format=visible`)).body.data[0].key).toBe(own.key);
      expect((await client.get(`${bucket}/keys`)).body.data).toContainEqual(expect.objectContaining(masked));
    });

    test("can be created with its consumer, and a response can be sent back as input", async () => {
      const { bucket } = await newKeyHolder(client);
      const apiKeys = [{ hash: { sha256: sha256("of a new consumer") }, suffix: "umer" }];
      const created = await client.post(`${bucket}/consumers`, { name: "other", apiKeys });
      expect(created.status).toBe(200);
      expect(await verdict(client, bucket, "of a new consumer")).toBe("valid");
      const [read] = (await client.get(`${bucket}/consumers/other?include-api-keys=true`)).body.apiKeys;
      const { key: _, ...rest } = read;
      const again = await client.post(`${bucket}/consumers`, { name: "third", apiKeys: [rest] });
      expect(again.status).toBe(200);
    });

    test("has the same rules as others, and is replaced by rolling it", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const hash = { sha256: sha256("to be rolled one day") };
      const { id } = (await client.post(keys, { hash, permissions: ["orders:read"] })).body;
      const rolled = await client.post(`${keys}/${id}/$roll`, { expiresOn: "2020-01-01T00:00:00Z" });
      expect(rolled.body.permissions).toEqual(["orders:read"]);
      expect(rolled.body).not.toHaveProperty("isRetrievable");
      expect(await verdict(client, bucket, "to be rolled one day")).toBe("expired");
      expect(await verdict(client, bucket, rolled.body.key)).toBe("valid");
    });

    test("is unique in its bucket, as a value or as a hash", async () => {
      const holder = await newKeyHolder(client);
      const value = "a-value-of-sixteen-or-more";
      const hash = { sha256: sha256(value) };
      expectProblem(await client.post(`${holder.keys}/$bulk`, [{ key: value }, { hash }]), 409, "key_exists", {
        pointer: "/1/hash",
      });
      expect((await client.post(holder.keys, { hash })).status).toBe(200);
      const before = await stateOfKeys(client, holder);
      expectProblem(await client.post(holder.keys, { key: value }), 409, "key_exists");
      expectProblem(await client.post(holder.keys, { hash }), 409, "key_exists");
      expect(await stateOfKeys(client, holder)).toEqual(before);
    });

    test.each(
      casesFor(engine, [
        ["hash", { hash: sha256("x") }, "/hash"],
        ["digest", { hash: { sha256: "abc" } }, "/hash/sha256"],
        ["base64 of another length", { hash: { sha256: `${"A".repeat(42)}==` } }, "/hash/sha256"],
        ["base64 with stray bits", { hash: { sha256: `${"A".repeat(42)}B=` } }, "/hash/sha256"],
        ["algorithm", { hash: { bcrypt: "$2b$10$abcdefghijklmnopqrstuv" } }, "/hash/bcrypt"],
        ["value beside a hash", { key: "a-value-of-sixteen-or-more", hash: { sha256: sha256("x") } }, "/hash"],
        ["suffix without a hash", { suffix: "abcd" }, "/suffix"],
        ["suffix", { hash: { sha256: sha256("x") }, suffix: "abcde" }, "/suffix"],
      ]),
    )("is rejected with a wrong %s", async (_what, body, pointer) => {
      const holder = await newKeyHolder(client);
      const before = await stateOfKeys(client, holder);
      const { status, body: problem } = await client.post(holder.keys, body);
      expect(status).toBe(400);
      expect(problem.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
      expect(await stateOfKeys(client, holder)).toEqual(before);
    });

    test("cannot be set on an existing key", async () => {
      const { keys } = await newKeyHolder(client);
      const { id } = (await client.post(keys, {})).body;
      expect((await client.patch(`${keys}/${id}`, { hash: { sha256: sha256("x") } })).status).toBe(400);
    });
  });
});
