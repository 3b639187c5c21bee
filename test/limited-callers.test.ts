// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { z } from "zod";
import { policySchemas } from "../src/gateway/policies/schemas.ts";
import type { Client } from "./support/client.ts";
import { eachEngine } from "./support/engines.ts";
import { exchangedToken } from "./support/exchanged-token.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { audience, IdentityProvider, newSigningKey, type SigningKey, sign } from "./support/identity-provider.ts";
import { subscribed } from "./support/metering.ts";
import { joined } from "./support/people.ts";
import { type Branch, build, type Deployed, deploy, openApi, rebuild, settledStatus } from "./support/project.ts";
import { useServer } from "./support/server.ts";

/**
 * What each option of the built-in policies can name. A new option fails this test until it is listed here, and one that
 * names a resource needs a test below: a caller with limited access must not identify a consumer by it.
 */
const named: Record<"keys" | "quota" | "identity" | "nothing", string[]> = {
  /** A key bucket, whose keys, or whose portal's tokens for this deployment, the request presents. */
  keys: ["api-key.bucket", "basic-auth.bucket", "oauth.bucket"],
  /** A metering bucket, whose quota is that of the identified consumer. */
  quota: ["quota.bucketId", "usage.bucketId"],
  /** The consumer, identified by a signed token. */
  identity: ["jwt.issuer", "jwt.jwksUrl", "jwt.keys[].kty", "jwt.mapToConsumer.claim", "jwt.mapToConsumer.bucket"],
  nothing:
    `api-key.header api-key.scheme api-key.allowAnonymous api-key.oauth permission.permission quota.meters quota.statuses
    quota.overQuota rate-limit.by rate-limit.requests rate-limit.windowSeconds rate-limit.window rate-limit.legacyHeaders
    validate.response cors.origins cors.methods cors.headers cors.exposeHeaders cors.maxAgeSeconds cors.credentials
    headers.request.set headers.request.remove headers.response.set headers.response.remove cache.seconds cache.by cache.vary
    jwt.audience jwt.algorithms jwt.requiredClaims jwt.scopes jwt.clockSkewSeconds jwt.allowNoExpiry jwt.resource
    usage.meters.*.header usage.meters.*.pointer usage.meters.*.event usage.meters.*.default usage.meters.*.count
    usage.meters.*.aliases usage.meters.*.factor usage.reserve.*.amount
    usage.reserve.*.pointer usage.reserve.*.factor usage.reserve.*.maximum usage.statuses usage.onDisconnect ip-filter.allow
    ip-filter.deny size-limit.requestBytes size-limit.responseBytes concurrency.by concurrency.requests rewrite.path
    rewrite.query.set rewrite.query.remove redirect.to redirect.status mock.status mock.delayMs json-body.request.set
    json-body.request.remove json-body.request.rename json-body.response.set json-body.response.remove
    json-body.response.rename`.split(/\s+/),
};

interface Schema {
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

function optionsOf(schema: Schema, at: string): string[] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [], items, additionalProperties } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, option]) => {
      const below = optionsOf(option, `${at}.${name}`);
      return below.length > 0 ? below : [`${at}.${name}`];
    }),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((part) => optionsOf(part, at)),
    ...(items ? optionsOf(items, `${at}[]`) : []),
    ...(typeof additionalProperties === "object" ? optionsOf(additionalProperties, `${at}.*`) : []),
  ];
}

test("every option of a policy is classified by what it names", () => {
  const options = Object.entries(policySchemas).flatMap(([type, schema]) =>
    optionsOf(z.toJSONSchema(schema, { io: "input" }) as Schema, type),
  );
  expect(Object.values(named).flat().toSorted()).toEqual(options.toSorted());
});

const account = "/v1/accounts/default";
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers }) => Response.json(Object.fromEntries(headers)),
});
let trusted: SigningKey;
let own: SigningKey;
beforeAll(async () => {
  [trusted, own] = await Promise.all([newSigningKey("trusted"), newSigningKey("own")]);
});
afterAll(() => upstream.stop(true));

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let provider: IdentityProvider;
  let limited: Record<"a token for previews" | "a person with a role in the project", Client>;
  let metering: string;
  let count = 0;

  beforeAll(async () => {
    clock.set(new Date().toISOString());
    provider = await IdentityProvider.start([trusted]);
    await client.post(`${account}/key-buckets/main/consumers`, { name: "acme", metadata: { plan: "gold" } });
    const subscription = await subscribed(client, { meters: { requests: { label: "Requests", max: 3 } } });
    metering = subscription.bucket.split("/").at(-1)!;
    limited = {
      "a token for previews": await exchangedToken({ server, provider, key: trusted, fields: { project: "shop" } }),
      "a person with a role in the project": (
        await joined(client, {
          email: "bob@acme.example",
          role: "editor",
          projects: [{ project: "shop", role: "editor" }],
        })
      ).browser,
    };
  });
  afterAll(() => provider.stop());

  const jwt = (options: object) => ({ type: "jwt", options: { audience, algorithms: ["RS256"], ...options } });
  const map = { mapToConsumer: { claim: "customer", bucket: "main" } };
  const files = (token: object) => ({
    "openapi.json": openApi({
      "/who": { "x-tollgate": { policies: ["token"] } },
      "/metered": { "x-tollgate": { policies: ["token", "quota"] } },
    }),
    "tollgate.json": {
      upstream: upstream.url.origin,
      policies: {
        token,
        quota: { type: "quota", options: { bucketId: metering, meters: { requests: 1 } } },
      },
    },
  });
  const place = (): Branch => ({ project: "shop", branch: `branch-${++count}` });
  const signed = (key: SigningKey, claims: Record<string, unknown>) =>
    sign(key, provider.issuer, clock.now(), { claims });
  const forged = () => signed(own, { customer: "acme", sub: "victim" });
  const call = async (deployed: Deployed, path: string, token: string) => {
    const response = await deployed.call(path, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const callers = ["a token for previews", "a person with a role in the project"] as const;

  describe.each(callers)("%s", (who) => {
    const sources = {
      keys: () => ({ issuer: provider.issuer, keys: [own.jwk] }),
      jwksUrl: () => ({ issuer: provider.issuer, jwksUrl: `${provider.issuer}/jwks` }),
      issuer: () => ({ issuer: provider.issuer }),
    };

    test.each(["keys", "jwksUrl", "issuer"] as const)("cannot map tokens to consumers by %s", async (source) => {
      const { status } = await build(limited[who], place(), files(jwt({ ...sources[source](), ...map })));
      expect(status.status).toBe("ERROR");
      expect(status.buildResult.errors[0].message).toContain('maps tokens to consumers of the key bucket "main"');
    });

    test("cannot list an issuer", async () => {
      const path = `${account}/key-buckets/main`;
      await client.patch(path, { tokenIssuers: null });
      const tokenIssuers = [{ issuer: provider.issuer, claim: "customer" }];
      expectProblem(await limited[who].patch(path, { tokenIssuers }), 403, "forbidden");
      expect((await client.get(path)).body.tokenIssuers).toEqual([]);
    });

    test("maps tokens of a listed issuer, as long as it is listed", async () => {
      const path = `${account}/key-buckets/main`;
      const listed = { tokenIssuers: [{ issuer: provider.issuer, claim: "customer" }] };
      expect((await client.patch(path, listed)).body).toMatchObject(listed);
      const caller = { url: server.url, client: limited[who] };
      const deployed = await deploy(caller, place(), files(jwt({ issuer: provider.issuer, ...map })));
      const other = jwt({ issuer: provider.issuer, mapToConsumer: { claim: "nickname", bucket: "main" } });
      expect((await build(limited[who], place(), files(other))).status.status).toBe("ERROR");
      const token = await signed(trusted, { customer: "acme" });
      expect(await call(deployed, "/who", token)).toMatchObject({ status: 200, body: { "x-consumer-name": "acme" } });
      expect(await call(deployed, "/who", await forged())).toMatchObject({ status: 401 });
      await client.patch(path, { tokenIssuers: null });
      await server.catchUp();
      expect(await call(deployed, "/who", token)).toMatchObject({ status: 403, body: { code: "token_not_allowed" } });
    });

    test("cannot use up a quota by the name of a subject", async () => {
      const subject = `jwt:${provider.issuer}#victim`;
      const { path, bucket } = await subscribed(client, undefined, { customerKey: subject });
      metering = bucket.split("/").at(-1)!;
      const caller = { url: server.url, client: limited[who] };
      const deployed = await deploy(caller, place(), files(jwt({ issuer: provider.issuer, keys: [own.jwk] })));
      expect(await call(deployed, "/metered", await forged())).toMatchObject({
        status: 403,
        body: { code: "no_subscription" },
      });
      // A token of the issuer itself is a credential of the subject.
      const discovered = await deploy(caller, place(), files(jwt({ issuer: provider.issuer })));
      expect(await call(discovered, "/metered", await signed(trusted, { sub: "victim" }))).toMatchObject({
        status: 200,
      });
      await server.catchUp();
      expect((await client.get(`${path}/usage`)).text).toContain('"used":1');
    });

    test.each(["api-key", "basic-auth"])("identifies a consumer by %s only with a key", async (type) => {
      const caller = { url: server.url, client: limited[who] };
      const deployed = await deploy(caller, place(), files({ type, options: { bucket: "main" } }));
      const basic = Buffer.from("acme:acme").toString("base64");
      for (const authorization of ["Bearer acme", `Basic ${basic}`]) {
        const response = await deployed.call("/who", { headers: { authorization, "x-consumer-name": "acme" } });
        expect(response.status).toBe(401);
      }
    });
  });

  describe("a caller without limits", () => {
    const symmetric = (secret: string) => new TextEncoder().encode(secret);
    const encoded = (secret: string) => Buffer.from(secret).toString("base64url");
    const withSecret = (secret: string) =>
      new SignJWT({ customer: "acme", aud: audience, exp: Math.floor(clock.now() / 1000) + 60 })
        .setProtectedHeader({ alg: "HS256" })
        .sign(symmetric(secret));
    const setVariable = async (caller: Client, name: string, variable: object) => {
      const path = `${account}/projects/shop/variables/${name}`;
      const body = JSON.stringify({ environments: ["production", "preview"], ...variable });
      expect((await caller.raw("PUT", path, body)).status).toBe(200);
      await server.catchUp();
    };

    test("maps tokens by any keys, and rebuilds what a limited caller uploaded with its limits", async () => {
      const mapping = files(jwt({ issuer: provider.issuer, keys: [own.jwk], ...map }));
      const deployed = await deploy(server, place(), mapping);
      expect(await call(deployed, "/who", await forged())).toMatchObject({
        status: 200,
        body: { "x-consumer-name": "acme" },
      });
      const at = place();
      await build(limited["a person with a role in the project"], at, mapping);
      const { data } = (await client.get(`${account}/projects/shop/deployments`)).body;
      const name = data.find(({ branchName }: { branchName: string }) => branchName === at.branch).name;
      expect((await rebuild(client, at, name)).status.status).toBe("ERROR");
      const { body } = await client.post(`/v1/deployments/${name}/$promote`, { from: deployed.name });
      expect((await settledStatus(client, at, body.statusId)).status).toBe("SUCCESS");
      // Nor does a limited caller get more by building what another caller uploaded.
      const person = limited["a person with a role in the project"];
      expect((await rebuild(person, at, name)).status.status).toBe("ERROR");
    });

    test("does not trust a secret that a limited caller set", async () => {
      const person = limited["a person with a role in the project"];
      await setVariable(client, "SIGNING_KEY", {
        value: encoded("a secret of at least 32 characters"),
        isSecret: true,
      });
      const keys = [{ kty: "oct", k: "${SIGNING_KEY}" }];
      const deployed = await deploy(server, place(), files(jwt({ keys, algorithms: ["HS256"], ...map })));
      const token = await withSecret("a secret of at least 32 characters");
      expect(await call(deployed, "/who", token)).toMatchObject({ status: 200 });
      const chosen = "a secret that the person has chosen";
      await setVariable(person, "SIGNING_KEY", { value: encoded(chosen), isSecret: true });
      expect(await call(deployed, "/who", await withSecret(chosen))).toMatchObject({
        status: 403,
        body: { code: "token_not_allowed" },
      });
      await setVariable(client, "SIGNING_KEY", { value: encoded(chosen), isSecret: true });
      expect(await call(deployed, "/who", await withSecret(chosen))).toMatchObject({ status: 200 });
    });

    test("does not build with a plain variable that a limited caller set", async () => {
      const person = limited["a person with a role in the project"];
      const mapping = files(jwt({ issuer: "${TOKEN_ISSUER}", ...map }));
      await setVariable(client, "TOKEN_ISSUER", { value: provider.issuer });
      expect((await build(client, place(), mapping)).status.status).toBe("SUCCESS");
      await setVariable(person, "TOKEN_ISSUER", { value: "https://evil.example" });
      const { status } = await build(client, place(), mapping);
      expect(status.status).toBe("ERROR");
      expect(status.buildResult.errors[0].message).toContain("a variable in its options was set by a caller");
    });
  });
});
