import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exportSPKI, importJWK, SignJWT } from "jose";
import { eachEngine } from "../../../../test/support/engines.ts";
import {
  audience,
  IdentityProvider,
  newSigningKey,
  type SigningKey,
  sign,
} from "../../../../test/support/identity-provider.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";
import { explainRequest } from "../../../client/index.ts";

const symmetric = { kty: "oct", k: Buffer.from("a secret of at least 32 characters").toString("base64url") };
let keys: Record<"first" | "second" | "third" | "stranger", SigningKey>;
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const published = { keys: [keys.first.jwk] };
    switch (new URL(request.url).pathname) {
      case "/published/jwks":
        return Response.json(published);
      case "/redirected/jwks":
        return Response.redirect("/published/jwks");
      case "/large/jwks":
        return Response.json({ ...published, more: "x".repeat(1024 * 1024) });
      case "/error/jwks":
        return Response.json(published, { status: 500 });
    }
    return Response.json(Object.fromEntries(request.headers));
  },
});
const metadataService = "http://169.254.169.254/jwks";

beforeAll(async () => {
  const [first, second, third, stranger] = await Promise.all(
    ["first", "second", "third", "first"].map((kid) => newSigningKey(kid)),
  );
  keys = { first: first!, second: second!, third: third!, stranger: stranger! };
});
afterAll(() => upstream.stop(true));

function project(issuer: string) {
  const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });
  const options = { issuer, audience, algorithms: ["RS256"] };
  const from = (jwksUrl: string) => ({ type: "jwt", options: { ...options, jwksUrl } });
  const sources = ["published", "redirected", "large", "error"];
  return {
    "openapi.json": openApi({
      "/open": guarded("token"),
      "/scoped": guarded("scoped"),
      "/claims": guarded("claims"),
      "/consumer": guarded("consumer"),
      "/exact": guarded("exact"),
      "/symmetric": guarded("symmetric"),
      "/nowhere": guarded("nowhere"),
      "/resource": guarded("resource"),
      "/forever": guarded("forever"),
      ...Object.fromEntries([...sources, "blocked"].map((name) => [`/${name}`, guarded(name)])),
    }),
    "tollgate.json": {
      upstream: upstream.url.origin,
      policies: {
        token: { type: "jwt", options },
        scoped: { type: "jwt", options: { ...options, scopes: ["orders:read", "orders:write"] } },
        claims: { type: "jwt", options: { ...options, requiredClaims: { tier: ["gold", "silver"], active: true } } },
        consumer: { type: "jwt", options: { ...options, mapToConsumer: { claim: "customer", bucket: "main" } } },
        exact: { type: "jwt", options: { ...options, clockSkewSeconds: 0 } },
        symmetric: { type: "jwt", options: { issuer, keys: [symmetric], audience, algorithms: ["HS256"] } },
        nowhere: { type: "jwt", options: { ...options, issuer: "http://127.0.0.1:1" } },
        resource: {
          type: "jwt",
          options: { ...options, scopes: ["orders:read"], resource: "https://api.example/mcp" },
        },
        forever: { type: "jwt", options: { ...options, allowNoExpiry: true } },
        ...Object.fromEntries(sources.map((name) => [name, from(`${upstream.url.origin}/${name}/jwks`)])),
        blocked: from(metadataService),
      },
    },
  };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let provider: IdentityProvider;
  let deployed: Deployed;
  let count = 0;

  beforeAll(async () => {
    clock.set(new Date().toISOString());
    provider = await IdentityProvider.start([keys.first]);
    deployed = await deploy(server, { project: "tokens", branch: "main" }, project(provider.issuer));
  });
  afterAll(() => provider.stop());

  const signed = (key: SigningKey, parts?: Parameters<typeof sign>[3]) =>
    sign(key, provider.issuer, clock.now(), parts);
  const call = async (path: string, token?: string) => {
    const requestId = `jwt-${++count}`;
    const headers = { "x-request-id": requestId, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    return { response: await deployed.call(path, { headers }), requestId };
  };
  const passed = async (path: string, token: string) => {
    const { response } = await call(path, token);
    const body = (await response.json()) as Record<string, string>;
    expect([response.status, body.code]).toEqual([200, undefined as never]);
    return body;
  };
  /** The status, the code and the recorded reason. */
  const rejected = async (path: string, token?: string) => {
    const { response, requestId } = await call(path, token);
    const { code } = (await response.json()) as { code: string };
    const request = await until(async () => {
      await server.catchUp();
      return (await client.get(`/v1/accounts/${account}/requests?requestId=${requestId}`)).body.data[0];
    });
    expect(explainRequest(request)).not.toContain("rejected the request");
    return [response.status, code, request.decisions[0].detail.reason];
  };
  /** Advances the clock until the keys may be fetched again. */
  const letTimePass = () => clock.advance(30_000);

  test("a token of the provider passes, and its subject reaches the target", async () => {
    const token = await provider.token();
    const headers = await passed("/open", token);
    expect(headers["x-consumer-name"]).toBe(`jwt:${provider.issuer}#shop`);
    expect(headers.authorization).toBe(`Bearer ${token}`);
    const before = provider.fetches;
    for (let i = 0; i < 5; i++) await passed("/open", token);
    expect(provider.fetches).toBe(before);
  });

  test("without a token: 401 with a challenge", async () => {
    const { response } = await call("/open");
    expect(response.headers.get("www-authenticate")).toBe(`Bearer realm="${deployed.name}"`);
    expect(await rejected("/open")).toEqual([401, "token_missing", "missing"]);
  });

  test("scopes, claims and consumers", async () => {
    expect(await rejected("/scoped", await provider.token("orders:read"))).toEqual([403, "scope_missing", "scope"]);
    await passed("/scoped", await provider.token("orders:read orders:write"));
    await passed(
      "/scoped",
      await signed(keys.first, { claims: { scope: undefined, scp: ["orders:write", "orders:read"] } }),
    );
    expect(await rejected("/claims", await provider.token())).toEqual([403, "token_not_allowed", "claim"]);
    expect(await rejected("/claims", await signed(keys.first, { claims: { tier: "gold", active: "true" } }))).toEqual([
      403,
      "token_not_allowed",
      "claim",
    ]);
    await passed("/claims", await signed(keys.first, { claims: { tier: ["silver", "x"], active: true } }));

    const token = await signed(keys.first, { claims: { customer: "acme" } });
    expect(await rejected("/consumer", token)).toEqual([403, "consumer_unknown", "consumer_unknown"]);
    const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
    await client.post(consumers, { name: "acme" });
    for (let round = 0; round < 2; round++) expect((await passed("/consumer", token))["x-consumer-name"]).toBe("acme");
    await client.patch(`${consumers}/acme`, { isSuspended: true });
    expect(await rejected("/consumer", token)).toEqual([403, "consumer_suspended", "consumer_suspended"]);
    await client.patch(`${consumers}/acme`, { isSuspended: false });
    expect((await passed("/consumer", token))["x-consumer-name"]).toBe("acme");
    await client.delete(`${consumers}/acme`);
    expect(await rejected("/consumer", token)).toEqual([403, "consumer_unknown", "consumer_unknown"]);
    expect(await rejected("/consumer", await provider.token())).toEqual([403, "consumer_unknown", "consumer_unknown"]);
  });

  describe("hostile tokens", () => {
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const payload = () => ({
      iss: provider.issuer,
      sub: "shop",
      aud: audience,
      exp: Math.floor(clock.now() / 1000) + 600,
    });

    test("no signature", async () => {
      for (const alg of ["none", "None", "NONE"])
        expect(await rejected("/open", `${encoded({ alg })}.${encoded(payload())}.`)).toEqual([
          401,
          "token_invalid",
          "algorithm",
        ]);
    });

    test("HS256 with the public key as the secret", async () => {
      const publicKey = (await importJWK(keys.first.jwk, "RS256", { extractable: true })) as CryptoKey;
      const secrets = [await exportSPKI(publicKey), JSON.stringify(keys.first.jwk)];
      for (const secret of secrets) {
        const token = await new SignJWT(payload())
          .setProtectedHeader({ alg: "HS256", kid: "first" })
          .sign(new TextEncoder().encode(secret));
        expect(await rejected("/open", token)).toEqual([401, "token_invalid", "algorithm"]);
        expect(await rejected("/symmetric", token)).toEqual([401, "token_invalid", "unknown_key"]);
      }
    });

    test("a key in the token's header, embedded or referenced", async () => {
      const { jwk } = keys.stranger;
      for (const header of [{ jwk }, { jku: "https://evil.example/jwks" }, { x5u: "https://evil.example/cert" }])
        expect((await rejected("/open", await signed(keys.stranger, { header }))).slice(0, 2)).toEqual([
          401,
          "token_invalid",
        ]);
    });

    test("unknown critical headers", async () => {
      const header = { crit: ["urn:test"], "urn:test": true };
      expect(await rejected("/open", await signed(keys.first, { header }))).toEqual([
        401,
        "token_invalid",
        "malformed",
      ]);
    });

    test.each<[string, Record<string, unknown>, string, string]>([
      ["another audience", { aud: "https://other.example" }, "token_invalid", "audience"],
      ["an audience that begins alike", { aud: `${audience}.evil` }, "token_invalid", "audience"],
      ["no audience", { aud: undefined }, "token_invalid", "audience"],
      ["another issuer", { iss: "https://evil.example" }, "token_invalid", "issuer"],
      ["no expiry", { exp: undefined }, "token_invalid", "no_expiry"],
      ["an expiry that is a text", { exp: "9999999999" }, "token_invalid", "claim"],
      ["no subject", { sub: undefined }, "token_invalid", "claim"],
      ["a subject with line breaks", { sub: "a\r\nx-admin: 1" }, "token_invalid", "claim"],
    ])("%s", async (_, claims, code, reason) => {
      expect(await rejected("/open", await signed(keys.first, { claims }))).toEqual([401, code, reason]);
    });

    test("very large, or not a token at all", async () => {
      const large = await signed(keys.first, { claims: { text: "x".repeat(20_000) } });
      expect(await rejected("/open", large)).toEqual([401, "token_invalid", "too_large"]);
      for (const token of ["abc", "a.b.c", "..", `${encoded({ alg: "RS256" })}.x`])
        expect((await rejected("/open", token)).slice(0, 2)).toEqual([401, "token_invalid"]);
    });

    test("a changed payload, also of a token that was verified before", async () => {
      const token = await provider.token();
      await passed("/open", token);
      const [head, , signature] = token.split(".");
      const forged = [head, encoded({ ...payload(), scope: "admin" }), signature].join(".");
      expect((await rejected("/open", forged)).slice(0, 2)).toEqual([401, "token_invalid"]);
    });
  });

  test("a symmetric key of the configuration", async () => {
    const token = await new SignJWT({ sub: "shop", scope: "" })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(provider.issuer)
      .setAudience(audience)
      .setExpirationTime(Math.floor(clock.now() / 1000) + 60)
      .sign(Buffer.from(symmetric.k, "base64url"));
    await passed("/symmetric", token);
    expect((await rejected("/open", token)).slice(1)).toEqual(["token_invalid", "algorithm"]);
  });

  test("clock skew: a small difference is accepted, a larger one is not", async () => {
    const seconds = Math.floor(clock.now() / 1000);
    const late = (by: number) => signed(keys.first, { claims: { exp: seconds - by } });
    const early = (by: number) => signed(keys.first, { claims: { nbf: seconds + by } });
    await passed("/open", await late(20));
    await passed("/open", await early(20));
    expect(await rejected("/open", await late(31))).toEqual([401, "token_expired", "expired"]);
    expect(await rejected("/open", await early(40))).toEqual([401, "token_invalid", "not_yet_valid"]);
    expect(await rejected("/exact", await late(1))).toEqual([401, "token_expired", "expired"]);
    const lasting = await signed(keys.first, { claims: { exp: seconds + 10 } });
    await passed("/exact", lasting);
    clock.advance(11_000);
    expect(await rejected("/exact", lasting)).toEqual([401, "token_expired", "expired"]);
    await passed("/forever", await signed(keys.first, { claims: { exp: undefined } }));
  });

  test("a flood of unknown keys causes one fetch in 30 s, and does not affect other tokens", async () => {
    letTimePass();
    const good = await signed(keys.first);
    const forged = await Promise.all(
      Array.from({ length: 100 }, (_, at) => signed(keys.stranger, { header: { kid: `unknown-${at}` } })),
    );
    const before = provider.fetches;
    const statuses = await Promise.all(
      forged
        .flatMap((token) => [call("/open", token), call("/open", good)])
        .map(async (sent) => (await sent).response.status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(provider.fetches).toBe(before + 1);
    await rejected("/open", forged[0]);
    expect(provider.fetches).toBe(before + 1);
  });

  test("the provider rotates its key under load: no valid token is rejected", async () => {
    letTimePass();
    const old = await provider.token();
    await passed("/open", old);
    await provider.publish([keys.second, keys.first]);
    const fresh = await provider.token();
    const tokens = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? old : fresh));
    const statuses = await Promise.all(tokens.map(async (token) => (await call("/open", token)).response.status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("a removed key is rejected, also for tokens that were verified before", async () => {
    const old = await signed(keys.first);
    await passed("/open", old);
    await provider.publish([keys.second]);
    // An unknown key triggers another fetch of the keys.
    letTimePass();
    await rejected("/open", await signed(keys.third));
    expect(await rejected("/open", old)).toEqual([401, "token_invalid", "unknown_key"]);
  });

  test("the same kid with another key: the new one is used, the old one is not", async () => {
    const renamed = { ...keys.third, jwk: { ...keys.third.jwk, kid: "second" } };
    const old = await signed(keys.second);
    await passed("/open", old);
    await provider.publish([renamed]);
    letTimePass();
    await passed("/open", await signed(renamed));
    expect((await rejected("/open", old)).slice(0, 2)).toEqual([401, "token_invalid"]);
    await provider.publish([keys.first]);
    letTimePass();
    await passed("/open", await signed(keys.first));
  });

  test("while the provider is down, known keys keep working; without any: 503", async () => {
    await passed("/open", await signed(keys.first));
    provider.isDown = true;
    clock.advance(600_000);
    for (let round = 0; round < 3; round++) {
      await passed("/open", await signed(keys.first));
      letTimePass();
    }
    expect((await rejected("/open", await signed(keys.second))).slice(0, 2)).toEqual([401, "token_invalid"]);
    provider.isDown = false;
    expect(await rejected("/nowhere", await signed(keys.first))).toEqual([
      503,
      "token_keys_unavailable",
      "keys_unavailable",
    ]);
  });

  test("keys from a URL: no redirects, at most 1 MiB, only 200, and only addresses that are allowed", async () => {
    const token = await signed(keys.first);
    await passed("/published", token);
    const reasonOf = async (path: string) => {
      const { response, requestId } = await call(path, token);
      expect([response.status, await response.json()]).toMatchObject([503, { code: "token_keys_unavailable" }]);
      await server.catchUp();
      const { body } = await client.get(`/v1/accounts/${account}/requests?requestId=${requestId}`);
      return explainRequest(body.data[0]);
    };
    expect(await reasonOf("/redirected")).toContain("responded with 302");
    expect(await reasonOf("/large")).toContain("more than 1048576 bytes");
    expect(await reasonOf("/error")).toContain("responded with 500");
    expect(await reasonOf("/blocked")).toContain("169.254.169.254");
  });

  test("with a resource, its metadata is served and referenced", async () => {
    const { response } = await call("/resource");
    expect(response.headers.get("www-authenticate")).toBe(
      `Bearer realm="${deployed.name}", resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp"`,
    );
    const metadata = await call("/.well-known/oauth-protected-resource/mcp");
    expect(metadata.response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await metadata.response.json()).toEqual({
      resource: "https://api.example/mcp",
      authorization_servers: [provider.issuer],
      scopes_supported: ["orders:read"],
      bearer_methods_supported: ["header"],
    });
  });
});
