import { expect } from "bun:test";
import { type TokenRole, tokenRoles } from "../src/core/access.ts";
import { profile } from "../test/support/billing.ts";
import type { Client, ClientResponse } from "../test/support/client.ts";
import { subscriptionInput } from "../test/support/metering.ts";
import { signedIn } from "../test/support/people.ts";
import { type Branch, build, openApi, requestUpload } from "../test/support/project.ts";
import { until } from "../test/support/until.ts";

const project = "orders";

/** An account with one resource of each kind. */
export interface World {
  account: string;
  /** Values of path parameters, by the name in the description. */
  parameters: Record<string, string>;
  /** The token values, one of each role. */
  tokens: Record<TokenRole, string>;
  /** A plan that subscriptions may have. */
  plan: { id: string; planExternalId: string };
  /** The key of the consumer. */
  key: string;
  /** A live deployment of another branch, if the world is built. */
  staging: string | undefined;
  /** The token of the upload URL. */
  uploadToken: string;
}

export interface WorldOptions {
  /** Builds its deployment twice, so that it serves and has a previous version. */
  isBuilt?: boolean;
}

export async function furnishWorld(operator: Client, account: string, options: WorldOptions = {}): Promise<World> {
  const inAccount = `?accountName=${account}`;
  const path = `/v1/accounts/${account}`;
  await done(operator.post("/v1/accounts", { name: account }));
  const tokens = {} as Record<TokenRole, string>;
  for (const role of tokenRoles) tokens[role] = (await done(operator.post(`${path}/tokens`, { role }))).token;
  const spareToken = await done(operator.post(`${path}/tokens`, { role: "reader" }));

  const member = await done(operator.post(`${path}/members`, { email: `ada+${account}@acme.example`, role: "reader" }));
  const trustedIssuer = await done(
    operator.post(`${path}/trusted-issuers`, { issuer: "https://ci.example", subject: "job", role: "editor" }),
  );
  const credential = { accessKeyId: "id", secretAccessKey: "secret" };
  const to = { url: "s3://bucket/prefix", endpoint: "http://127.0.0.1:9", credential };
  const exported = await done(
    operator.post(`${path}/exports`, { name: "lake", to, kinds: ["events"], format: "ndjson" }),
  );
  const { sessionId } = await signedIn(operator, tokens.reader);

  const consumer = await done(
    operator.post(`${path}/key-buckets/main/consumers?with-api-key=true`, {
      name: "acme",
      tags: { plan: "gold" },
      managers: [{ sub: "manager", email: "manager@acme.example" }, "invited@acme.example"],
    }),
  );
  await done(operator.raw("PUT", `${path}/billing-profile`, JSON.stringify(profile)));
  // Its clock can be moved, and it can be deleted with its invoices.
  const { id: bucketId } = await done(operator.post(`/v1/metering${inAccount}`, { isTest: true }));
  const meters = { requests: { max: 1000 } };
  const price = { currency: "EUR", amount: "10.00", interval: "month" };
  const newPlan = (planExternalId: string) =>
    done(operator.post(`/v1/metering/${bucketId}/plans${inAccount}`, { label: "Gold", planExternalId, meters, price }));
  const plan = await newPlan("price_world");
  const sparePlan = await newPlan("price_spare");
  const subscription = await done(
    operator.post(`/v1/metering/${bucketId}/subscriptions${inAccount}`, subscriptionInput([plan])),
  );
  const invoices = await done(operator.get(`/v1/metering/${bucketId}/invoices${inAccount}`));
  // The event of the example that takes one back.
  const event = { specversion: "1.0", id: "3e4a1c", source: "gateway-1", type: "usage" };
  const usage = { ...event, subject: subscription.customerKey, data: { [Object.keys(plan.meters)[0]!]: 1 } };
  await done(operator.post(`/v1/metering/${bucketId}/events${inAccount}`, usage));
  const grants = `/v1/metering/${bucketId}/customers/${subscription.customerKey}/grants${inAccount}`;
  const grant = await done(operator.post(grants, { meter: "requests", amount: 5, funding: "paid" }));
  const packs = `/v1/metering/${bucketId}/credit-packs${inAccount}`;
  const newPack = (packExternalId: string) =>
    done(
      operator.post(packs, {
        ...{ packExternalId, label: "Credit", price: { currency: "EUR", amount: "5.00" } },
        grant: { meter: "requests", amount: 10 },
      }),
    );
  const pack = await newPack("pack_world");
  const sparePack = await newPack("pack_spare");
  const past = { from: "2025-10-01T00:00:00.000Z", to: "2026-01-01T00:00:00.000Z", plans: {} };
  const simulation = await operator.post(`/v1/metering/${bucketId}/$simulate${inAccount}`, past);
  const purchases = `/v1/metering/${bucketId}/customers/${subscription.customerKey}/packs/$purchase${inAccount}`;
  const returnUrl = "https://app.example.com/";
  const { purchaseId } = await done(operator.post(purchases, { packExternalId: pack.packExternalId, returnUrl }));
  const ofPurchases = purchases.replace("/$purchase", "");
  const bought = await done(operator.get(ofPurchases));
  const sale = `/v1/metering/${bucketId}/invoices/${bought.data[0].invoiceId}`;
  await done(operator.post(`${sale}/$mark-paid${inAccount}`));
  const method = `/v1/metering/${bucketId}/customers/${subscription.customerKey}/payment-method${inAccount}`;
  await done(operator.raw("PUT", method, JSON.stringify({ type: "sandbox", behavior: "fails" })));
  const { holdId } = await done(
    operator.post(`${path}/key-buckets/main/verify-key`, {
      key: consumer.apiKeys[0].key,
      hold: { bucketId, meters: { requests: 1 } },
    }),
  );
  // No server listens there, and every event would be attempted several times.
  const webhook = await done(operator.post(`${path}/webhooks`, { url: "http://127.0.0.1:9/", events: ["key.*"] }));
  const delivery = await done(operator.post(`${path}/webhooks/${webhook.id}/test`));
  await done(operator.raw("PUT", `${path}/projects/${project}/variables/REGION`, JSON.stringify({ value: "eu-west" })));
  const view = await done(operator.post(`${path}/views`, { name: "All keys", page: "keys", search: "" }));
  const configuration = await done(operator.post(`${path}/configuration/$plan`, { configuration: { version: 1 } }));
  const place: Branch = { accountName: account, project, branch: "main" };
  if (options.isBuilt) for (const version of ["one", "two"]) await built(operator, place, version);
  if (options.isBuilt) await built(operator, { ...place, branch: "staging" }, "three");
  const jobId = options.isBuilt ? await largeJob(operator, path) : "job_000000000000000000000000";
  const upload = await requestUpload(operator, place);
  const deployments = await done(operator.get(`${path}/projects/${project}/deployments`));
  const domain = await done(
    operator.post(`${path}/domains`, {
      host: `api.${account.replaceAll("_", "-")}.example`,
      deploymentName: deployments.data[0].name,
    }),
  );
  const portal = `${path}/key-buckets/main/portal`;
  const { url: portalUrl } = await done(
    operator.raw("PUT", portal, JSON.stringify({ title: "Weather", oauth: { isEnabled: true } })),
  );
  const redirectUris = ["https://app.acme.example/callback"];
  const oauthClient = await done(operator.post(`${portal}/oauth-clients`, { name: "App", redirectUris }));
  const authorizationId = await authorizedByCustomer(operator, portal, portalUrl);
  const visitor = { email: "visitor@acme.example" };
  const accessRequest = await done(operator.post(`${path}/key-buckets/main/portal/access-requests`, visitor));
  return {
    account,
    parameters: {
      invitingAccount: account,
      accountName: account,
      tokenId: spareToken.id,
      memberId: member.id,
      trustedIssuerId: trustedIssuer.id,
      exportName: exported.name,
      sessionId,
      bucketName: "main",
      consumerName: "acme",
      keyId: consumer.apiKeys[0].id,
      managerId: consumer.managers[0].id,
      inviteId: consumer.managerInvites[0].id,
      accessRequestId: accessRequest.id,
      oauthClientId: oauthClient.id,
      authorizationId,
      bucketId,
      planId: sparePlan.id,
      subscriptionId: subscription.id,
      customerKey: subscription.customerKey,
      invoiceId: invoices.data[0].id,
      grantId: grant.id,
      packId: sparePack.id,
      simulationId: simulation.body.id,
      purchaseId,
      holdId,
      mode: "test",
      webhookId: webhook.id,
      deliveryId: delivery.id,
      domainId: domain.id,
      viewId: view.id,
      configurationPlanId: configuration.planId,
      variableName: "REGION",
      jobId,
      requestId: options.isBuilt
        ? await servedRequest(operator, path, deployments.data[0].url)
        : "req_000000000000000000000000",
      projectName: project,
      deploymentName: deployments.data[0].name,
      versionNumber: "1",
      statusId: upload.statusId,
      archive: `${upload.statusId}.tar.gz`,
    },
    tokens,
    plan,
    key: consumer.apiKeys[0].key,
    staging: deployments.data.find(({ label }: { label: string }) => label === "staging")?.name,
    uploadToken: upload.path.split("?token=")[1]!,
  };
}

/** The id of an authorization: a customer creates a service client in the portal. */
async function authorizedByCustomer(operator: Client, portal: string, portalUrl: string): Promise<string> {
  const scopes = ["keys:read", "keys:write"];
  const { url } = await done(operator.post(`${portal}/sessions`, { consumerName: "acme", subject: "user-1", scopes }));
  const { host, port } = new URL(portalUrl);
  const send = (path: string, body: object, cookie = "") =>
    fetch(`http://127.0.0.1:${port}/portal/api/${path}`, {
      method: "POST",
      headers: { host, origin: portalUrl, "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
  const signedIn = await send("session", { code: new URLSearchParams(new URL(url).hash.slice(1)).get("code") });
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  expect((await send("oauth-clients", { name: "Import" }, cookie)).status).toBe(200);
  return (await done(operator.get(`${portal}/authorizations`))).data[0].id;
}

/** A project without dependencies. */
export function handlerProject(response: string) {
  return {
    "openapi.json": openApi({ "/hello": { "x-tollgate": { handler: "modules/hello.ts" } } }),
    "modules/hello.ts": `export default () => new Response(${JSON.stringify(response)});`,
  };
}

async function built(operator: Client, place: Branch, version: string): Promise<void> {
  const { status } = await build(operator, place, handlerProject(version));
  expect(status).toMatchObject({ status: "SUCCESS" });
}

/** A job that changes more keys than a single request. */
async function largeJob(operator: Client, account: string): Promise<string> {
  const bucket = `${account}/key-buckets/many`;
  await done(operator.post(`${bucket}/consumers`, { name: "many" }));
  const keys = Array.from({ length: 600 }, () => ({}));
  for (let batch = 0; batch < 2; batch++) await done(operator.post(`${bucket}/consumers/many/keys/$bulk`, keys));
  const { status, body } = await operator.post(`${bucket}/keys/$update`, {
    where: { enabled: true },
    set: { description: "changed" },
  });
  expect(status).toBe(202);
  await until(async () => (await done(operator.get(`${account}/jobs/${body.jobId}`))).state === "succeeded", {
    withinMs: 30_000,
    what: "a job to end",
  });
  // The keys are no longer needed, and would be compared after every request.
  expect((await operator.delete(`${bucket}?force=true`)).status).toBe(204);
  return body.jobId;
}

/** The id of a request that the deployment served. */
async function servedRequest(operator: Client, account: string, url: string): Promise<string> {
  const { host, port } = new URL(url);
  const response = await fetch(`http://127.0.0.1:${port}/hello`, { headers: { host } });
  expect(response.status).toBe(200);
  return until(async () => (await done(operator.get(`${account}/requests`))).data[0]?.id as string | undefined, {
    what: "the record of a request",
  });
}

async function done(response: Promise<ClientResponse>): Promise<ClientResponse["body"]> {
  const { status, text, body } = await response;
  expect({ status, text }).toEqual({ status: 200, text });
  return body;
}
