import type { Client } from "../support/client.ts";
import { newKeyHolder, verdict } from "../support/key-holder.ts";
import { subscribed, usageEvent } from "../support/metering.ts";
import { allScopes, portalPath } from "../support/portal.ts";
import { deploy, openApi } from "../support/project.ts";
import type { TestServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { furnish, type Neighbours, publicUrl } from "./furnish.ts";

/** Fixed settings, so that recorded addresses are the same everywhere. */
export const settings = {
  TOLLGATE_GATEWAY_URL: "http://{name}.gateway.test",
  TOLLGATE_PORTAL_URL: "https://{name}.portal.test",
  TOLLGATE_PUBLIC_URL: publicUrl,
};

/** Responses of a server of the release, which later versions must return too. */
export interface Released {
  /** The server's time. */
  time: string;
  /** The responses of GET, by path. */
  reads: Record<string, unknown>;
  /** The bucket of the keys, and the response of verify-key for each. */
  bucket: string;
  verdicts: Record<string, string>;
  /** Created with an Idempotency-Key. */
  idempotent: { path: string; key: string; response: unknown };
  subscription: { bucket: string; path: string; event: object; used: number };
  deployment: { host: string; key: string };
}

/** What needs an ACME server, or more requests a second than are recorded. */
export const rowsOfOtherServices = `
  INSERT INTO acme_accounts (directory, private_key, created_on) SELECT 'https://acme.example/directory', sealed, 1 FROM api_keys WHERE sealed IS NOT NULL LIMIT 1;
  INSERT INTO acme_challenges (token, key_authorization, created_on) VALUES ('token', 'token.thumbprint', 1);
  INSERT INTO certificates (host, due_on, failures) SELECT host, 9999999999999, 1 FROM domains;
  INSERT INTO omitted_requests (deployment_seq, minute, account_seq, successes, failures) SELECT seq, 29000000, account_seq, 3, 1 FROM deployments;
`;

/** Creates data of every kind. */
export async function fill(server: TestServer, neighbours: Neighbours): Promise<Released> {
  const { client } = server;
  const bucket = `/v1/accounts/${account}/key-buckets/main`;
  const holder = await newKeyHolder(client, {
    bucket,
    bucketOptions: { isRetrievable: true },
    metadata: { plan: "gold", nested: { text: 'it\'s "quoted"\nand long: äöü 😀' } },
    tags: { region: "eu" },
  });
  const expiresOn = new Date(server.clock.now() - 1000).toISOString();
  const values: string[] = [];
  let last = "";
  for (const body of [
    { description: "generated" },
    { key: "supplied-by-the-customer-1234" },
    { description: "expired", expiresOn },
    { description: "revoked" },
  ]) {
    last = (await post(client, holder.keys, body)).id;
    values.push((await client.get(`${holder.keys}/${last}?key-format=visible`)).body.key);
  }
  await client.delete(`${holder.keys}/${last}`);
  await post(client, `${holder.path}/managers`, { email: "jo@example.com", sub: "auth|jo" });
  await post(client, `${holder.path}/manager-invites`, { email: "kim@example.com" });
  await newKeyHolder(client, { bucket, name: "beta" });
  const idempotentResponse = await client.post(holder.keys, { description: "once" }, { "idempotency-key": "released" });

  const furnished = await furnish(server, neighbours);
  const metered = await subscribed(client);
  const event = usageEvent({ requests: 7 });
  await post(client, `${metered.bucket}/events`, event);
  await post(client, `${metered.path}/quotas/consume`, { meters: { requests: 5 } });
  await post(client, `/v1/accounts/${account}/tokens`, { role: "reader", name: "dashboard" });

  const place = { project: "shop", branch: "main" };
  const deployed = await deploy(server, place, projectOf(metered.bucket));
  const key = values[0]!;
  const call = async () => {
    const called = await deployed.call("/hello/jo", { headers: { authorization: `Bearer ${key}` } });
    if ((await called.text()) !== "hello jo") throw new Error(`The deployment returned ${called.status}`);
  };
  await call();
  const verdicts: Released["verdicts"] = {};
  for (const value of values) verdicts[value] = await verdict(client, bucket, value);
  // Writes the gateway's counts, and when keys were used: first uses and later ones are stored separately.
  await server.restart();
  server.clock.advance(120_000);
  await verdict(client, bucket, key);
  await call();
  await server.restart();
  // Expires after a minute.
  await post(client, `${portalPath()}/sessions`, { consumerName: "weather", subject: "jo", scopes: allScopes });

  const paths = [
    `/v1/accounts/${account}/key-buckets`,
    `${bucket}/consumers?include-api-keys=true&include-managers=true&include-manager-invites=true&key-format=visible`,
    `${holder.path}?include-api-keys=true&key-format=masked`,
    `${holder.keys}?key-format=visible`,
    `${metered.bucket}/plans`,
    `${metered.bucket}/subscriptions`,
    `${metered.path}/usage`,
    `${metered.path}/usage/history`,
    `/v1/accounts/${account}/tokens`,
    `/v1/accounts/${account}/projects/shop/deployments`,
    `/v1/accounts/${account}/projects/shop/deployment-status/${deployed.statusId}`,
    `/v1/deployments/${deployed.name}`,
    `/v1/deployments/${deployed.name}/versions`,
    ...furnished,
  ];
  const reads: Released["reads"] = {};
  // A domain is checked again after the start.
  const isStored = (name: string) => name !== "checkedOn" && name !== "message";
  for (const path of paths)
    reads[path] = JSON.parse(
      JSON.stringify(await read(client, path), (name, value) => (isStored(name) ? value : undefined)),
    );
  return {
    time: new Date(server.clock.now()).toISOString(),
    reads,
    bucket,
    verdicts,
    idempotent: { path: holder.keys, key: "released", response: idempotentResponse.body },
    subscription: { bucket: metered.bucket, path: metered.path, event, used: 14 },
    deployment: { host: new URL(deployed.url).hostname, key },
  };
}

const projectOf = (meteringBucket: string) => ({
  "openapi.json": openApi({
    "/hello/{name}": {
      parameters: [{ name: "name", in: "path", required: true, schema: { type: "string" } }],
      "x-tollgate": { handler: "modules/hello.ts", policies: ["keys", "quota", "limit"] },
    },
  }),
  "tollgate.json": {
    policies: {
      keys: { type: "api-key", options: { bucket: "main" } },
      quota: { type: "quota", options: { bucketId: meteringBucket.split("/").at(-1), meters: { requests: 1 } } },
      limit: { type: "rate-limit", options: { requests: 1000, windowSeconds: 60 } },
    },
  },
  "modules/hello.ts":
    'export default (_: Request, context: { params: Record<string, string> }) => new Response("hello " + context.params.name);',
});

async function post(client: Client, path: string, body: object) {
  const response = await client.post(path, body);
  if (response.status >= 300) throw new Error(`POST ${path}: ${response.text}`);
  return response.body;
}

export async function read(client: Client, path: string): Promise<unknown> {
  const response = await client.get(path);
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.text}`);
  return response.body;
}
