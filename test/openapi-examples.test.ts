import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { invoicesOf, monthly, moveTo, perUnit, setProfile } from "./support/billing.ts";
import { A, D, endpoints, isForOwnPages, isOfStripe, M, P } from "./support/endpoints.ts";
import { sqlite } from "./support/engines.ts";
import { createPlan, subscribe } from "./support/metering.ts";
import { deploy, openApi, settledStatus } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests examine an OpenAPI document of unknown shape.
type Json = any;

// The document does not depend on the engine.
let server: TestServer;
let document: Json;
beforeAll(async () => {
  server = await startServer(sqlite);
  document = await (await fetch(`${server.url}/openapi.json`)).json();
});
afterAll(() => server.stop());

/** The examples of the reference must work when pasted. */
describe("the example of a request is accepted:", () => {
  const client = () => server.client.as(operatorToken);
  const bucket = "/v1/accounts/default/key-buckets/examples";
  const values: Record<string, string> = { accountName: "default", bucketName: "examples" };

  /** Begins a canary release, and returns what the example of an operation on it must name. */
  async function withCanary(path: string): Promise<object> {
    const deployment = `/v1/deployments/${values.deploymentName}`;
    const traffic = `${deployment}/traffic?accountName=default`;
    const live = (await client().get(traffic)).body.liveVersionNumber;
    const splits = [live, live === 1 ? 2 : 1].map((versionNumber) => ({ versionNumber, weight: 1 }));
    await client().raw("PUT", traffic, JSON.stringify({ splits }));
    return path.endsWith("/$test") ? { versionNumber: live } : {};
  }

  /** Operations of billing use up what they are called for: a draft, open invoices, an active subscription. */
  async function prepareBilling(bucket: string): Promise<void> {
    await setProfile(server.client);
    const plan = await createPlan(server.client, bucket, { ...monthly("10.00"), rates: { requests: perUnit("0.01") } });
    const billed = await subscribe(server.client, bucket, [plan], { customerKey: "billed" });
    const [open] = await invoicesOf(server.client, bucket, `?subscriptionId=${billed.id}`);
    const voided = await subscribe(server.client, bucket, [plan], { customerKey: "voided" });
    const [other] = await invoicesOf(server.client, bucket, `?subscriptionId=${voided.id}`);
    const given = await subscribe(server.client, bucket, [plan], { customerKey: "given-up" });
    const [givenUp] = await invoicesOf(server.client, bucket, `?subscriptionId=${given.id}`);
    const confirmed = await subscribe(server.client, bucket, [plan], { customerKey: "confirmed" });
    const method = JSON.stringify({ type: "sandbox", behavior: "needs-action" });
    await server.client.raw("PUT", `${bucket}/customers/confirmed/payment-method`, method);
    const [waiting] = await invoicesOf(server.client, bucket, `?subscriptionId=${confirmed.id}`);
    await moveTo(server.client, bucket, billed.nextBillingCycle);
    const [draft] = await invoicesOf(server.client, bucket, "?status=draft");
    const units = { meter: "requests", amount: 5, funding: "paid" };
    const { body: grant } = await server.client.post(`${bucket}/customers/billed/grants`, units);
    Object.assign(values, { mode: "test", customerKey: "billed", invoiceId: open.id, grantId: grant.id });
    Object.assign(values, { billedId: billed.id, draftId: draft.id, voidedId: other.id, givenUpId: givenUp.id });
    Object.assign(values, { pausedId: given.id, waitingId: waiting.id });
    const price = { currency: "EUR", amount: "10.00" };
    const spare = { packExternalId: "credits_1000", label: "Credit", price, grant: { meter: "requests", amount: 10 } };
    const { body: pack } = await server.client.post(`${bucket}/credit-packs`, spare);
    const succeeds = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
    await server.client.raw("PUT", `${bucket}/customers/billed/payment-method`, succeeds);
    const bought = { packExternalId: "credits_1000", returnUrl: "https://app.example.com/" };
    const { body: purchase } = await server.client.post(`${bucket}/customers/billed/packs/$purchase`, bought);
    await server.client.delete(`${bucket}/customers/billed/payment-method`);
    const past = { from: "2025-10-01T00:00:00.000Z", to: "2026-01-01T00:00:00.000Z", plans: {} };
    const { body: simulation } = await server.client.post(`${bucket}/$simulate`, past);
    Object.assign(values, { simulationId: simulation.id, packId: pack.id, purchaseId: purchase.purchaseId });
  }

  /** The values for operations that another one would make impossible. */
  function valuesOf(path: string): Record<string, string | undefined> {
    if (path.endsWith("$finalize")) return { ...values, invoiceId: values.draftId };
    if (path.endsWith("$mark-uncollectible")) return { ...values, invoiceId: values.givenUpId };
    if (path.endsWith("$confirm")) return { ...values, invoiceId: values.waitingId };
    if (path.endsWith("$void")) return { ...values, invoiceId: values.voidedId };
    if (path.endsWith("$release")) return { ...values, holdId: values.releasedId };
    if (path.endsWith("$pause")) return { ...values, subscriptionId: values.pausedId };
    return /\$change|\$cancel|\$resume/.test(path) ? { ...values, subscriptionId: values.billedId } : values;
  }

  beforeAll(async () => {
    const holder = await client().post(`${bucket}/consumers?with-api-key=true`, {
      name: "holder",
      managers: [{ sub: "holder" }],
    });
    values.keyId = holder.body.apiKeys[0].id;
    values.managerId = holder.body.managers[0].id;
    const invited = await client().post(`${bucket}/consumers`, { name: "invited", managers: ["new@acme.example"] });
    values.inviteId = invited.body.managerInvites[0].id;

    const metering = await server.client.post("/v1/metering", { isTest: true });
    values.bucketId = metering.body.id;
    const meters = { requests: { max: 10 } };
    const base = { label: "Base", planExternalId: "price_base", meters };
    const plan = await server.client.post(`/v1/metering/${values.bucketId}/plans`, base);
    values.planId = plan.body.id;
    const subscription = await server.client.post(`/v1/metering/${values.bucketId}/subscriptions`, {
      ...exampleOf("post", `${M}/subscriptions`),
      planIds: [values.planId],
      planExternalIds: ["price_base"],
      subscriptionExternalId: "sub_base",
    });
    values.subscriptionId = subscription.body.id;
    await prepareBilling(`/v1/metering/${values.bucketId}`);
    const { body: acme } = await client().post(`${bucket}/consumers?with-api-key=true`, { name: "held" });
    await subscribe(server.client, `/v1/metering/${values.bucketId}`, [plan.body], { customerKey: "held" });
    const hold = { bucketId: values.bucketId, meters: { requests: 1 } };
    const held = () => client().post(`${bucket}/verify-key`, { key: acme.apiKeys[0].key, hold });
    values.holdId = (await held()).body.holdId;
    values.releasedId = (await held()).body.holdId;

    const files = { "openapi.json": openApi({ "/": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }) };
    const { name } = await deploy(server, { project: "examples", branch: "main" }, files);
    await deploy(server, { project: "examples", branch: "main" }, files);
    values.deploymentName = name;
    values.staging = (await deploy(server, { project: "examples", branch: "staging" }, files)).name;

    const domain = { host: "www.acme.example", deploymentName: name };
    const view = { name: "All keys", page: "keys", search: "" };
    values.viewId = (await client().post("/v1/accounts/default/views", view)).body.id;
    const plan0 = { configuration: { version: 1 } };
    values.configurationPlanId = (await client().post("/v1/accounts/default/configuration/$plan", plan0)).body.planId;
    const member = { email: "ada@examples.example", role: "reader" };
    values.memberId = (await client().post("/v1/accounts/default/members", member)).body.id;
    values.domainId = (await client().post("/v1/accounts/default/domains", domain)).body.id;
    const credential = { accessKeyId: "id", secretAccessKey: "secret" };
    const to = { url: "s3://examples/prefix", endpoint: "http://127.0.0.1:9", credential };
    const exported = { name: "examples", to, kinds: ["events"], format: "ndjson", isEnabled: false };
    values.exportName = (await client().post("/v1/accounts/default/exports", exported)).body.name;
    const issuer = { issuer: "https://ci.example", subject: "job", role: "editor" };
    values.trustedIssuerId = (await client().post("/v1/accounts/default/trusted-issuers", issuer)).body.id;

    await client().raw("PUT", `${bucket}/portal`, JSON.stringify({ title: "Weather" }));

    // No server listens there.
    const webhooks = "/v1/accounts/default/webhooks";
    const webhook = await client().post(webhooks, { url: "http://127.0.0.1:9/", events: ["*"] });
    values.webhookId = webhook.body.id;
    values.deliveryId = (await client().post(`${webhooks}/${values.webhookId}/test`)).body.id;
  });

  const exampleOf = (method: string, path: string): Json =>
    document.paths[path][method].requestBody?.content["application/json"].example;

  /** Plan ids are generated by the server, so the example's id is replaced. */
  const goldPlans = async (): Promise<Json> => {
    const path = `/v1/metering/${values.bucketId}/plans?planExternalId=price_gold`;
    return { planIds: (await server.client.get(path)).body.data.map((plan: Json) => plan.id) };
  };

  const withBody = endpoints.filter(
    ([method, path]) =>
      (method === "post" || method === "patch") &&
      !isForOwnPages(method, path) &&
      // A token has no invitations.
      !path.includes("{invitingAccount}") &&
      // They need Stripe, and have separate tests.
      !isOfStripe(path) &&
      !path.endsWith("$payment-portal"),
  );
  test.each(withBody)("%s %s", async (method, path) => {
    const example = exampleOf(method, path);
    if (path === `${M}/subscriptions`) Object.assign(example, await goldPlans());
    if (path === `${A}/configuration/$apply`) Object.assign(example, { planId: values.configurationPlanId });
    // Deployment names are generated, too.
    if (path === `${A}/domains`) Object.assign(example, { deploymentName: values.deploymentName });
    if (path === `${A}/domains/{domainId}`)
      for (const mount of example.mounts ?? []) mount.deploymentName = values.deploymentName;
    if (path === `${D}/$promote`) Object.assign(example, { from: values.staging });
    if (path === `${P}/portal/sessions` || path === `${P}/portal/$view`)
      Object.assign(example, { consumerName: "holder" });
    if (path.includes("{accessRequestId}"))
      values.accessRequestId = (
        await client().post(`${bucket}/portal/access-requests`, { email: `${path.split("$")[1]}@acme.example` })
      ).body.id;
    if (path.includes("{oauthClientId}"))
      values.oauthClientId = (
        await client().post(`${bucket}/portal/oauth-clients`, { name: "App", redirectUris: ["http://127.0.0.1/"] })
      ).body.id;
    if (path === `${D}/$try`)
      Object.assign(example.key, { bucketName: "examples", consumerName: "holder", keyId: values.keyId });
    if (path.startsWith(`${D}/traffic/`)) Object.assign(example, await withCanary(path));
    const consumerName = path.includes("{inviteId}") ? "invited" : "holder";
    const address = path.replace(/\{(\w+)\}/g, (_, name) => ({ ...valuesOf(path), consumerName })[name as string]!);
    const account = path.includes("{accountName}") || path === "/v1/accounts" ? "" : "?accountName=default";
    const response = await client().raw(method.toUpperCase(), address + account, JSON.stringify(example));
    expect(response).toMatchObject({
      status: /\/(roll-key|\$release)$/.test(path) ? 204 : /\/\$(leaked|simulate)$/.test(path) ? 202 : 200,
    });
    if (path.endsWith("/verify-key")) expect(response.body.code).toBe("not_found");
    // A version that becomes live later would end the canary release of another example.
    if (path === `${D}/deploy`) await settledStatus(client(), { project: "examples" }, response.body.statusId);
  });
});
