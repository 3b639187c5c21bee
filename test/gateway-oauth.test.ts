import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { activeDomain, useDns } from "./support/domains.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { authorizationIn, newPkce, OAuthPortal } from "./support/oauth.ts";
import type { PortalBrowser } from "./support/portal.ts";
import { callHost, type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

const wellKnown = "/.well-known/oauth-protected-resource";
const minute = 60_000;

/** Responds with the headers that it received. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers }) => Response.json(Object.fromEntries(headers)),
});
afterAll(() => upstream.stop(true));

const files = (policies: Record<string, { type: string; options: object }>, more: object = {}) => ({
  "openapi.json": openApi({
    "/things": { "x-tollgate": { policies: Object.keys(policies) } },
    ...more,
  }),
  "tollgate.json": { upstream: upstream.url.origin, policies },
});

async function expectRejected(response: Response, status: number, code: string): Promise<void> {
  expect(await response.json()).toMatchObject({ status, code });
  expect(response.status).toBe(status);
}

eachEngine((engine) => {
  const { dns, environment } = useDns({ TOLLGATE_EGRESS: "any" });
  const server = useServer(engine, { environment });
  const { client, clock } = server;
  const portal = new OAuthPortal(server);
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  let tokens: Deployed;
  let both: Deployed;
  let browser: PortalBrowser;

  beforeAll(async () => {
    const oauth = { type: "oauth", options: { bucket: "main" } };
    const read = { type: "permission", options: { permission: "things:read" } };
    tokens = await deploy(server, { project: "tokens", branch: "main" }, files({ oauth, read }));
    const keys = { type: "api-key", options: { bucket: "main", oauth: true } };
    both = await deploy(server, { project: "both", branch: "main" }, files({ keys }));
    portal.deployment = tokens.name;
    await portal.newCustomer("acme", { permissions: ["things:read", "things:write"] });
    await setPortal();
    browser = await portal.browser("acme");
  });

  const setPortal = (oauth: object = {}, more: object = {}) =>
    portal.set(oauth, { deployments: [tokens.name, both.name], ...more });
  const resourceOf = ({ url }: Deployed) => ({ resource: url });
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const statusWith = async (deployed: Deployed, token: string) =>
    (await deployed.call("/things", bearer(token))).status;

  test("a token is accepted like a key: the target gets the consumer and the client, and never the token", async () => {
    for (const deployed of [tokens, both]) {
      const issued = await portal.tokens(browser, { ...resourceOf(deployed), scope: "things:read" });
      for (const round of ["from storage", "from memory"]) {
        const response = await deployed.call("/things", bearer(issued.access_token));
        expect({ round, status: response.status }).toEqual({ round, status: 200 });
        const received = (await response.json()) as Record<string, string>;
        expect(received).toMatchObject({
          "x-consumer-name": "acme",
          "x-consumer-key-id": authorizationIn(issued),
          "x-consumer-client": "Weather%20CLI",
        });
        expect(JSON.stringify(received)).not.toContain(issued.access_token);
      }
    }
  });

  test("keys are accepted beside tokens only if the policy says so", async () => {
    const { body } = await client.post(`${consumers}/acme/keys`, { permissions: ["things:read", "things:write"] });
    expect(await statusWith(both, body.key)).toBe(200);
    await expectRejected(await tokens.call("/things", bearer(body.key)), 401, "token_invalid");
  });

  test("the record of a request names the client and its authorization", async () => {
    const issued = await portal.tokens(browser, { ...resourceOf(both), scope: "things:read" });
    const requestId = crypto.randomUUID();
    const headers = { ...bearer(issued.access_token).headers, "x-request-id": requestId };
    await (await both.call("/things", { headers })).text();
    const [record] = await until(async () => {
      await server.catchUp();
      const { body } = await client.get(`/v1/accounts/${account}/requests?requestId=${requestId}`);
      return body.data.length > 0 && body.data;
    });
    expect(record).toMatchObject({ consumer: "acme", keyId: authorizationIn(issued), client: "Weather CLI" });
    const counted = (query: string) => client.get(`/v1/deployments/${both.name}/analytics?${query}`);
    const ofClient = await until(async () => {
      const { body } = await counted("by=client&consumer=acme");
      return body.series.find(({ key }: { key: string | null }) => key === "Weather CLI");
    });
    expect(ofClient.totals.requests).toBeGreaterThan(0);
    expectProblem(await counted("by=client&route=/things"), 400, "validation_failed");
  });

  test("a permission that the customer did not consent to is 403 with the scope to ask for", async () => {
    const issued = await portal.tokens(browser, { ...resourceOf(tokens), scope: "things:write" });
    const response = await tokens.call("/things", bearer(issued.access_token));
    expect(response.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="things:read"');
    await expectRejected(response, 403, "permission_missing");
  });

  test("a token for another deployment, a changed one, and an expired one are rejected", async () => {
    const { access_token } = await portal.tokens(browser, { ...resourceOf(tokens), scope: "things:read" });
    await expectRejected(await both.call("/things", bearer(access_token)), 401, "token_invalid");
    const [head, payload, signature] = access_token.split(".") as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const header = JSON.parse(Buffer.from(head, "base64url").toString()) as object;
    // The public key, which everyone has, as the secret of a MAC.
    const { keys } = (await portal.send("/oauth/jwks")).body;
    const publicKey = createPublicKey({ key: keys[0], format: "jwk" }).export({ type: "spki", format: "pem" });
    const macHead = encode({ ...header, alg: "HS256" });
    const mac = createHmac("sha256", publicKey).update(`${macHead}.${payload}`).digest("base64url");
    // A key of the forger's own, in the header.
    const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const ownHead = encode({
      ...header,
      jwk: own.publicKey.export({ format: "jwk" }),
      jku: `${portal.url}/oauth/jwks`,
    });
    const ownSignature = sign("sha256", Buffer.from(`${ownHead}.${payload}`), own.privateKey).toString("base64url");
    for (const forged of [
      `${head}.${encode({ ...claims, aud: both.name })}.${signature}`,
      `${encode({ ...header, alg: "none" })}.${payload}.`,
      `${encode({ ...header, alg: "HS256" })}.${payload}.${signature}`,
      `${macHead}.${payload}.${mac}`,
      `${ownHead}.${payload}.${ownSignature}`,
      `${encode({ ...header, kid: "x".repeat(43) })}.${payload}.${signature}`,
      `${encode({ ...header, kid: "../keys" })}.${payload}.${signature}`,
      `${encode({ ...header, crit: ["exp"] })}.${payload}.${signature}`,
      `${encode({ ...header, typ: "JWT" })}.${payload}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${head}.${payload}`,
      `${access_token}.${signature}`,
    ])
      for (const deployed of [tokens, both])
        expect([forged, await statusWith(deployed, forged)]).toEqual([forged, 401]);
    expect(await statusWith(tokens, access_token)).toBe(200);
    clock.advance(15 * minute);
    await expectRejected(await tokens.call("/things", bearer(access_token)), 401, "token_expired");
    browser = await portal.browser("acme");
  });

  test("an authorization that the operator ends is rejected by the next request", async () => {
    const issued = await portal.tokens(browser, { ...resourceOf(tokens), scope: "things:read" });
    const other = await portal.tokens(browser, { ...resourceOf(tokens), scope: "things:read" });
    expect(await statusWith(tokens, issued.access_token)).toBe(200);
    const ended = await client.delete(`${portal.path}/authorizations/${authorizationIn(issued)}`);
    expect(ended.status).toBe(204);
    await expectRejected(await tokens.call("/things", bearer(issued.access_token)), 401, "token_invalid");
    expect(await statusWith(tokens, other.access_token)).toBe(200);
  });

  test("a token of another portal is rejected, also if that portal has the same deployment and customer", async () => {
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: "second" });
    const second = new OAuthPortal(server, "second");
    second.deployment = tokens.name;
    await second.newCustomer("acme", { permissions: ["things:read"] });
    await second.set();
    const { access_token } = await second.tokens(await second.browser("acme"));
    await expectRejected(await tokens.call("/things", bearer(access_token)), 401, "token_invalid");
  });

  test("while OAuth or the portal is off, tokens are rejected and nothing is advertised", async () => {
    const { access_token } = await portal.tokens(browser, { ...resourceOf(tokens), scope: "things:read" });
    expect(await statusWith(tokens, access_token)).toBe(200);
    for (const [oauth, more] of [
      [{ isEnabled: false }, {}],
      [{}, { isEnabled: false }],
    ] as const) {
      await setPortal(oauth, more);
      const rejected = await tokens.call("/things", bearer(access_token));
      expect(rejected.headers.get("www-authenticate")).toBe(`Bearer realm="${tokens.name}", error="invalid_token"`);
      await expectRejected(rejected, 401, "token_invalid");
      expect((await tokens.call(wellKnown)).status).toBe(404);
      await setPortal();
      expect(await statusWith(tokens, access_token)).toBe(200);
    }
  });

  test("a consumer that is created again under the same name does not revive tokens", async () => {
    await portal.newCustomer("twice", { permissions: ["things:read"] });
    const customer = await portal.browser("twice");
    const { access_token } = await portal.tokens(customer, { ...resourceOf(tokens), scope: "things:read" });
    expect(await statusWith(tokens, access_token)).toBe(200);
    await client.delete(`${consumers}/twice`);
    await expectRejected(await tokens.call("/things", bearer(access_token)), 401, "token_invalid");
    await portal.newCustomer("twice", { permissions: ["things:read"] });
    await expectRejected(await tokens.call("/things", bearer(access_token)), 401, "token_invalid");
  });

  test("tokens and keys of a suspended consumer are 403 from the next request on, and work again later", async () => {
    await portal.newCustomer("late-payer", { permissions: ["things:read"] });
    const { body } = await client.post(`${consumers}/late-payer/keys`, { permissions: ["things:read"] });
    const customer = await portal.browser("late-payer");
    const { access_token } = await portal.tokens(customer, { ...resourceOf(both), scope: "things:read" });
    for (const credential of [access_token, body.key]) expect(await statusWith(both, credential)).toBe(200);
    const { body: suspended } = await client.patch(`${consumers}/late-payer`, { isSuspended: true });
    for (const credential of [access_token, body.key])
      await expectRejected(await both.call("/things", bearer(credential)), 403, "consumer_suspended");
    const { challenge } = newPkce();
    const query = portal.query({ challenge }, resourceOf(both));
    expect((await customer.post("/oauth/request", { query })).body.code).toBe("consumer_suspended");
    const decision = { query, consumerId: suspended.id, isApproved: true };
    expect((await customer.post("/oauth/decision", decision)).body.code).toBe("consumer_suspended");
    await client.patch(`${consumers}/late-payer`, { isSuspended: false });
    for (const credential of [access_token, body.key]) expect(await statusWith(both, credential)).toBe(200);
  });

  test("the addresses and the rate limit of a new key apply, the limit to each authorization", async () => {
    await portal.newCustomer("limited", {
      permissions: ["things:read"],
      rateLimit: { requests: 2, windowSeconds: 3600 },
    });
    clock.advance(60 * minute - (clock.now() % (60 * minute)));
    const customer = await portal.browser("limited");
    const wanted = { ...resourceOf(tokens), scope: "things:read" };
    const [one, other] = [await portal.tokens(customer, wanted), await portal.tokens(customer, wanted)];
    for (const status of [200, 200, 429]) expect(await statusWith(tokens, one.access_token)).toBe(status);
    expect(await statusWith(tokens, other.access_token)).toBe(200);

    await portal.newCustomer("elsewhere", { permissions: ["things:read"], allowedIps: ["192.0.2.0/24"] });
    const far = await portal.tokens(await portal.browser("elsewhere"), wanted);
    await expectRejected(await tokens.call("/things", bearer(far.access_token)), 403, "ip_not_allowed");
    browser = await portal.browser("acme");
  });

  test("clients find the portal by the challenge, at every host and URL of the deployment", async () => {
    for (const deployed of [tokens, both]) {
      const rejected = await deployed.call("/things");
      expect(rejected.status).toBe(401);
      const host = new URL(deployed.url).hostname;
      const challenge = rejected.headers.get("www-authenticate")!;
      expect(challenge).toContain(`resource_metadata="http://${host}${wellKnown}"`);
      const document = { authorization_servers: [portal.url], bearer_methods_supported: ["header"] };
      const root = await deployed.call(wellKnown);
      expect(root.headers.get("access-control-allow-origin")).toBe("*");
      expect(await root.json()).toEqual({ resource: `http://${host}`, ...document });
      const below = await deployed.call(`${wellKnown}/v1/mcp`);
      expect(await below.json()).toEqual({ resource: `http://${host}/v1/mcp`, ...document });
    }
    const open = await deploy(
      server,
      { project: "open", branch: "main" },
      {
        "openapi.json": openApi({ "/": { "x-tollgate": { upstream: upstream.url.origin } } }),
      },
    );
    expect((await open.call(wellKnown)).status).toBe(404);
    expect((await callHost(server.url, "unknown.localhost", wellKnown)).status).toBe(404);
  });

  test("at a custom domain, each mount has its own metadata, and a token is for the deployment of its mount", async () => {
    const host = "api.acme.example";
    await activeDomain(server, dns, {
      host,
      mounts: [
        { path: "/", deploymentName: both.name },
        { path: "/billing", deploymentName: tokens.name, stripPath: true },
      ],
    });
    browser = await portal.browser("acme");
    const { port } = new URL(both.url);
    const origin = `http://${host}${port === "" ? "" : `:${port}`}`;
    const call = (path: string, init?: RequestInit) => callHost(server.url, new URL(origin).host, path, init);
    const billing = await call("/billing/things");
    expect(billing.headers.get("www-authenticate")).toContain(`resource_metadata="${origin}${wellKnown}/billing"`);
    const document = { authorization_servers: [portal.url], bearer_methods_supported: ["header"] };
    expect(await (await call(`${wellKnown}/billing`)).json()).toEqual({ resource: `${origin}/billing`, ...document });
    expect(await (await call(wellKnown)).json()).toEqual({ resource: origin, ...document });

    const wanted = { resource: `${origin}/billing`, scope: "things:read" };
    const { access_token } = await portal.tokens(browser, wanted);
    expect((await call("/billing/things", bearer(access_token))).status).toBe(200);
    expect((await call("/things", bearer(access_token))).status).toBe(401);
  });
});
