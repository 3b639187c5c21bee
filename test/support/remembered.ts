import { expect } from "bun:test";
import type { Client, ClientResponse } from "./client.ts";
import type { DnsServer } from "./dns-server.ts";
import { domainsPath, settledDomain } from "./domains.ts";
import { newKeyHolder, verdict } from "./key-holder.ts";
import { subscribed, unique } from "./metering.ts";
import { authorizationIn, OAuthPortal } from "./oauth.ts";
import { callHost, type Deployed, deploy, openApi } from "./project.ts";
import type { TestServer } from "./server.ts";
import { account } from "./server-settings.ts";
import { versionOf } from "./versioned-project.ts";

/** Data that a node caches, and an operation that makes it outdated. */
export interface Remembered {
  /** The kind of the change that the operation records. */
  kind: string;
  /** Sends the operation to a node. */
  change(by: Client): Promise<ClientResponse>;
  /** Reads the node's cached data. */
  look(): Promise<unknown>;
  before: unknown;
  after: unknown;
}

export interface RememberedOptions {
  node: TestServer;
  dns: DnsServer;
  /** Responds with the first part of the request's path. */
  upstream: Bun.Server<unknown>;
}

const tokens = `/v1/accounts/${account}/tokens`;
const good = new Set([200, 204]);

/** Cached data, by the operation that makes it outdated. Each prepares its own scene on the node. */
export const remembered: Record<string, (options: RememberedOptions) => Promise<Remembered>> = {
  "a key deleted": (options) =>
    ofKey(options, "key.deleted", "not_found", ({ keys, id }) => ["DELETE", `${keys}/${id}`]),
  "a key disabled": (options) =>
    ofKey(options, "key.updated", "disabled", ({ keys, id }) => ["PATCH", `${keys}/${id}`, { isEnabled: false }]),
  "keys deleted together": (options) =>
    ofKey(options, "keys.deleted", "not_found", ({ bucket, id }) => ["POST", `${bucket}/keys/$delete`, { ids: [id] }]),
  "keys disabled together": (options) =>
    ofKey(options, "keys.updated", "disabled", ({ bucket, id }) => [
      "POST",
      `${bucket}/keys/$update`,
      { ids: [id], set: { isEnabled: false } },
    ]),
  "the keys of a consumer rolled": (options) =>
    ofKey(options, "key.rolled", "expired", ({ path }) => [
      "POST",
      `${path}/roll-key`,
      { expiresOn: "2000-01-01T00:00:00Z" },
    ]),
  "a consumer deleted": (options) => ofKey(options, "consumer.deleted", "not_found", ({ path }) => ["DELETE", path]),
  "consumers deleted together": (options) =>
    ofKey(options, "consumers.deleted", "not_found", ({ bucket }) => [
      "POST",
      `${bucket}/consumers/$delete`,
      { names: ["acme"] },
    ]),
  "a key bucket deleted": async ({ node: { client } }) => {
    const holder = await newKeyHolder(client);
    const { key } = (await client.post(holder.keys, {})).body;
    return {
      kind: "bucket.deleted",
      change: (by) => by.delete(`${holder.bucket}?force=true`),
      look: async () => (await client.post(`${holder.bucket}/verify-key`, { key })).body.valid ?? false,
      before: true,
      after: false,
    };
  },
  "a token deleted": async ({ node: { client } }) => {
    const { id, token } = (await client.post(tokens, { role: "admin" })).body;
    return {
      kind: "token.deleted",
      change: (by) => by.delete(`${tokens}/${id}`),
      look: async () => (await client.as(token).get("/v1/who-am-i")).status,
      before: 200,
      after: 401,
    };
  },
  "an authorization ended": (options) =>
    ofAuthorization(options, "authorization.ended", ({ portal, id }) => ["DELETE", `${portal}/authorizations/${id}`]),
  "OAuth turned off": (options) =>
    ofAuthorization(options, "portal.updated", ({ portal }) => ["PUT", portal, { title: "Off" }]),
  "signing keys revoked": (options) =>
    ofAuthorization(options, "oauth-key.deleted", ({ portal }) => [
      "POST",
      `${portal}/oauth-keys/$rotate`,
      { revokesTokens: true },
    ]),
  "a session ended": async ({ node }) => {
    const { token } = (await node.client.post(tokens, { role: "admin" })).body;
    const browser = node.client.anonymous();
    const headers = { origin: node.url, "content-type": "application/json" };
    const signedIn = await browser.post("/v1/sessions", { token }, headers);
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    return {
      kind: "session.deleted",
      // Uses the token of the session, since a node accepts cookies only from its own pages.
      change: (by) => by.as(token).delete(`/v1/sessions/${signedIn.body.id}`),
      look: async () => (await browser.get("/v1/who-am-i", { cookie })).status,
      before: 200,
      after: 401,
    };
  },
  "a plan lowered": (options) =>
    ofQuota(options, "plan.updated", ({ bucket, plan }) => [
      "PATCH",
      `${bucket}/plans/${plan.id}`,
      { meters: { requests: { max: 0 } } },
    ]),
  "a subscription canceled": (options) =>
    ofQuota(options, "subscription.updated", ({ path }) => ["PATCH", path, { status: "canceled" }]),
  "a subscription deleted": (options) => ofQuota(options, "subscription.deleted", ({ path }) => ["DELETE", path]),
  "a version rolled back": async ({ node, upstream }) => {
    const { name, call } = await twoVersions(node, upstream);
    return {
      kind: "deployment.activated",
      change: (by) => by.post(`/v1/deployments/${name}/rollback`),
      look: async () => (await call("/forwarded")).text(),
      before: "two",
      after: "one",
    };
  },
  "a deployment deleted": async ({ node, upstream }) => {
    const { name, call } = await twoVersions(node, upstream);
    return {
      kind: "deployment.deleted",
      change: (by) => by.delete(`/v1/deployments/${name}`),
      look: async () => (await call("/forwarded")).status,
      before: 200,
      after: 404,
    };
  },
  "a secret replaced": async ({ node, upstream }) => {
    const place = { project: unique("secret"), branch: "main" };
    const path = `/v1/accounts/${account}/projects/${place.project}/variables/PLACE`;
    const set = (by: Client, value: string) => by.raw("PUT", path, JSON.stringify({ value, isSecret: true }));
    expect((await set(node.client, "the-former-one")).status).toBe(200);
    const { call } = await deploy(node, place, {
      "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: `${upstream.url.origin}/\${PLACE}` } } }),
    });
    return {
      kind: "variable.updated",
      change: (by) => set(by, "the-next-one"),
      look: async () => (await call("/a")).text(),
      before: "the-former-one",
      after: "the-next-one",
    };
  },
  "a domain deleted": async ({ node, dns, upstream }) => {
    const { client } = node;
    const { name } = await deploy(node, { project: unique("domain"), branch: "main" }, versionOf(upstream, "one"));
    const host = `${unique("api")}.acme.example`;
    const { body } = await client.post(domainsPath(), { host, deploymentName: name });
    dns.add("TXT", body.dns[0].name, body.dns[0].value);
    const path = `${domainsPath()}/${body.id}`;
    await settledDomain(client, path, ({ checkedOn }) => checkedOn !== undefined, "the first check");
    node.clock.advance(5_001);
    await client.post(`${path}/check`);
    await settledDomain(client, path, ({ status }) => status === "active", "a check");
    return {
      kind: "domain.deleted",
      change: (by) => by.delete(path),
      look: async () => (await callHost(node.url, host, "/forwarded")).status === 200,
      before: true,
      after: false,
    };
  },
};

type Request = [method: string, path: string, body?: object];

async function ofKey(
  { node: { client } }: RememberedOptions,
  kind: string,
  after: string,
  request: (key: { bucket: string; path: string; keys: string; id: string }) => Request,
): Promise<Remembered> {
  const holder = await newKeyHolder(client);
  const { id, key } = (await client.post(holder.keys, {})).body;
  return {
    kind,
    change: (by) => send(by, request({ ...holder, id })),
    look: () => verdict(client, holder.bucket, key),
    before: "valid",
    after,
  };
}

/** A token that a program has for a customer, at the gateway. */
async function ofAuthorization(
  { node, upstream }: RememberedOptions,
  kind: string,
  request: (program: { portal: string; id: string }) => Request,
): Promise<Remembered> {
  const { bucket, keys } = await newKeyHolder(node.client);
  await node.client.post(keys, { permissions: ["read"] });
  const portal = new OAuthPortal(node, bucket.split("/").at(-1));
  const { name, call } = await deploy(
    node,
    { project: unique("program"), branch: "main" },
    {
      "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: `${upstream.url.origin}/passed` } } }),
      "tollgate.json": {
        defaultPolicies: ["oauth"],
        policies: { oauth: { type: "oauth", options: { bucket: portal.bucket } } },
      },
    },
  );
  portal.deployment = name;
  await portal.set();
  const tokens = await portal.tokens(await portal.browser("acme"));
  const program = { portal: portal.path, id: authorizationIn(tokens) };
  return {
    kind,
    change: (by) => send(by, request(program)),
    look: async () => (await call("/a", { headers: { authorization: `Bearer ${tokens.access_token}` } })).status,
    before: 200,
    after: 401,
  };
}

/** A quota at the gateway: the management API reads storage. */
async function ofQuota(
  { node, upstream }: RememberedOptions,
  kind: string,
  request: (metering: Awaited<ReturnType<typeof subscribed>>) => Request,
): Promise<Remembered> {
  const holder = await newKeyHolder(node.client);
  const { key } = (await node.client.post(holder.keys, {})).body;
  const metering = await subscribed(node.client, { meters: { requests: { max: 1000 } } });
  const { call } = await deploy(
    node,
    { project: unique("quota"), branch: "main" },
    {
      "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: `${upstream.url.origin}/passed` } } }),
      "tollgate.json": {
        defaultPolicies: ["key", "quota"],
        policies: {
          key: { type: "api-key", options: { bucket: holder.bucket.split("/").at(-1) } },
          quota: { type: "quota", options: { bucketId: metering.bucket.split("/").at(-1), meters: { requests: 1 } } },
        },
      },
    },
  );
  return {
    kind,
    change: (by) => send(by, request(metering)),
    look: async () => (await call("/a", { headers: { authorization: `Bearer ${key}` } })).status === 200,
    before: true,
    after: false,
  };
}

async function twoVersions(node: TestServer, upstream: Bun.Server<unknown>): Promise<Deployed> {
  const place = { project: unique("shop"), branch: "main" };
  await deploy(node, place, versionOf(upstream, "one"));
  return deploy(node, place, versionOf(upstream, "two"));
}

function send(by: Client, [method, path, body]: Request): Promise<ClientResponse> {
  if (body === undefined) return by.raw(method, path);
  return by.raw(method, path, JSON.stringify(body), { "content-type": "application/json" });
}

/** Sends the operation, and throws unless it succeeds. */
export async function changeBy(client: Client, { change }: Remembered): Promise<void> {
  const { status, text } = await change(client);
  if (!good.has(status)) throw new Error(`The operation returned ${status}: ${text}`);
}
