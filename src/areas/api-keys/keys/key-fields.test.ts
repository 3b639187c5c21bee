import { describe, expect, test } from "bun:test";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { newKeyHolder, stateOfKeys, verify } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";

const fields = {
  isEnabled: false,
  permissions: ["orders:*", "invoices:read"],
  allowedIps: ["192.0.2.0/24", "2001:db8::1"],
  rateLimit: { requests: 3, windowSeconds: 60 },
  metadata: { environment: "test", nested: [1, null] },
};

const invalid: [name: string, body: object, pointer: string][] = [
  ["isEnabled that is no boolean", { isEnabled: "yes" }, "/isEnabled"],
  ["a permission with a blank", { permissions: ["orders:read", "orders read"] }, "/permissions/1"],
  ["an empty permission", { permissions: [""] }, "/permissions/0"],
  ["a permission of 65 characters", { permissions: ["p".repeat(65)] }, "/permissions/0"],
  ["51 permissions", { permissions: Array.from({ length: 51 }, (_, n) => `p${n}`) }, "/permissions"],
  ["a permission twice", { permissions: ["a", "b", "a"] }, "/permissions/2"],
  ["a CIDR with host bits", { allowedIps: ["10.0.0.0/8", "192.0.2.1/24"] }, "/allowedIps/1"],
  ["an IPv4-mapped address", { allowedIps: ["::ffff:192.0.2.1"] }, "/allowedIps/0"],
  ["a host name", { allowedIps: ["example.com"] }, "/allowedIps/0"],
  ["no address at all", { allowedIps: [] }, "/allowedIps"],
  ["51 addresses", { allowedIps: Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`) }, "/allowedIps"],
  ["an address twice", { allowedIps: ["10.0.0.1", "::1", "10.0.0.1"] }, "/allowedIps/2"],
  ["an address and its CIDR", { allowedIps: ["10.0.0.1", "::1", "10.0.0.1/32"] }, "/allowedIps/2"],
  ["an address in two forms", { allowedIps: ["::1", "10.0.0.1", "0:0:0:0:0:0:0:1"] }, "/allowedIps/2"],
  ["a network in two forms", { allowedIps: ["2001:db8::/32", "2001:DB8:0::/32"] }, "/allowedIps/1"],
  ["a limit of no requests", { rateLimit: { requests: 0, windowSeconds: 60 } }, "/rateLimit/requests"],
  ["a limit of half a second", { rateLimit: { requests: 1, windowSeconds: 0.5 } }, "/rateLimit/windowSeconds"],
  ["a window of 32 days", { rateLimit: { requests: 1, windowSeconds: 2_764_800 } }, "/rateLimit/windowSeconds"],
  ["a limit without a window", { rateLimit: { requests: 1 } }, "/rateLimit/windowSeconds"],
  ["a limit with another field", { rateLimit: { requests: 1, windowSeconds: 1, by: "ip" } }, "/rateLimit/by"],
  ["metadata that is a list", { metadata: [] }, "/metadata"],
  ["metadata of 17 KiB", { metadata: { text: "x".repeat(17_000) } }, "/metadata"],
  ["lastUsedOn, which is read-only", { lastUsedOn: null }, "/lastUsedOn"],
];

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  test("a key has the fields that it was made with, wherever it is shown", async () => {
    const { path, keys } = await newKeyHolder(client);
    const created = (await client.post(keys, fields)).body;
    expect(created).toMatchObject({ ...fields, lastUsedOn: null });
    expect((await client.get(`${keys}/${created.id}`)).body).toMatchObject({ ...fields, lastUsedOn: null });
    expect((await client.get(keys)).body.data).toMatchObject([fields]);
    const { body } = await client.get(`${path}?include-api-keys=true`);
    expect(body.apiKeys).toMatchObject([fields]);
    const bulk = await client.post(`${keys}/$bulk`, [fields, { permissions: [] }]);
    expect(bulk.body.data).toMatchObject([fields, { isEnabled: true }]);
    expect(bulk.body.data[1]).not.toContainKeys(["permissions", "allowedIps", "rateLimit", "metadata"]);
  });

  test("a consumer is made with such keys, also as they were read", async () => {
    const { bucket } = await newKeyHolder(client);
    const { lastUsedOn, ...sent } = { ...fields, lastUsedOn: clock.iso() };
    const { body } = await client.post(`${bucket}/consumers`, { name: "other", apiKeys: [{ ...sent, lastUsedOn }] });
    expect(body.apiKeys).toMatchObject([{ ...fields, lastUsedOn: null }]);
  });

  test("a change replaces the given fields, null clears one, and the others are unchanged", async () => {
    const { keys } = await newKeyHolder(client);
    const { id } = (await client.post(keys, fields)).body;
    const changed = await client.patch(`${keys}/${id}`, { isEnabled: true, permissions: ["a"], allowedIps: null });
    expect(changed.body).toMatchObject({ isEnabled: true, permissions: ["a"], rateLimit: fields.rateLimit });
    expect(changed.body).not.toContainKey("allowedIps");
    const cleared = { permissions: null, rateLimit: null, metadata: null };
    const { body } = await client.patch(`${keys}/${id}`, cleared);
    expect(body).not.toContainAnyKeys(["permissions", "allowedIps", "rateLimit", "metadata"]);
    expect((await client.get(`${keys}/${id}`)).body).toEqual(body);
  });

  describe("rejected in a create, a bulk create and a change, which then change nothing:", () => {
    test.each(casesFor(engine, invalid))("%s", async (_name, body, pointer) => {
      const holder = await newKeyHolder(client);
      const { id } = (await client.post(holder.keys, fields)).body;
      const before = await stateOfKeys(client, holder);
      expectProblem(await client.post(holder.keys, body), 400, "validation_failed", { pointer });
      const bulk = await client.post(`${holder.keys}/$bulk`, [{}, body]);
      expectProblem(bulk, 400, "validation_failed", { pointer: `/1${pointer}` });
      expectProblem(await client.patch(`${holder.keys}/${id}`, body), 400, "validation_failed", { pointer });
      expect(await stateOfKeys(client, holder)).toEqual(before);
    });
  });

  describe("verify-key", () => {
    async function keyWith(input: object) {
      const holder = await newKeyHolder(client);
      const { id, key } = (await client.post(holder.keys, input)).body;
      const verify = async (usage: object = {}) =>
        (await client.post(`${holder.bucket}/verify-key`, { key, ...usage })).body;
      return { ...holder, id, key, verify };
    }

    // From storage, and then from the cache.
    const rounds = [1, 2, 3];

    test("returns what the key may do", async () => {
      const { verify } = await keyWith({ permissions: fields.permissions });
      for (const _ of rounds) expect((await verify()).permissions).toEqual(fields.permissions);
      expect(await (await keyWith({})).verify()).not.toContainKey("permissions");
    });

    test("a disabled key is invalid until it is enabled again", async () => {
      const { keys, id, verify } = await keyWith({ isEnabled: false, allowedIps: ["10.0.0.0/8"] });
      for (const _ of rounds) expect(await verify()).toEqual({ valid: false, code: "disabled" });
      await client.patch(`${keys}/${id}`, { isEnabled: true, allowedIps: null });
      for (const _ of rounds) expect((await verify()).valid).toBe(true);
      await client.patch(`${keys}/${id}`, { isEnabled: false });
      for (const _ of rounds) expect(await verify()).toEqual({ valid: false, code: "disabled" });
    });

    test("a key with addresses is valid only from those", async () => {
      const { keys, id, verify } = await keyWith({ allowedIps: ["192.0.2.0/24", "2001:db8::/32"] });
      for (const _ of rounds) {
        expect(await verify()).toEqual({ valid: false, code: "ip_required" });
        expect(await verify({ ip: "198.51.100.1" })).toEqual({ valid: false, code: "ip_not_allowed" });
        expect(await verify({ ip: "2001:db9::1" })).toEqual({ valid: false, code: "ip_not_allowed" });
        expect((await verify({ ip: "192.0.2.77" })).valid).toBe(true);
        expect((await verify({ ip: "::ffff:192.0.2.77" })).valid).toBe(true);
        expect((await verify({ ip: "2001:DB8:1::1" })).valid).toBe(true);
      }
      await client.patch(`${keys}/${id}`, { allowedIps: ["198.51.100.1"] });
      expect((await verify({ ip: "198.51.100.1" })).valid).toBe(true);
      expect((await verify({ ip: "192.0.2.77" })).code).toBe("ip_not_allowed");
    });

    test("a permission is granted exactly or by a prefix", async () => {
      const { keys, id, verify } = await keyWith({ permissions: ["orders:*", "invoices:read", "a*b"] });
      for (const _ of rounds) {
        for (const permission of ["orders:read", "orders:", "orders:*", "invoices:read", "a*b"])
          expect({ permission, valid: (await verify({ permission })).valid }).toEqual({ permission, valid: true });
        for (const permission of ["orders", "Orders:read", "invoices:readers", "invoices:rea", "axb", "*"])
          expect(await verify({ permission })).toEqual({ valid: false, code: "permission_missing" });
      }
      await client.patch(`${keys}/${id}`, { permissions: null });
      expect(await verify({ permission: "orders:read" })).toEqual({ valid: false, code: "permission_missing" });
      await client.patch(`${keys}/${id}`, { permissions: ["*"] });
      expect((await verify({ permission: "orders:read" })).valid).toBe(true);
    });

    test("a key's limit counts valid requests, and restarts with each window", async () => {
      clock.advance(60_000 - (clock.now() % 60_000));
      const { keys, id, verify } = await keyWith({ rateLimit: fields.rateLimit, permissions: ["a"] });
      clock.advance(15_500);
      for (const _ of rounds) expect((await verify()).valid).toBe(true);
      const limited = { valid: false, code: "rate_limited", retryAfterSeconds: 45 };
      for (const _ of rounds) expect(await verify()).toEqual(limited);
      expect((await verify({ permission: "b" })).code).toBe("permission_missing");
      await client.patch(`${keys}/${id}`, { rateLimit: { requests: 4, windowSeconds: 60 } });
      expect((await verify()).valid).toBe(true);
      expect((await verify()).code).toBe("rate_limited");
      clock.advance(45_000);
      expect((await verify()).valid).toBe(true);
    });

    test("a restart does not reset a key's limit", async () => {
      const { verify } = await keyWith({ rateLimit: { requests: 3, windowSeconds: 86_400 } });
      expect((await verify()).valid).toBe(true);
      expect((await verify()).valid).toBe(true);
      await server.restart();
      expect((await verify()).valid).toBe(true);
      expect((await verify()).code).toBe("rate_limited");
      await server.restart();
      expect((await verify()).code).toBe("rate_limited");
    });

    test.each([
      ["an ip that is none", { ip: "example.com" }, "/ip"],
      ["an ip that is a network", { ip: "192.0.2.0/24" }, "/ip"],
      ["a permission with a blank", { permission: "orders read" }, "/permission"],
      ["another field", { address: "192.0.2.1" }, "/address"],
    ])("%s is rejected, also for a known key", async (_name, usage, pointer) => {
      const { bucket, key } = await keyWith({});
      expect((await verify(client, bucket, key)).body.valid).toBe(true);
      const response = await client.post(`${bucket}/verify-key`, { key, ...usage });
      expectProblem(response, 400, "validation_failed", { pointer });
    });
  });
});
