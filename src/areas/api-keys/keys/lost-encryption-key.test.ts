import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { eachEngine } from "../../../../test/support/engines.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type KeyHolder, newKeyHolder, verdict } from "../../../../test/support/key-holder.ts";
import { TestServer } from "../../../../test/support/server.ts";
import { Keyring } from "../../../lib/crypto/keyring.ts";

const [lost, next] = [randomBytes(32), randomBytes(32)];
const lostName = new Keyring([lost]).names[0]!;

eachEngine((engine) => {
  describe("after the loss of the encryption key was accepted", () => {
    const server = new TestServer(engine, { environment: { TOLLGATE_ENCRYPTION_KEY: lost.toString("base64") } });
    const { client } = server;
    const idempotent = { "idempotency-key": "made-before" };
    let holder: KeyHolder;
    let before: { id: string; key: string };

    beforeAll(async () => {
      await server.start();
      holder = await newKeyHolder(client, { bucketOptions: { isRetrievable: true } });
      const { body } = await client.post(holder.keys, {}, idempotent);
      before = { id: body.id, key: (await client.get(`${holder.keys}/${body.id}?key-format=visible`)).body.key };
      const environment = { TOLLGATE_ENCRYPTION_KEY: next.toString("base64") };
      await expect(server.restart(environment)).rejects.toThrow(`TOLLGATE_ACCEPT_KEY_LOSS=${lostName}`);
      await server.restart({ TOLLGATE_ACCEPT_KEY_LOSS: lostName });
    });

    afterAll(() => server.stop());

    test("the log lists the consequences", async () => {
      await eventually(() => server.log).toContain(`encryption key ${lostName} is declared lost`);
    });

    test("keys made before verify, are shown masked, and their value gets a precise 409", async () => {
      expect(await verdict(client, holder.bucket, before.key)).toBe("valid");
      const path = `${holder.keys}/${before.id}`;
      expect((await client.get(`${path}?key-format=masked`)).body.key).toBe(`****${before.key.slice(-8)}`);
      const rejected = await client.get(`${path}?key-format=visible`);
      expectProblem(rejected, 409, "key_value_lost");
      expect(rejected.body.detail).toContain(before.id);
      expect(rejected.body.detail).toContain(lostName);
      expectProblem(await client.get(`${holder.keys}?key-format=visible`), 409, "key_value_lost");
    });

    test("a request of before, repeated by its Idempotency-Key, is not done again", async () => {
      const count = async () => (await client.get(holder.keys)).body.total;
      const total = await count();
      expectProblem(await client.post(holder.keys, {}, idempotent), 409, "idempotent_response_lost");
      expect(await count()).toBe(total);
    });

    test("keys made since are shown, and the setting may go", async () => {
      const { body } = await client.post(holder.keys, {});
      await server.restart({ TOLLGATE_ACCEPT_KEY_LOSS: "" });
      const shown = await client.get(`${holder.keys}/${body.id}?key-format=visible`);
      expect(shown.status).toBe(200);
      expect(await verdict(client, holder.bucket, shown.body.key)).toBe("valid");
      expect(await verdict(client, holder.bucket, before.key)).toBe("valid");
    });
  });
});
