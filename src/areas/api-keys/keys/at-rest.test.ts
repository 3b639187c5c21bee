import { describe, expect, test } from "bun:test";
import { hash } from "node:crypto";
import { eachEngine } from "../../../../test/support/engines.ts";
import { newKeyHolder, verdict } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account, adminToken, operatorToken } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent, tableNames } from "../../../../test/support/table-content.ts";
import { Keyring } from "../../../lib/crypto/keyring.ts";

const base64 = (key: Buffer) => key.toString("base64");
const nameOf = (key: Buffer) => new Keyring([key]).names[0]!;
const oldKey = Buffer.alloc(32, "the old encryption key");
const newKey = Buffer.alloc(32, "the new encryption key");

eachEngine((engine) => {
  describe("the database", () => {
    const server = useServer(engine);
    const { client } = server;

    test("contains no key and no token in plain text, in any column of any table", async () => {
      const secrets: string[] = [adminToken, operatorToken];
      const { bucket, path, keys } = await newKeyHolder(client);
      const hidden = await newKeyHolder(client, { bucketOptions: { isRetrievable: false } });
      const keep = (response: { body: { key?: string; token?: string } }) => {
        const { key, token } = response.body;
        secrets.push((key ?? token)!);
        return response.body;
      };

      const generated = keep(await client.post(keys, {}, { "idempotency-key": "remembered" })) as { id: string };
      keep(await client.post(keys, { key: "a-key-of-my-own-making" }));
      keep(await client.post(hidden.keys, {}, { "idempotency-key": "remembered too" }));
      keep(await client.post(`/v1/accounts/${account}/tokens`, { role: "reader" }, { "idempotency-key": "a token" }));
      for (const { key } of (await client.post(`${keys}/$bulk`, [{}, {}])).body.data) secrets.push(key);
      const consumer = await client.post(`${bucket}/consumers?with-api-key=true`, { name: "second" });
      secrets.push(consumer.body.apiKeys[0].key);
      await client.patch(`${keys}/${generated.id}`, { key: "another-key-of-mine" });
      secrets.push("another-key-of-mine");
      await client.post(`${path}/roll-key`, { expiresOn: "2030-01-01T00:00:00Z" });
      for (const { key } of (await client.get(`${keys}?key-format=visible`)).body.data) secrets.push(key);
      // A rejection is stored too, and must not contain the request.
      await client.post(keys, { key: "a-key-of-my-own-making" }, { "idempotency-key": "rejected" });

      expect(new Set(secrets).size).toBeGreaterThan(10);
      const tables = await tableNames(server.database);
      expect(tables).toEqual(expect.arrayContaining(["api_keys", "tokens", "idempotency_keys", "changes"]));
      for (const table of tables) {
        const rows = await tableContent(server.database, table);
        for (const secret of secrets) {
          // The last 8 characters are stored for the masked form.
          for (const text of [secret, secret.slice(0, 16), Buffer.from(secret).toString("hex"), btoa(secret)])
            expect(`${table}: ${holdText(rows, text)}`).toBe(`${table}: false`);
        }
      }
    });

    test("looks up keys and tokens by their SHA-256", async () => {
      const { keys } = await newKeyHolder(client);
      const { id, key } = (await client.post(keys, {})).body;
      const stored = (await tableContent(server.database, "api_keys")).find((row) => row.id === id)!;
      expect(Buffer.from(stored.hash as Uint8Array).toString("hex")).toBe(hash("sha256", key));
      const tokens = await tableContent(server.database, "tokens");
      expect(tokens.map((row) => Buffer.from(row.hash as Uint8Array).toString("hex"))).toContain(
        hash("sha256", adminToken),
      );
    });

    test("stores no encrypted value of a key if the bucket is not retrievable", async () => {
      const { keys } = await newKeyHolder(client, { bucketOptions: { isRetrievable: false } });
      const { id } = (await client.post(keys, {})).body;
      await client.patch(`${keys}/${id}`, { key: "another-hidden-key-of-mine" });
      const stored = (await tableContent(server.database, "api_keys")).find((row) => row.id === id)!;
      expect(stored.sealed).toBeNull();
    });

    test("stores the name of the encryption key in each encrypted value", async () => {
      const { keys } = await newKeyHolder(client);
      const { id } = (await client.post(keys, {})).body;
      const stored = (await tableContent(server.database, "api_keys")).find((row) => row.id === id)!;
      const names = (await tableContent(server.database, "encryption_keys")).map((row) => row.name);
      expect(names).toEqual([Buffer.from(stored.sealed as Uint8Array).toString("hex", 0, 4)]);
    });
  });

  describe("rotation", () => {
    const server = useServer(engine, { environment: { TOLLGATE_ENCRYPTION_KEY: base64(oldKey) } });
    const { client } = server;

    test("a new first key: old values are readable, new ones are encrypted with it, and stored responses are replayed", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const send = () => client.post(keys, { description: "before" }, { "idempotency-key": "before" });
      const before = (await send()).body;
      await server.restart({ TOLLGATE_ENCRYPTION_KEY: `${base64(newKey)},${base64(oldKey)}` });

      const after = (await client.post(keys, { description: "after" })).body;
      const listed = (await client.get(`${keys}?key-format=visible`)).body.data;
      expect(listed).toEqual([before, after]);
      expect((await send()).body).toEqual(before);
      for (const { key } of listed) expect(await verdict(client, bucket, key)).toBe("valid");
      const stored = await tableContent(server.database, "api_keys");
      expect(stored.map((row) => Buffer.from(row.sealed as Uint8Array).toString("hex", 0, 4))).toEqual([
        nameOf(oldKey),
        nameOf(newKey),
      ]);
    });

    test("a server without a key that was used does not start, and names it", async () => {
      for (const [key, missing] of [
        [newKey, oldKey],
        [oldKey, newKey],
      ] as const) {
        await expect(server.restart({ TOLLGATE_ENCRYPTION_KEY: base64(key) })).rejects.toThrow(
          `This database is encrypted with key ${nameOf(missing)}, and this server has ${nameOf(key)}.`,
        );
      }
      await server.restart({ TOLLGATE_ENCRYPTION_KEY: `${base64(newKey)},${base64(oldKey)}` });
      expect((await client.get("/v1/who-am-i")).status).toBe(200);
    });
  });
});
