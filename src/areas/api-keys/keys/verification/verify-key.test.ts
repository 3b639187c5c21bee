import { describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { newKeyHolder, verdict, verify } from "../../../../../test/support/key-holder.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { operatorToken } from "../../../../../test/support/server-settings.ts";

const neverMade = "tg_0123456789abcdef0123456789abcdef_7759b50e";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  test("a valid key returns its consumer, from storage and from the cache", async () => {
    const metadata = { seats: 12, nested: { list: [1, null, "ü"] } };
    const { bucket, path, keys } = await newKeyHolder(client, { metadata });
    const consumer = (await client.get(path)).body;
    const { id, key } = (await client.post(keys, { expiresOn: clock.iso(5000) })).body;
    for (let round = 0; round < 3; round++) {
      expect((await verify(client, bucket, key)).body).toEqual({
        valid: true,
        keyId: id,
        consumer: { id: consumer.id, name: "acme" },
        user: { sub: "acme", data: metadata },
        expiresOn: clock.iso(5000),
      });
    }
  });

  test("a consumer without metadata has none: an empty object", async () => {
    const { bucket, keys } = await newKeyHolder(client);
    const { key } = (await client.post(keys, {})).body;
    expect((await verify(client, bucket, key)).body).toMatchObject({ user: { data: {} }, expiresOn: null });
  });

  test("a key is valid while now < expiresOn, to the millisecond", async () => {
    const { bucket, keys } = await newKeyHolder(client);
    const { key } = (await client.post(keys, { expiresOn: clock.iso(1000) })).body;
    clock.advance(999);
    expect(await verdict(client, bucket, key)).toBe("valid");
    clock.advance(1);
    expect((await verify(client, bucket, key)).body).toEqual({ valid: false, code: "expired" });
    clock.advance(-1);
    expect(await verdict(client, bucket, key)).toBe("valid");
  });

  test("a change of metadata is in the next response", async () => {
    const { bucket, path, keys } = await newKeyHolder(client, { metadata: { plan: "gold" } });
    const { key } = (await client.post(keys, {})).body;
    const data = async () => (await verify(client, bucket, key)).body.user.data;
    expect(await data()).toEqual({ plan: "gold" });
    await client.patch(path, { metadata: { plan: "silver" } });
    expect(await data()).toEqual({ plan: "silver" });
    await client.patch(path, { metadata: null });
    expect(await data()).toEqual({});
  });

  describe("an invalid key", () => {
    const malformed: Record<string, string> = {
      empty: "",
      "too short": "x".repeat(15),
      "too long": "x".repeat(513),
      "with spaces": "a key with some spaces",
      "not ASCII": "ein-schlüssel-von-mir",
      "with a wrong checksum": "tg_0123456789abcdef0123456789abcdef_00000000",
      "with a NUL": "a-key-with-a-\u0000-in-it",
      "half of a pair": "a-key-with-\ud800-alone",
    };
    test.each(casesFor(engine, Object.entries(malformed)))("%s: malformed", async (_name, key) => {
      const { bucket } = await newKeyHolder(client);
      expect((await verify(client, bucket, key)).body).toEqual({ valid: false, code: "malformed" });
    });

    test("never made: not found, and it works from the moment it exists", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      for (let round = 0; round < 2; round++)
        expect((await verify(client, bucket, neverMade)).body).toEqual({ valid: false, code: "not_found" });
      await client.post(keys, { key: neverMade });
      expect(await verdict(client, bucket, neverMade)).toBe("valid");
    });

    test("a key of another bucket, or of a bucket that does not exist, is not found", async () => {
      const { keys } = await newKeyHolder(client);
      const { key } = (await client.post(keys, {})).body;
      const other = await newKeyHolder(client);
      expect(await verdict(client, other.bucket, key)).toBe("not_found");
      expect(await verdict(client, `${other.bucket}-none`, key)).toBe("not_found");
    });

    test("a key of a deleted consumer or bucket is not found, even if both are created again", async () => {
      const { bucket, path, keys } = await newKeyHolder(client);
      const ofConsumer = (await client.post(keys, {})).body.key;
      expect(await verdict(client, bucket, ofConsumer)).toBe("valid");
      await client.delete(path);
      expect(await verdict(client, bucket, ofConsumer)).toBe("not_found");
      await newKeyHolder(client, { bucket });
      expect(await verdict(client, bucket, ofConsumer)).toBe("not_found");

      const ofBucket = (await client.post(keys, {})).body.key;
      expect(await verdict(client, bucket, ofBucket)).toBe("valid");
      expect((await client.delete(`${bucket}?force=true`)).status).toBe(204);
      expect(await verdict(client, bucket, ofBucket)).toBe("not_found");
      await newKeyHolder(client, { bucket });
      expect(await verdict(client, bucket, ofBucket)).toBe("not_found");
    });

    test("a key of an account that was deleted is invalid", async () => {
      const stranger = await strangerOf(client, "short-lived");
      const operator = client.as(operatorToken);
      const bucket = "/v1/accounts/short-lived/key-buckets/main";
      const { keys } = await newKeyHolder(stranger, { bucket });
      const { key } = (await stranger.post(keys, {})).body;
      expect(await verdict(operator, bucket, key)).toBe("valid");
      await operator.delete("/v1/accounts/short-lived");
      expectProblem(await verify(stranger, bucket, key), 401, "unauthenticated");
      await operator.post("/v1/accounts", { name: "short-lived" });
      expect(await verdict(operator, bucket, key)).toBe("not_found");
    });
  });

  describe("roles that may verify", () => {
    test.each(["admin", "editor", "verifier"] as const)("%s", async (role) => {
      const caller = await callerWithRole(client, role);
      const { bucket, keys } = await newKeyHolder(client);
      const { key } = (await client.post(keys, {})).body;
      expect(await verdict(caller, bucket, key)).toBe("valid");
    });

    test("the operator, in any account", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const { key } = (await client.post(keys, {})).body;
      expect(await verdict(client.as(operatorToken), bucket, key)).toBe("valid");
    });

    test("not a reader, not another account, not without a token; and the response does not reveal whether the key is valid", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const { key } = (await client.post(keys, {})).body;
      expectProblem(await verify(await callerWithRole(client, "reader"), bucket, key), 403, "forbidden");
      expectProblem(await verify(await strangerOf(client, "stranger"), bucket, key), 404, "not_found");
      expectProblem(await verify(client.anonymous(), bucket, key), 401, "unauthenticated");
      // A key is not a token.
      expectProblem(await verify(client.as(key), bucket, key), 401, "unauthenticated");
    });

    test("a verifier can do nothing else with keys", async () => {
      const verifier = await callerWithRole(client, "verifier");
      const { path, keys } = await newKeyHolder(client);
      const { id } = (await client.post(keys, {})).body;
      for (const rejected of [
        await verifier.get(keys),
        await verifier.get(`${keys}/${id}`),
        await verifier.post(keys, {}),
        await verifier.patch(`${keys}/${id}`, {}),
        await verifier.delete(`${keys}/${id}`),
        await verifier.post(`${path}/roll-key`, { expiresOn: clock.iso(-1) }),
      ])
        expectProblem(rejected, 403, "forbidden");
      expect((await client.get(keys)).body).toMatchObject({ total: 1, data: [{ id, expiresOn: null }] });
    });
  });

  test.each(
    casesFor(engine, [
      ["no key", {}, "/key"],
      ["a number", { key: 5 }, "/key"],
      ["null", { key: null }, "/key"],
      ["an unknown field", { key: neverMade, bucket: "main" }, "/bucket"],
      ["a list", [neverMade], ""],
    ]),
  )("a request with %s is rejected by name", async (_name, body, pointer) => {
    const { bucket } = await newKeyHolder(client);
    expectProblem(await client.post(`${bucket}/verify-key`, body), 400, "validation_failed", { pointer });
  });

  test("a verification creates no bucket and changes nothing", async () => {
    const { bucket, path, keys } = await newKeyHolder(client);
    const { key } = (await client.post(keys, {})).body;
    const before = (await client.get(`${path}?include-api-keys=true`)).body;
    await verify(client, bucket, key);
    await verify(client, `${bucket}-none`, key);
    expect((await client.get(`${path}?include-api-keys=true`)).body).toEqual(before);
    expectProblem(await client.get(`${bucket}-none`), 404, "not_found");
  });

  test("keys are valid after a restart", async () => {
    const { bucket, keys } = await newKeyHolder(client);
    const { key } = (await client.post(keys, {})).body;
    await server.restart();
    expect(await verdict(client, bucket, key)).toBe("valid");
  });
});
