import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { base64url, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose";
import { strangerOf } from "../../../../test/support/callers.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { IdentityProvider, newSigningKey, type SigningKey, sign } from "../../../../test/support/identity-provider.ts";
import { startServer, useServer } from "../../../../test/support/server.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";

const account = "/v1/accounts/default";
const issuers = `${account}/trusted-issuers`;
const minute = 60_000;
const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const jwtType = "urn:ietf:params:oauth:token-type:jwt";
const accessType = "urn:ietf:params:oauth:token-type:access_token";
const subject = "repo:acme/shop:pull_request";

let keys: Record<"first" | "second" | "stranger", SigningKey>;
beforeAll(async () => {
  const [first, second, stranger] = await Promise.all(["first", "second", "first"].map((kid) => newSigningKey(kid)));
  keys = { first: first!, second: second!, stranger: stranger! };
});

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let provider: IdentityProvider;

  beforeAll(async () => {
    clock.set(new Date().toISOString());
    provider = await IdentityProvider.start([keys.first]);
  });
  afterAll(() => provider.stop());

  const audience = () => `${server.url}/v1/accounts/default`;
  const trust = async (fields: object = {}) => {
    const { status, text, body } = await client.post(issuers, {
      issuer: provider.issuer,
      subject,
      role: "editor",
      ...fields,
    });
    if (status !== 200) throw new Error(text);
    return body as { id: string };
  };
  const forget = async () => {
    for (const { id } of (await client.get(issuers)).body.data) await client.delete(`${issuers}/${id}`);
  };
  const signed = (claims: object = {}, key = keys.first, header: Record<string, unknown> = {}) =>
    sign(key, provider.issuer, clock.now(), { claims: { sub: subject, aud: audience(), ...claims }, header });
  const post = (fields: Record<string, string> | string, type = "application/x-www-form-urlencoded") =>
    client
      .anonymous()
      .raw("POST", "/v1/token-exchange", new URLSearchParams(fields).toString(), { "content-type": type });
  const exchange = (token: string, more: Record<string, string> = {}) =>
    post({ grant_type: grantType, subject_token: token, subject_token_type: jwtType, ...more });
  const exchanged = async (claims: object = {}) => {
    const { status, text, body } = await exchange(await signed(claims));
    if (status !== 200) throw new Error(text);
    return client.as(body.access_token);
  };
  const tokenCount = async () => (await client.get(`${account}/tokens`)).body.total as number;
  /** The OAuth error, and that no token was created. */
  const rejected = async (token: string, more?: Record<string, string>) => {
    const before = await tokenCount();
    const { status, body, headers } = await exchange(token, more);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-type")).toBe("application/json");
    expect(await tokenCount()).toBe(before);
    return [status, body.error];
  };

  describe("a token of a trusted issuer", () => {
    test("is exchanged for one that is valid for 15 minutes", async () => {
      await forget();
      const { id } = await trust({ project: "shop", branchClaim: "head_ref" });
      const response = await exchange(await signed({ head_ref: "feature" }));
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.body).toEqual({
        access_token: expect.stringMatching(/^tgt_[0-9a-f]{32}_[0-9a-f]{8}$/),
        issued_token_type: accessType,
        token_type: "Bearer",
        expires_in: 900,
        scope: "editor",
      });
      const holder = client.as(response.body.access_token);
      const identity = await holder.get("/v1/who-am-i");
      expect(identity.body).toMatchObject({
        account: "default",
        role: "editor",
        projects: [{ project: "shop", role: "editor" }],
        environments: ["PREVIEW"],
        branch: "feature",
      });
      const listed = (await client.get(`${account}/tokens`)).body.data.at(-1);
      expect(listed).toMatchObject({
        id: identity.body.sub,
        name: subject,
        trustedIssuer: id,
        project: "shop",
        environments: ["PREVIEW"],
        branch: "feature",
        expiresOn: clock.iso(15 * minute),
      });
      const rows = await tableContent(server.database, "tokens");
      expect(holdText(rows, response.body.access_token)).toBe(false);
      clock.advance(15 * minute - 1);
      expect((await holder.get("/v1/who-am-i")).status).toBe(200);
      clock.advance(1);
      expectProblem(await holder.get("/v1/who-am-i"), 401, "token_expired");
    });

    test("is exchanged by a client that sends id_token, and names the account", async () => {
      await forget();
      await trust();
      const token = await signed();
      const fields = { subject_token_type: "urn:ietf:params:oauth:token-type:id_token", audience: audience() };
      expect((await exchange(token, { ...fields, requested_token_type: accessType })).status).toBe(200);
      expect(await rejected(token, { audience: `${server.url}/v1/accounts/other` })).toEqual([400, "invalid_grant"]);
    });

    test("is in the audit log with its subject, and so is what it does", async () => {
      await forget();
      await trust({ environments: ["PREVIEW", "PRODUCTION"] });
      const holder = await exchanged();
      const { sub } = (await holder.get("/v1/who-am-i")).body;
      await holder.post(`${account}/key-buckets`, { name: `by-ci-${engine.name}`.toLowerCase() });
      const { data } = (await client.get(`${account}/audit-log?actor=${sub}`)).body;
      expect(data.map(({ action }: { action: string }) => action).toSorted()).toEqual([
        "bucket.created",
        "token.exchanged",
      ]);
      for (const { actor } of data) expect(actor).toMatchObject({ type: "token", id: sub, name: subject });
    });

    test("stops working when the trusted issuer is changed or deleted", async () => {
      await forget();
      const { id } = await trust();
      const first = await exchanged();
      await client.patch(`${issuers}/${id}`, {});
      expect((await first.get("/v1/who-am-i")).status).toBe(200);
      await client.patch(`${issuers}/${id}`, { role: "reader" });
      expectProblem(await first.get("/v1/who-am-i"), 401, "unauthenticated");
      const second = await exchanged();
      expect((await second.get("/v1/who-am-i")).body.role).toBe("reader");
      await client.delete(`${issuers}/${id}`);
      expectProblem(await second.get("/v1/who-am-i"), 401, "unauthenticated");
      expect(await rejected(await signed())).toEqual([400, "invalid_grant"]);
    });

    test("gets the most access that a trusted issuer allows", async () => {
      await forget();
      await trust({ subject: "repo:acme/shop:*", project: "shop" });
      await trust({ subject: "repo:acme/shop:ref:refs/heads/main", project: "shop", environments: ["PRODUCTION"] });
      const environments = async (sub: string) =>
        (await (await exchanged({ sub })).get("/v1/who-am-i")).body.environments;
      expect(await environments("repo:acme/shop:pull_request")).toEqual(["PREVIEW"]);
      expect(await environments("repo:acme/shop:ref:refs/heads/main")).toEqual(["PRODUCTION"]);
    });

    test("is removed some time after it has expired", async () => {
      await forget();
      await trust();
      const holder = await exchanged();
      clock.advance(30 * minute);
      expectProblem(await holder.get("/v1/who-am-i"), 401, "token_expired");
      const before = await tokenCount();
      clock.advance(60 * minute);
      // A round that began before the clock moved removes nothing.
      const isRemoved = async () => {
        await server.runTasks();
        return (await tokenCount()) < before;
      };
      await until(isRemoved, { what: "the removal of an expired token" });
    });
  });

  describe("a hostile token", () => {
    test("is rejected, and nothing is created", async () => {
      await forget();
      await trust({ claims: { repository_owner_id: "42", ref: ["refs/heads/*", "refs/pull/*"] } });
      const good = { repository_owner_id: "42", ref: "refs/heads/main" };
      expect((await exchange(await signed(good))).status).toBe(200);
      const now = Math.floor(clock.now() / 1000);
      const payload = { iss: provider.issuer, sub: subject, aud: audience(), exp: now + 600, ...good };
      const publicKey = await exportSPKI((await importJWK(keys.first.jwk, "RS256")) as CryptoKey);
      const confused = new SignJWT(payload).setProtectedHeader({ alg: "HS256", kid: "first" });
      const [head, , signature] = (await signed(good)).split(".");
      const forged = base64url.encode(JSON.stringify({ ...payload, sub: "repo:evil/shop:pull_request" }));
      const hostile: Record<string, string> = {
        "of another key with the same id": await signed(good, keys.stranger),
        "without a signature": new UnsecuredJWT(payload).encode(),
        "with the public key as the secret": await confused.sign(Buffer.from(publicKey)),
        "with another payload": `${head}.${forged}.${signature}`,
        "with a critical header": await signed(good, keys.first, { crit: ["urn:test"], "urn:test": true }),
        "of another issuer": await signed({ ...good, iss: "https://evil.example" }),
        "of an issuer with a slash more": await signed({ ...good, iss: `${provider.issuer}/` }),
        "of a list of issuers": await signed({ ...good, iss: [provider.issuer] }),
        "for another audience": await signed({ ...good, aud: "https://api.example" }),
        "for another account": await signed({ ...good, aud: `${server.url}/v1/accounts/other` }),
        "for an audience that only begins alike": await signed({ ...good, aud: `${audience()}/more` }),
        "for audiences that cannot be stored": await signed({
          ...good,
          aud: ["a\0b", "\ud800", 7, null, "x".repeat(9999)],
        }),
        "without an audience": await signed({ ...good, aud: undefined }),
        "of another subject": await signed({ ...good, sub: "repo:acme/shop-evil:pull_request" }),
        "whose subject only contains it": await signed({ ...good, sub: `x${subject}x` }),
        "whose subject has a line break": await signed({ ...good, sub: `${subject}\n` }),
        "without a subject": await signed({ ...good, sub: undefined }),
        "with another claim": await signed({ ...good, repository_owner_id: "421" }),
        "without a claim": await signed({ ...good, repository_owner_id: undefined }),
        "with a claim of its prototype": await signed({ ...good, ref: undefined, __proto__: { ref: "refs/heads/a" } }),
        "with an object as a claim": await signed({ ...good, ref: { toString: "refs/heads/main" } }),
        "that has expired": await signed({ ...good, exp: now - 61 }),
        "that never expires": await signed({ ...good, exp: undefined }),
        "that is not valid yet": await signed({ ...good, nbf: now + 61 }),
      };
      for (const [what, token] of Object.entries(hostile))
        expect([what, ...(await rejected(token))]).toEqual([what, 400, "invalid_grant"]);
      const text = (await exchange(await signed({ ...good, repository_owner_id: "7" }))).body.error_description;
      expect(text).toBe('The claim "repository_owner_id" is missing or has another value.');
      clock.advance(minute);
    });

    test.each(["", "x", "a.b", "a.b.c", "..", "é.é.é", "x".repeat(20_000)])(
      "a hostile token that is %p is no JWT",
      async (token) => {
        expect(await rejected(token)).toEqual([400, "invalid_request"]);
      },
    );

    test("names no branch, where the branch is needed", async () => {
      await forget();
      await trust({ branchClaim: "ref" });
      for (const ref of ["refs/tags/main", "refs/pull/1/merge", "refs/heads/", "", undefined, 7, ["main"]])
        expect(await rejected(await signed({ ref }))).toEqual([400, "invalid_grant"]);
      const branch = async (ref: string) => (await (await exchanged({ ref })).get("/v1/who-am-i")).body.branch;
      expect(await branch("refs/heads/feature/x")).toBe("feature/x");
      expect(await branch("main")).toBe("main");
    });

    test("is limited in number by the client's address", async () => {
      await forget();
      await trust();
      const token = await signed({ sub: "someone else" });
      let response = await exchange(token);
      for (let i = 0; i < 101 && response.status === 400; i++) response = await exchange(token);
      expectProblem(response, 429, "too_many_failures");
      expect((await exchange(await signed())).status).toBe(200);
      clock.advance(minute);
    });
  });

  describe("the keys of the issuer", () => {
    test("are fetched again when they rotate, and old ones stop working", async () => {
      await forget();
      await trust();
      const old = await signed();
      expect((await exchange(old)).status).toBe(200);
      await provider.publish([keys.second]);
      clock.advance(31_000);
      expect((await exchange(await signed({}, keys.second))).status).toBe(200);
      expect(await rejected(old)).toEqual([400, "invalid_grant"]);
      await provider.publish([keys.first]);
      clock.advance(31_000);
    });

    test("remain valid while the issuer does not respond", async () => {
      await forget();
      await trust();
      expect((await exchange(await signed())).status).toBe(200);
      provider.isDown = true;
      clock.advance(6 * minute);
      expect((await exchange(await signed())).status).toBe(200);
      expect(await rejected(await signed({}, keys.second))).toEqual([400, "invalid_grant"]);
      provider.isDown = false;
      clock.advance(31_000);
    });

    test("keys of the issuer that cannot be fetched are 503", async () => {
      const down = await IdentityProvider.start([keys.first]);
      down.isDown = true;
      await client.post(issuers, { issuer: down.issuer, subject, role: "editor" });
      const token = () => sign(keys.first, down.issuer, clock.now(), { claims: { sub: subject, aud: audience() } });
      const response = await exchange(await token());
      expect([response.status, response.body.error]).toEqual([503, "temporarily_unavailable"]);
      expect(response.headers.get("retry-after")).toBe("30");
      down.isDown = false;
      const before = down.fetches;
      expect((await exchange(await token())).status).toBe(503);
      expect(down.fetches).toBe(before);
      clock.advance(31_000);
      expect((await exchange(await token())).status).toBe(200);
      await down.stop();
    });
  });

  test("keys are fetched through the egress rules", async () => {
    const other = await startServer(engine, { environment: { TOLLGATE_EGRESS: "public" }, clock });
    try {
      const path = `${other.url}/v1/accounts/default`;
      await other.client.post(issuers, { issuer: provider.issuer, subject, role: "editor" });
      const before = provider.fetches;
      const form = new URLSearchParams({
        grant_type: grantType,
        subject_token: await signed({ aud: path }),
        subject_token_type: jwtType,
      });
      const { status, body } = await other.client
        .anonymous()
        .raw("POST", "/v1/token-exchange", form.toString(), { "content-type": "application/x-www-form-urlencoded" });
      expect([status, body.error]).toEqual([503, "temporarily_unavailable"]);
      expect(provider.fetches).toBe(before);
    } finally {
      await other.stop();
    }
  });

  describe("a request", () => {
    const bad: [what: string, fields: Record<string, string>, error: string][] = [
      ["without a grant type", { grant_type: "" }, "invalid_request"],
      ["of another grant type", { grant_type: "client_credentials" }, "unsupported_grant_type"],
      ["without a token", { subject_token: "" }, "invalid_request"],
      ["without a token type", { subject_token_type: "" }, "invalid_request"],
      ["of a SAML token", { subject_token_type: "urn:ietf:params:oauth:token-type:saml2" }, "invalid_request"],
      [
        "for a refresh token",
        { requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" },
        "invalid_request",
      ],
      ["with an actor", { actor_token: "a", actor_token_type: jwtType }, "invalid_request"],
      ["with a resource", { resource: "https://api.example" }, "invalid_target"],
    ];
    test.each(bad)("%s is an OAuth error", async (_what, fields, error) => {
      const token = await signed();
      expect(await rejected(token, fields)).toEqual([400, error]);
    });

    test("with a field twice, as JSON or without a body is an OAuth error", async () => {
      const twice = `grant_type=${grantType}&grant_type=${grantType}&subject_token=a&subject_token_type=${jwtType}`;
      for (const response of [
        await post(twice),
        await client.anonymous().post("/v1/token-exchange", { grant_type: grantType }),
        await client.anonymous().raw("POST", "/v1/token-exchange"),
      ])
        expect([response.status, response.body.error]).toEqual([400, "invalid_request"]);
      expectProblem(await post({ a: "x".repeat(40_000) }), 413, "body_too_large");
      expectProblem(await client.get("/v1/token-exchange"), 405, "method_not_allowed");
    });

    test("with a time in the future, or valid for longer than a day, is rejected", async () => {
      await forget();
      await trust();
      const seconds = (offset: number) => Math.floor(clock.now() / 1000) + offset;
      expect(await rejected(await signed({ iat: seconds(7200) }))).toEqual([400, "invalid_grant"]);
      expect(await rejected(await signed({ exp: seconds(30 * 86_400) }))).toEqual([400, "invalid_grant"]);
      expect((await exchange(await signed({ iat: seconds(30), exp: seconds(3600) }))).status).toBe(200);
    });

    test("a token that several accounts accept is for the one that trusted first, unless it names another", async () => {
      await forget();
      const name = `second-${engine.name}`.toLowerCase();
      const stranger = await strangerOf(client, name);
      await trust({ audience: "ci" });
      await stranger.post(`/v1/accounts/${name}/trusted-issuers`, {
        issuer: provider.issuer,
        subject,
        role: "editor",
        audience: "ci",
      });
      const token = await signed({ aud: "ci" });
      expect((await (await exchanged({ aud: "ci" })).get("/v1/who-am-i")).body.account).toBe("default");
      const { body } = await exchange(token, { audience: `${server.url}/v1/accounts/${name}` });
      expect((await client.as(body.access_token).get("/v1/who-am-i")).body.account).toBe(name);
    });
  });
});
