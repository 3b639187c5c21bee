import { beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { KeyAccount } from "../../../../test/support/key-rules.ts";
import { contextOf, pass, placeOf } from "../../../../test/support/request-context.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { ApiKeyPolicy } from "./api-key.ts";
import { apiKeyOptions } from "./schema.ts";

const realm = 'Bearer realm="shop-main-1a2b3c4"';

eachEngine((engine) => {
  const storage = useStorage(engine);
  let account: KeyAccount;

  beforeAll(async () => {
    account = await KeyAccount.create(storage);
  });

  function send(headers: Record<string, string>, options: object = {}) {
    const policy = new ApiKeyPolicy(
      account.verifier,
      apiKeyOptions.parse({ bucket: "main", ...options }),
      placeOf(account.account.seq),
    );
    const request = new Request("http://shop.localhost/things", { headers });
    const context = contextOf(request, { now: storage.clock.now() });
    let reached = false;
    const passed = pass([policy], context, () => {
      reached = true;
      return new Response("from the target");
    });
    return passed.then((response) => ({ response, context, reached }));
  }

  async function expectRejected(sent: ReturnType<typeof send>, code: string, challenge: string) {
    const { response, context, reached } = await sent;
    expect(reached).toBe(false);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(challenge);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ code, instance: "/things", trace: { requestId: "request-1" } });
    expect(context.user).toBeUndefined();
  }

  test.each(["x-api-key", "api_key"])("no other spelling of %s reaches the target", async (header) => {
    const { key } = await account.consumer("main");
    const options = { header, scheme: "", allowAnonymous: true };
    const other = header === "x-api-key" ? "X_Api-Key" : "Api-Key";
    for (const headers of [{ [other]: "forged" }, { [header]: key, [other]: "forged" }]) {
      const { context, reached } = await send(headers, options);
      expect(reached).toBe(true);
      expect([...context.headers.keys()].filter((name) => name.includes("api"))).toEqual([]);
    }
  });

  test("a valid key passes; the target receives the consumer, and not the key", async () => {
    const { consumer, keyId, key } = await account.consumer("main", { metadata: { plan: "gold", city: "Zürich" } });
    for (const round of ["from storage", "from memory"]) {
      const { response, context, reached } = await send({ authorization: `Bearer ${key}` });
      expect({ round, reached, status: response.status }).toEqual({ round, reached: true, status: 200 });
      expect(context.user).toEqual({ sub: consumer.name, data: { plan: "gold", city: "Zürich" } });
      expect(context.consumerId).toBe(consumer.id);
      expect(context.keyId).toBe(keyId);
      expect(Object.fromEntries(context.headers as Iterable<[string, string]>)).toEqual({
        "x-consumer-name": consumer.name,
        "x-consumer-id": consumer.id,
        "x-consumer-key-id": keyId,
        "x-consumer-metadata": '{"plan":"gold","city":"Z\\u00fcrich"}',
      });
    }
  });

  test("a cached key is verified without a promise", async () => {
    const { key } = await account.consumer("main");
    const options = apiKeyOptions.parse({ bucket: "main" });
    const policy = new ApiKeyPolicy(account.verifier, options, placeOf(account.account.seq));
    const request = () => new Request("http://shop.localhost/", { headers: { authorization: `Bearer ${key}` } });
    const first = policy.enter(contextOf(request()));
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBeUndefined();
    expect(policy.enter(contextOf(request()))).toBeUndefined();
  });

  test("metadata that is too large for a header is omitted; without metadata there is no header", async () => {
    const large = await account.consumer("main", { metadata: { text: "x".repeat(5000) } });
    const { context } = await send({ authorization: `Bearer ${large.key}` });
    expect(context.headers.has("x-consumer-metadata")).toBe(false);
    expect(context.user?.data).toEqual({ text: "x".repeat(5000) });
    const none = await account.consumer("main");
    expect((await send({ authorization: `Bearer ${none.key}` })).context.headers.has("x-consumer-metadata")).toBe(
      false,
    );
  });

  test("a request without a key gets advice that fits the route's header and scheme", async () => {
    const adviceFor = async (options: object) => {
      const { response } = await send({}, options);
      return ((await response.json()) as { detail: string }).detail;
    };
    expect(await adviceFor({})).toBe("This API requires a key; send `Authorization: Bearer <key>`.");
    expect(await adviceFor({ header: "x-api-key", scheme: "" })).toBe(
      "This API requires a key; send `x-api-key: <key>`.",
    );
    expect(await adviceFor({ scheme: "Token" })).toBe("This API requires a key; send `Authorization: Token <key>`.");
  });

  test("no key, or another scheme: 401 with a challenge", async () => {
    await expectRejected(send({}), "key_missing", realm);
    await expectRejected(send({ authorization: "Basic dXNlcjpwYXNz" }), "key_missing", realm);
    await expectRejected(
      send({}, { header: "x-api-key", scheme: "" }),
      "key_missing",
      'ApiKey realm="shop-main-1a2b3c4", header="x-api-key"',
    );
  });

  test("a malformed key and an unknown one get the same response", async () => {
    const { key } = await account.consumer("elsewhere");
    for (const bad of ["nonsense", key, `${key.slice(0, -1)}x`, "a, b"])
      await expectRejected(send({ authorization: `Bearer ${bad}` }), "key_invalid", `${realm}, error="invalid_token"`);
  });

  test("a supplied key in the generated format with a wrong checksum is valid in its bucket", async () => {
    const key = "tg_0123456789abcdef0123456789abcdef_00000000";
    await account.consumer("imported");
    const authorization = `Bearer ${key}`;
    await expectRejected(
      send({ authorization }, { bucket: "imported" }),
      "key_invalid",
      `${realm}, error="invalid_token"`,
    );
    await account.consumer("imported", { key });
    expect((await send({ authorization }, { bucket: "imported" })).response.status).toBe(200);
    await expectRejected(send({ authorization }), "key_invalid", `${realm}, error="invalid_token"`);
  });

  test("a key is valid before its expiry", async () => {
    const { key } = await account.consumer("main", { expiresOn: storage.clock.now() + 1000 });
    const authorization = `Bearer ${key}`;
    expect((await send({ authorization })).response.status).toBe(200);
    storage.clock.advance(1000);
    await expectRejected(send({ authorization }), "key_expired", `${realm}, error="invalid_token"`);
  });

  test("a deleted key is rejected with the next request", async () => {
    const { consumer, keyId, key } = await account.consumer("main");
    const authorization = `Bearer ${key}`;
    expect((await send({ authorization })).response.status).toBe(200);
    await account.deleteKey(consumer, keyId);
    await expectRejected(send({ authorization }), "key_invalid", `${realm}, error="invalid_token"`);
  });

  test("another header, another scheme, or the bare key", async () => {
    const { key } = await account.consumer("main");
    for (const [options, headers] of [
      [{ header: "X-API-Key", scheme: "" }, { "x-api-key": key }],
      [{ scheme: "" }, { authorization: key }],
      [{ scheme: "Token" }, { authorization: `token ${key}` }],
      [{}, { authorization: `bearer  ${key}` }],
    ] as const) {
      const { response, context } = await send(headers, options);
      expect({ options, status: response.status }).toEqual({ options, status: 200 });
      expect(context.headers.has(Object.keys(headers)[0]!)).toBe(false);
    }
  });

  describe("a list of headers", () => {
    const options = { header: ["Authorization", "x-api-key"] };
    const challenge = `${realm}, error="invalid_token"`;

    test("accepts a key in any of them, and removes all", async () => {
      const { key } = await account.consumer("main");
      const sent: Record<string, string>[] = [
        { authorization: `Bearer ${key}` },
        { "x-api-key": key },
        { authorization: `bearer ${key}`, "x-api-key": key },
        { authorization: "Basic dXNlcjpwYXNz", "x-api-key": key },
        { authorization: `Bearer ${key}`, "x-api-key": "" },
      ];
      for (const headers of sent) {
        const { response, context } = await send(headers, options);
        expect([headers, response.status]).toEqual([headers, 200]);
        expect([...context.headers.keys()].filter((name) => !name.startsWith("x-consumer-"))).toEqual([]);
      }
    });

    test("rejects two different keys, whichever is valid", async () => {
      const { key } = await account.consumer("main");
      const { key: second } = await account.consumer("main");
      for (const other of [second, "invalid"]) {
        const both = [
          { authorization: `Bearer ${key}`, "x-api-key": other },
          { authorization: `Bearer ${other}`, "x-api-key": key },
        ];
        for (const headers of both) await expectRejected(send(headers, options), "key_invalid", challenge);
      }
    });

    test("applies the scheme to authorization only", async () => {
      const { key } = await account.consumer("main");
      await expectRejected(send({ authorization: key }, options), "key_missing", realm);
      await expectRejected(send({ "x-api-key": `Bearer ${key}` }, options), "key_invalid", challenge);
      const { response } = await send({}, options);
      expect(((await response.json()) as { detail: string }).detail).toBe(
        "This API requires a key; send `Authorization: Bearer <key>` or `x-api-key: <key>`.",
      );
    });

    test("has no header twice", () => {
      for (const header of [[], ["a", "A"], ["x-api-key", "x_api_key"], ["host"], ["a", "b", "c", "d", "e", "f"]])
        expect([header, apiKeyOptions.safeParse({ bucket: "main", header }).success]).toEqual([header, false]);
    });
  });

  test("anonymous requests pass unchanged if allowed; invalid keys never do", async () => {
    const options = { allowAnonymous: true };
    const { response, context } = await send({ accept: "text/plain" }, options);
    expect(response.status).toBe(200);
    expect(context.user).toBeUndefined();
    expect(context.headers.get("accept")).toBe("text/plain");
    expect((await send({ authorization: "Basic YTpi" }, options)).context.headers.get("authorization")).toBe(
      "Basic YTpi",
    );
    await expectRejected(
      send({ authorization: "Bearer bad" }, options),
      "key_invalid",
      `${realm}, error="invalid_token"`,
    );
  });

  test("the key of another account is rejected", async () => {
    const other = await KeyAccount.create(storage);
    const { key } = await other.consumer("main");
    await expectRejected(send({ authorization: `Bearer ${key}` }), "key_invalid", `${realm}, error="invalid_token"`);
  });

  describe("a key with rules", () => {
    async function outcomeOf(key: string, ip?: string) {
      const policy = new ApiKeyPolicy(
        account.verifier,
        apiKeyOptions.parse({ bucket: "main" }),
        placeOf(account.account.seq),
      );
      const request = new Request("http://shop.localhost/things", { headers: { authorization: `Bearer ${key}` } });
      const context = contextOf(request, { now: storage.clock.now(), ...(ip === undefined ? {} : { ip }) });
      const response = await pass([policy], context);
      if (response.status === 200) return { status: 200, permissions: context.permissions };
      const { code } = (await response.json()) as { code: string };
      const challenge = response.headers.get("www-authenticate");
      const retryAfter = response.headers.get("retry-after");
      return { status: response.status, code, ...(challenge && { challenge }), ...(retryAfter && { retryAfter }) };
    }

    test("a key that is disabled is rejected until it is enabled", async () => {
      const { consumer, keyId, key } = await account.consumer("main", { isEnabled: false });
      const challenge = `${realm}, error="invalid_token"`;
      for (let round = 0; round < 2; round++)
        expect(await outcomeOf(key)).toEqual({ status: 401, code: "key_disabled", challenge });
      await account.updateKey(consumer, keyId, { isEnabled: true, permissions: ["a"] });
      for (let round = 0; round < 2; round++) expect(await outcomeOf(key)).toEqual({ status: 200, permissions: ["a"] });
    });

    test("is accepted only from its addresses", async () => {
      const { key } = await account.consumer("main", { allowedIps: ["192.0.2.0/24", "2001:db8::/32"] });
      for (let round = 0; round < 2; round++) {
        for (const ip of ["192.0.2.9", "::ffff:192.0.2.9", "2001:db8::9"])
          expect(await outcomeOf(key, ip)).toEqual({ status: 200, permissions: [] });
        for (const ip of ["198.51.100.1", "2001:db9::1", ""])
          expect(await outcomeOf(key, ip)).toEqual({ status: 403, code: "ip_not_allowed" });
      }
    });

    test("has a shared limit for gateway and verify-key", async () => {
      storage.clock.advance(60_000 - (storage.clock.now() % 60_000));
      const { key } = await account.consumer("main", { rateLimit: { requests: 3, windowSeconds: 60 } });
      const place = account.verifier.buckets.place(account.account.seq, "main");
      expect((await outcomeOf(key)).status).toBe(200);
      expect((await account.verifier.verify(place, key, storage.clock.now())).rejection).toBeUndefined();
      expect((await outcomeOf(key)).status).toBe(200);
      expect(await outcomeOf(key)).toEqual({ status: 429, code: "rate_limited", retryAfter: "60" });
      expect((await account.verifier.verify(place, key, storage.clock.now())).rejection).toBe("rate_limited");
    });
  });
});
