import { Stripe } from "stripe";
import { billed, invoicesOf, monthly, moveTo, newTestBucket, rated, setProfile, use } from "../support/billing.ts";
import type { Client, ClientResponse } from "../support/client.ts";
import type { FakeClock } from "../support/fake-clock.ts";
import { keyCustomer } from "../support/key-customer.ts";
import type { MailServer } from "../support/mail-server.ts";
import { MeteredModels } from "../support/metered-models.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import type { ModelProvider } from "../support/model-provider.ts";
import { OAuthPortal } from "../support/oauth.ts";
import { allScopes, PortalBrowser, portalPath } from "../support/portal.ts";
import { deploy, openApi } from "../support/project.ts";
import type { TestServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { methods } from "../support/stripe/book.ts";
import { webhookSecret } from "../support/stripe/stripe-scene.ts";
import type { StripeServer } from "../support/stripe/stripe-server.ts";
import type { WebhookReceiver } from "../support/webhook-receiver.ts";

/** What the server of a release talks to. */
export interface Neighbours {
  mail: MailServer;
  receiver: WebhookReceiver;
  stripe: StripeServer;
  provider: ModelProvider;
  /** The folder of exports. */
  exports: string;
}

type Furnished = { client: Client; server: TestServer; clock: FakeClock } & Neighbours;

const own = `/v1/accounts/${account}`;
const start = "2031-01-01T00:00:00.000Z";

/** The address that the settings of the fixture name. */
export const publicUrl = "https://tollgate.test";

/** The headers of a request from a page of the console. */
const page = { origin: publicUrl, "content-type": "application/json" };

/** Creates data in the tables that the keys, usage and deployment of `fill` leave empty. Returns what to read back. */
export async function furnish(server: TestServer, neighbours: Neighbours): Promise<string[]> {
  const at: Furnished = { client: server.client, server, clock: server.clock, ...neighbours };
  const paths: string[] = [];
  for (const part of [operations, people, gateways, sales, stripePayments, portals]) paths.push(...(await part(at)));
  return paths;
}

export async function done(response: Promise<ClientResponse>): Promise<ClientResponse["body"]> {
  const { method, path, status, text, body } = await response;
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body;
}

const put = (client: Client, path: string, body: object) => done(client.raw("PUT", path, JSON.stringify(body)));

/** Webhooks, exports, saved views, bulk changes, configuration, variables, domains. */
async function operations({ client, server, receiver, exports }: Furnished): Promise<string[]> {
  const webhook = await done(client.post(`${own}/webhooks`, { url: receiver.url(), events: ["consumer.created"] }));
  await done(client.post(`${own}/webhooks/${webhook.id}/test`));
  await done(
    client.post(`${own}/exports`, {
      name: "lake",
      to: { url: `file:${exports}/${account}` },
      kinds: ["events"],
      format: "ndjson",
    }),
  );
  await done(client.post(`${own}/views`, { name: "Gold customers", page: "consumers", search: "tag=plan%3Dgold" }));
  const keys = `${own}/key-buckets/main/consumers/bulk/keys`;
  await done(client.post(`${own}/key-buckets/main/consumers`, { name: "bulk", tags: { plan: "gold" } }));
  await done(client.post(keys, { permissions: ["orders:read"], rateLimit: { requests: 10, windowSeconds: 60 } }));
  await done(
    client.post(`${own}/key-buckets/main/consumers/$update`, { where: { q: "bulk" }, set: { isSuspended: false } }),
  );
  await done(client.post(`${own}/key-buckets/main/keys/$leaked`, { keys: ["tg_unknown"], source: "a scanner" }));
  const configuration = { version: 1, keyBuckets: { configured: { description: "By a file" } } };
  const { planId } = await done(client.post(`${own}/configuration/$plan`, { configuration, as: "platform" }));
  await done(client.post(`${own}/configuration/$apply`, { planId }));
  await done(client.post(`${own}/configuration/$plan`, { configuration: { version: 1 } }));
  await put(client, `${own}/projects/shop/variables/GREETING`, { value: "hello" });
  await put(client, `${own}/projects/shop/variables/PASSWORD`, { isSecret: true, value: "open sesame" });
  await server.catchUp();
  await receiver.wait(1);
  return [
    `${own}/webhooks`,
    `${own}/webhooks/${webhook.id}/deliveries`,
    `${own}/exports`,
    `${own}/views`,
    keys,
    `${own}/projects/shop/variables`,
    `${own}/configuration`,
  ];
}

/** Members, invitations, sign-in by mail, trusted issuers. */
async function people({ client, server, mail }: Furnished): Promise<string[]> {
  const issuer = { issuer: "https://ci.example", subject: "repo:acme/*", role: "editor", project: "shop" };
  await done(client.post(`${own}/trusted-issuers`, issuer));
  const invite = async (email: string, role: string): Promise<string> => {
    const { id } = await done(client.post(`${own}/members`, { email, role }));
    return id;
  };
  const accept = async (email: string) => {
    await server.catchUp();
    const invitation = mail.to(email).at(-1)!.url.split("#")[1];
    await done(client.anonymous().post("/v1/invitations/$accept", { invitation }, page));
  };
  await invite("ada@acme.example", "editor");
  await accept("ada@acme.example");
  await invite("grace@acme.example", "reader");
  const former = await invite("eve@acme.example", "reader");
  await accept("eve@acme.example");
  await done(client.delete(`${own}/members/${former}`));
  await done(client.anonymous().post("/v1/sign-in", { email: "ada@acme.example" }, page));
  await server.catchUp();
  return [`${own}/members`, `${own}/trusted-issuers`];
}

/** A canary release, a domain, and models. */
async function gateways({ client, server, provider }: Furnished): Promise<string[]> {
  const place = { project: "canary", branch: "trunk" };
  const version = (name: string) => ({
    "openapi.json": openApi({ "/": { "x-tollgate": { handler: "modules/name.ts" } } }),
    "tollgate.json": { productionBranch: "trunk" },
    "modules/name.ts": `export default () => new Response("${name}");`,
  });
  const deployed = await deploy(server, place, version("one"));
  await deploy(server, { ...place, activate: false }, version("two"));
  const deployment = `/v1/deployments/${deployed.name}`;
  const splits = [1, 2].map((versionNumber) => ({ versionNumber, weight: 1 }));
  await put(client, `${deployment}/traffic`, { splits });
  for (let at = 0; at < 8; at++) await (await deployed.call("/")).text();
  await done(client.post(`${own}/domains`, { host: "api.acme.example", deploymentName: deployed.name }));
  const models = await MeteredModels.deploy(server, "models", provider);
  const customer = await models.customer();
  const messages = [{ role: "user", content: "Hi" }];
  await (await customer.post("chat/completions", { model: "small", messages })).text();
  await server.catchUp();
  return [`${own}/domains`, deployment, `${deployment}/versions`, `${own}/analytics/models`];
}

/** Plans with prices, invoices, credit, packs, carried-over units and scheduled changes, in a bucket whose time moves. */
async function sales({ client, server }: Furnished): Promise<string[]> {
  await setProfile(client, { taxRates: [{ name: "VAT", percentage: "20" }] });
  const rollover = { requests: { maximum: 50, periods: 2 } };
  const { bucket, path, plan } = await billed(client, start, { ...rated("0.10", { amount: "30.00" }), rollover });
  const customer = `${bucket}/customers/acme`;
  await put(client, `${customer}/payment-method`, { type: "sandbox", behavior: "succeeds" });
  const [first] = await invoicesOf(client, bucket);
  await done(client.post(`${bucket}/invoices/${first.id}/$collect`));
  for (const amount of [
    { currency: "EUR", amount: "20.00" },
    { meter: "requests", amount: 40 },
  ])
    await done(client.post(`${customer}/grants`, { funding: "promotional", ...amount }));
  const price = { currency: "EUR", amount: "10.00" };
  const packs = { packExternalId: "units", label: "1,000 requests", price, grant: { meter: "requests", amount: 1000 } };
  await done(client.post(`${bucket}/credit-packs`, packs));
  const returnUrl = "https://shop.example/billing";
  await done(client.post(`${customer}/packs/$purchase`, { packExternalId: "units", returnUrl }));
  await done(
    client.patch(customer, { email: "billing@acme.example", spendCap: { amount: "100.00", action: "notify" } }),
  );
  await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
  await use(client, bucket, 1180, "2031-01-05T00:00:00.000Z");
  const larger = await createPlan(client, bucket, { ...monthly("60.00"), meters: plan.meters, rollover });
  await moveTo(client, bucket, "2031-01-20T00:00:00.000Z");
  await done(client.patch(`${bucket}/plans/${larger.id}`, { label: "Platinum", meters: { requests: { max: 500 } } }));
  await done(client.patch(path, { metadata: { seats: "3" } }));
  await done(client.post(`${path}/$change`, { planExternalIds: [larger.planExternalId], timing: "now" }));
  await moveTo(client, bucket, "2031-02-03T00:00:00.000Z");
  await subscribe(client, bucket, [plan], { customerKey: "initech" });
  await done(client.post(`${path}/$change`, { planExternalIds: [plan.planExternalId], timing: "period-end" }));
  await use(client, bucket, 20, "2031-01-25T00:00:00.000Z");
  const purchase = { customerKey: "globex", planExternalIds: [larger.planExternalId], returnUrl };
  await done(client.post(`${bucket}/subscriptions/$purchase`, purchase));

  const held = await keyCustomer(client);
  await done(held.hold({ requests: 3 }));
  await server.catchUp();
  return [
    `${own}/billing-profile`,
    `${bucket}/plans`,
    `${bucket}/subscriptions`,
    `${bucket}/customers`,
    `${bucket}/invoices`,
    `${bucket}/payments`,
    `${bucket}/credit-packs`,
    `${customer}/grants`,
    `${customer}/packs`,
    `${customer}/credit-entries`,
    `${path}/usage`,
    `${path}/usage/history`,
    `${held.subscription}/usage`,
  ];
}

/** Invoices that Stripe collects. */
async function stripePayments({ client, server, clock, stripe }: Furnished): Promise<string[]> {
  stripe.book.defaultMethod = methods.succeeds;
  await put(client, `${own}/payment-provider/live`, {
    type: "stripe",
    secretKey: "sk_live_1",
    webhookSecret,
  });
  const bucket = await newMeteringBucket(client);
  for (const amount of ["30.00", "0.20"])
    await subscribe(client, bucket, [await createPlan(client, bucket, monthly(amount))]);
  clock.advance(7 * 3_600_000);
  await server.catchUp();
  const payload = JSON.stringify(stripe.book.events.at(-1));
  const signed = { payload, secret: webhookSecret, timestamp: Math.floor(clock.now() / 1000) };
  const headers = { "stripe-signature": await Stripe.webhooks.generateTestHeaderStringAsync(signed) };
  await fetch(`${server.url}${own}/payment-provider/live/events`, { method: "POST", headers, body: payload });
  return [`${own}/payment-provider/live`, `${bucket}/invoices`];
}

/** A portal with sign-up, requests for access, invitations, deleted keys, programs and former customers. */
async function portals({ client, server, mail }: Furnished): Promise<string[]> {
  const plans = await newTestBucket(client, start);
  const free = await createPlan(client, plans, { isPublic: true });
  const portal = new OAuthPortal(server);
  const signUp = { signUp: "open", meteringBucket: plans.split("/").at(-1), signUpPlan: free.planExternalId };
  await portal.set({}, signUp);
  await portal.newCustomer("weather", { permissions: ["orders:read"] });
  const browser = await portal.browser("weather", { scopes: [...allScopes, "people:write"] });
  await portal.tokens(browser);
  const { id } = await done(browser.post("/keys", { description: "to delete" }));
  await done(browser.delete(`/keys/${id}`));
  await done(browser.post("/invites", { email: "colleague@weather.example" }));
  await done(client.post(`${portalPath()}/access-requests`, { email: "asks@example.com", name: "Asks" }));
  const visitor = async (email: string) => {
    const visiting = new PortalBrowser(server, portal.url);
    const { body } = await visiting.signInByMail(mail, email, () => server.catchUp());
    return { visiting, proof: body.proof };
  };
  await visitor("undecided@example.com");
  for (const email of ["stays@example.com", "leaves@example.com"]) {
    const { visiting, proof } = await visitor(email);
    await done(visiting.post("/sign-up", { proof, name: email.split("@")[0] }));
    if (email.startsWith("leaves")) await done(visiting.delete("/account"));
  }
  await done(new PortalBrowser(server, portal.url).post("/sign-in", { email: "stays@example.com" }));
  await server.catchUp();
  return [
    portalPath(),
    `${portalPath()}/oauth-clients`,
    `${portalPath()}/authorizations`,
    `${portalPath()}/access-requests`,
    `${own}/key-buckets/main/consumers/weather?include-api-keys=true&include-managers=true`,
  ];
}
