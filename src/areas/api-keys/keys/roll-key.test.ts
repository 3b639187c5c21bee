import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type KeyHolder, newKeyHolder, stateOfKeys, verdict } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";

interface Key {
  id: string;
  key: string;
  expiresOn: string | null;
  lastUsedOn: string | null;
}

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  const roll = ({ path }: KeyHolder, body: unknown) => client.post(`${path}/roll-key`, body);
  const keysOf = async ({ keys }: KeyHolder): Promise<Key[]> =>
    (await client.get(`${keys}?key-format=visible`)).body.data;

  test("keys without an expiry get it, those with one keep theirs, and a new one is made", async () => {
    const holder = await newKeyHolder(client);
    const before: Key[] = (
      await client.post(`${holder.keys}/$bulk`, [
        {},
        { expiresOn: "2030-01-01T00:00:00Z" },
        {},
        { expiresOn: clock.iso(-1) },
      ])
    ).body.data;
    for (const { key } of before) await verdict(client, holder.bucket, key);
    clock.advance(1000);
    const expiresOn = clock.iso(60_000);
    const { status, text, headers } = await roll(holder, { expiresOn });
    expect([status, text]).toEqual([204, ""]);

    const after = await keysOf(holder);
    // The last use is written later, by the interval of the real clock.
    const [one, two, three, four] = before.map(({ lastUsedOn: _, ...key }) => key) as [Key, Key, Key, Key];
    const rolled = { expiresOn, updatedOn: clock.iso() };
    expect(after).toMatchObject([{ ...one, ...rolled }, two, { ...three, ...rolled }, four, { expiresOn: null }]);
    const made = after[4]!;
    expect(made.key).toMatch(/^tg_[0-9a-f]{32}_[0-9a-f]{8}$/);

    const location = headers.get("location");
    expect(location).toBe(`${holder.keys}/${made.id}`);
    expect((await client.get(`${location}?key-format=visible`)).body).toEqual(made);

    // All old keys are valid until that time, exclusive.
    for (const { key } of [one, three, made]) expect(await verdict(client, holder.bucket, key)).toBe("valid");
    clock.advance(59_999);
    expect(await verdict(client, holder.bucket, one.key)).toBe("valid");
    clock.advance(1);
    for (const { key } of [one, three]) expect(await verdict(client, holder.bucket, key)).toBe("expired");
    for (const { key } of [two, made]) expect(await verdict(client, holder.bucket, key)).toBe("valid");
  });

  test("the new key has the rules of the newest enabled one that it replaces", async () => {
    const holder = await newKeyHolder(client);
    const rules = {
      permissions: ["orders:read"],
      allowedIps: ["10.1.0.0/16"],
      rateLimit: { requests: 5, windowSeconds: 60 },
      metadata: { team: "billing" },
    };
    await client.post(`${holder.keys}/$bulk`, [
      { permissions: ["orders:*"] },
      { ...rules, description: "production" },
      { permissions: ["everything"], isEnabled: false },
      { permissions: ["trial"], expiresOn: "2030-01-01T00:00:00Z" },
    ]);
    const location = (await roll(holder, { expiresOn: clock.iso(60_000) })).headers.get("location")!;
    const made = (await client.get(`${location}?key-format=visible`)).body;
    expect(made).toMatchObject({ ...rules, isEnabled: true, expiresOn: null });
    expect(made).not.toHaveProperty("description");
    const verified = (ip: string) =>
      client.post(`${holder.bucket}/verify-key`, { key: made.key, ip, permission: "orders:read" });
    expect((await verified("10.1.2.3")).body.valid).toBe(true);
    expect((await verified("10.2.2.3")).body).toMatchObject({ valid: false, code: "ip_not_allowed" });
    const { data } = (await client.get(`${holder.bucket}/keys?permission=orders:read&enabled=true`)).body;
    expect(data.map(({ id }: Key) => id)).toContain(made.id);
  });

  test("a past time revokes at once", async () => {
    const holder = await newKeyHolder(client);
    const old: Key = (await client.post(holder.keys, {})).body;
    expect(await verdict(client, holder.bucket, old.key)).toBe("valid");
    expect((await roll(holder, { expiresOn: "2000-01-01T00:00:00Z" })).status).toBe(204);
    expect(await verdict(client, holder.bucket, old.key)).toBe("expired");
    const [, made] = await keysOf(holder);
    expect(await verdict(client, holder.bucket, made!.key)).toBe("valid");
  });

  test("after another roll, only the newest key has no expiry", async () => {
    const holder = await newKeyHolder(client);
    await client.post(holder.keys, {});
    for (const days of [1, 2, 3]) await roll(holder, { expiresOn: clock.iso(days * 86_400_000) });
    expect((await keysOf(holder)).map(({ expiresOn }) => expiresOn)).toEqual([
      clock.iso(86_400_000),
      clock.iso(2 * 86_400_000),
      clock.iso(3 * 86_400_000),
      null,
    ]);
  });

  test("a consumer without keys gets its first", async () => {
    const holder = await newKeyHolder(client);
    expect((await roll(holder, { expiresOn: clock.iso(1) })).status).toBe(204);
    expect(await keysOf(holder)).toMatchObject([{ expiresOn: null }]);
  });

  test("other consumers of the bucket keep their keys", async () => {
    const holder = await newKeyHolder(client);
    const other = await newKeyHolder(client, { bucket: holder.bucket, name: "other" });
    const { key } = (await client.post(other.keys, {})).body;
    await client.post(holder.keys, {});
    await roll(holder, { expiresOn: clock.iso(-1) });
    expect(await verdict(client, holder.bucket, key)).toBe("valid");
    expect(await keysOf(other)).toMatchObject([{ expiresOn: null }]);
  });

  test("the new key has the prefix of its bucket, and is shown as the bucket allows", async () => {
    const holder = await newKeyHolder(client, { bucketOptions: { keyPrefix: "live", isRetrievable: false } });
    const location = (await roll(holder, { expiresOn: clock.iso(1) })).headers.get("location")!;
    expect((await client.get(location)).body.key).toMatch(/^\*{4}[0-9a-f]{8}$/);
    expectProblem(await client.get(`${location}?key-format=visible`), 409, "keys_not_retrievable");
  });

  test("ten rolls at once: one key without expiry is left, and every other has one of theirs", async () => {
    const holder = await newKeyHolder(client);
    await client.post(holder.keys, {});
    const times = Array.from({ length: 10 }, (_, index) => clock.iso((index + 1) * 1000));
    const responses = await Promise.all(times.map((expiresOn) => roll(holder, { expiresOn })));
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(204));
    const expiries = (await keysOf(holder)).map(({ expiresOn }) => expiresOn);
    expect(expiries).toHaveLength(11);
    expect(expiries.filter((expiresOn) => expiresOn === null)).toHaveLength(1);
    expect(expiries.filter((expiresOn) => expiresOn !== null).sort()).toEqual(times);
  });

  test("a repeated Idempotency-Key rolls once, and returns the same key", async () => {
    const holder = await newKeyHolder(client);
    const send = () =>
      client.post(`${holder.path}/roll-key`, { expiresOn: clock.iso(1) }, { "idempotency-key": "roll-once" });
    const first = await send();
    const again = await send();
    expect(again.status).toBe(204);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(await keysOf(holder)).toHaveLength(1);
  });

  describe("rejected, and nothing rolled:", () => {
    test.each(
      casesFor(engine, [
        ["no expiry", {}, "/expiresOn"],
        ["null", { expiresOn: null }, "/expiresOn"],
        ["a date without time", { expiresOn: "2027-01-01" }, "/expiresOn"],
        ["a number", { expiresOn: 5 }, "/expiresOn"],
        ["an unknown field", { expiresOn: "2027-01-01T00:00:00Z", key: "a-key-of-my-own-making" }, "/key"],
        ["a list", [], ""],
      ]),
    )("%s", async (_name, body, pointer) => {
      const holder = await newKeyHolder(client);
      await client.post(holder.keys, {});
      const before = await stateOfKeys(client, holder);
      expectProblem(await roll(holder, body), 400, "validation_failed", { pointer });
      expect(await stateOfKeys(client, holder)).toEqual(before);
    });

    test("no body", async () => {
      const holder = await newKeyHolder(client);
      expectProblem(await client.raw("POST", `${holder.path}/roll-key`), 400, "validation_failed", { pointer: "" });
      expect(await keysOf(holder)).toEqual([]);
    });

    test("a consumer that is not there", async () => {
      const { bucket } = await newKeyHolder(client);
      const body = { expiresOn: clock.iso(1) };
      expectProblem(await client.post(`${bucket}/consumers/nobody/roll-key`, body), 404, "not_found");
      expectProblem(await client.post(`${bucket}-none/consumers/acme/roll-key`, body), 404, "not_found");
    });
  });

  describe("one key", () => {
    const rollOne = ({ keys }: KeyHolder, id: string, body: unknown) => client.post(`${keys}/${id}/$roll`, body);
    const fields = {
      description: "production",
      permissions: ["shipments:*"],
      allowedIps: ["10.1.0.0/16"],
      rateLimit: { requests: 5, windowSeconds: 60 },
      metadata: { team: "billing" },
    };

    test("is replaced by one with its description and rules, and the others stay as they are", async () => {
      const holder = await newKeyHolder(client);
      const bodies = [fields, { permissions: ["shipments:read"], description: "staging" }];
      const before: Key[] = (await client.post(`${holder.keys}/$bulk`, bodies)).body.data;
      const [production, staging] = before as [Key, Key];
      clock.advance(1000);
      const expiresOn = clock.iso(60_000);
      const { status, body, headers } = await rollOne(holder, production.id, { expiresOn });
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...fields, isEnabled: true, expiresOn: null, lastUsedOn: null });
      expect(body.key).not.toBe(production.key);
      expect(headers.get("etag")).toBe((await client.get(`${holder.keys}/${body.id}`)).headers.get("etag"));
      expect(await keysOf(holder)).toMatchObject([
        { ...production, expiresOn, updatedOn: clock.iso() },
        staging,
        { id: body.id, key: body.key },
      ]);
      const address = { ip: "10.1.2.3" };
      const isValid = async (key: string) =>
        (await client.post(`${holder.bucket}/verify-key`, { key, ...address })).body.valid;
      expect([await isValid(production.key), await isValid(body.key)]).toEqual([true, true]);
      clock.advance(60_000);
      expect([await isValid(production.key), await isValid(body.key)]).toEqual([false, true]);
      expect(await isValid(staging.key)).toBe(true);
    });

    test("keeps an earlier expiry, and a past time revokes it immediately", async () => {
      const holder = await newKeyHolder(client);
      const soon = clock.iso(10_000);
      const expiring = (await client.post(holder.keys, { expiresOn: soon })).body;
      expect((await rollOne(holder, expiring.id, { expiresOn: clock.iso(60_000) })).body.expiresOn).toBeNull();
      expect((await client.get(`${holder.keys}/${expiring.id}`)).body.expiresOn).toBe(soon);
      const leaked = (await client.post(holder.keys, {})).body;
      expect(await verdict(client, holder.bucket, leaked.key)).toBe("valid");
      expect((await rollOne(holder, leaked.id, { expiresOn: clock.iso(-1) })).status).toBe(200);
      expect(await verdict(client, holder.bucket, leaked.key)).toBe("expired");
    });

    test("is rejected if it is disabled or has expired, is not there, or the body is not right; and nothing changes", async () => {
      const holder = await newKeyHolder(client);
      const disabled = (await client.post(holder.keys, { isEnabled: false })).body;
      const expired = (await client.post(holder.keys, { expiresOn: clock.iso(-1) })).body;
      const good = (await client.post(holder.keys, {})).body;
      const before = await stateOfKeys(client, holder);
      const expiresOn = clock.iso(60_000);
      expectProblem(await rollOne(holder, disabled.id, { expiresOn }), 409, "key_not_rollable");
      expectProblem(await rollOne(holder, expired.id, { expiresOn }), 409, "key_not_rollable");
      expectProblem(await rollOne(holder, "key_nope", { expiresOn }), 404, "not_found");
      for (const body of [{}, { expiresOn: null }, { expiresOn: "soon" }, { expiresOn, key: "x" }, []])
        expectProblem(await rollOne(holder, good.id, body), 400, "validation_failed");
      expectProblem(await client.as("").post(`${holder.keys}/${good.id}/$roll`, { expiresOn }), 401, "unauthenticated");
      expect(await stateOfKeys(client, holder)).toEqual(before);
    });
  });
});
