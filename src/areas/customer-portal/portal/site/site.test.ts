import { beforeAll, describe, expect, test } from "bun:test";
import { buildWebIfOutdated } from "../../../../../scripts/web-build.ts";
import { newTestBucket, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { allScopes, customerBrowser, PortalBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const files = {
  "openapi.json": openApi(
    { "/forecast": { operationId: "getForecast", "x-tollgate": { upstream: "https://x.example", policies: ["key"] } } },
    { info: { title: "Weather", version: "1", description: "Every <b>place</b>." } },
  ),
  "tollgate.json": { policies: { key: { type: "api-key", options: { bucket: "main" } } } },
};
const oauth = { isEnabled: true };

await buildWebIfOutdated(["portal"]);

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let deployment: string;
  let bucket: string;
  let url: string;
  const visitor = () => new PortalBrowser(server, url);
  const site = async () => (await visitor().get("/site")).body;
  const html = async (path = "/") => (await visitor().fetch(path)).text();
  const customer = (input: object = {}) => customerBrowser(server, url, "acme", { scopes: allScopes, ...input });
  const pages = async () => (await (await customer()).get("/session")).body.pages;

  beforeAll(async () => {
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
    deployment = (await deploy(server, { project: "weather", branch: "main" }, files)).name;
    bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    ({ url } = await setPortal(client));
  });

  const meteringBucket = () => bucket.replace("/v1/metering/", "");
  const meters = { requests: { label: "requests", max: 1000 } };
  const price = { currency: "EUR", amount: "30.00", interval: "month" };

  describe("the pages of a customer", () => {
    test("without deployments and plans, there are only keys", async () => {
      await setPortal(client);
      expect(await pages()).toEqual(["keys"]);
    });

    test("documentation and requests come with a deployment, programs with OAuth", async () => {
      await setPortal(client, { deployments: [deployment], oauth });
      expect(await pages()).toEqual(["docs", "keys", "programs", "requests"]);
      const limited = await customer({ scopes: ["usage:read"] });
      expect((await limited.get("/session")).body.pages).toEqual(["docs"]);
    });

    test("a metering bucket has usage; plans and invoices come when there is something to choose and to pay", async () => {
      await setPortal(client, { meteringBucket: meteringBucket() });
      expect(await pages()).toEqual(["keys", "usage"]);
      const hidden = await createPlan(client, bucket, { planExternalId: "own", label: "Own", meters });
      expect(await pages()).toEqual(["keys", "usage"]);
      const subscription = await subscribe(client, bucket, [hidden], { customerKey: "acme" });
      expect(await pages()).toEqual(["keys", "usage", "plans"]);
      await client.post(`${bucket}/subscriptions/${subscription.id}/$cancel`, { timing: "now" });
      await createPlan(client, bucket, { planExternalId: "gold", label: "Gold", meters, price, isPublic: true });
      // Nothing can be sold without the name and address of the seller.
      expect(await pages()).toEqual(["keys", "usage", "plans"]);
      await setProfile(client);
      expect(await pages()).toEqual(["keys", "usage", "plans", "invoices"]);
      const reader = await customer({ scopes: ["keys:read"] });
      expect((await reader.get("/session")).body.pages).toEqual(["keys"]);
    });
  });

  describe("what everyone may know", () => {
    test("a private reference has no APIs, and hidden plans are shown only if everyone can sign up", async () => {
      const settings = { deployments: [deployment], meteringBucket: meteringBucket(), plans: ["own", "gold"] };
      await setPortal(client, settings);
      const shown = await site();
      expect(shown).toMatchObject({ pages: [], apis: [] });
      expect(shown.plans).toEqual([{ planExternalId: "gold", label: "Gold", meters, price, isAvailable: true }]);
      expect(await html()).not.toContain("/forecast");
      await setPortal(client, { ...settings, signUp: "open" });
      expect((await site()).plans.map(({ label }: { label: string }) => label)).toEqual(["Own", "Gold"]);
    });

    test("a public reference has the first request of each API", async () => {
      await setPortal(client, { deployments: [deployment], isReferencePublic: true });
      const { apis, ...rest } = await site();
      expect(rest).toMatchObject({ pages: ["docs"], plans: [] });
      expect(apis).toEqual([
        {
          title: "Weather",
          description: "Every <b>place</b>.",
          url: expect.stringContaining(deployment),
          page: "/docs/weather",
          example: {
            method: "GET",
            url: `${apis[0].url}/forecast`,
            keyHeader: "Authorization",
            keyPrefix: "Bearer ",
          },
        },
      ]);
    });
  });

  describe("the landing page", () => {
    test("is complete without scripts: plans with prices, the first request, and links to the reference", async () => {
      const settings = { deployments: [deployment], isReferencePublic: true, meteringBucket: meteringBucket() };
      await setPortal(client, {
        ...settings,
        title: "<b>Weather</b>",
        description: "Forecasts.",
        accentColor: "#2456d6",
      });
      const page = await html();
      for (const text of [
        "<title>&#60;b&#62;Weather&#60;/b&#62;</title>",
        '<p class="lead">Forecasts.</p>',
        "<h3>Gold</h3>",
        "<strong>€30.00</strong> per month",
        "1,000 requests per month",
        "Authorization: Bearer YOUR_API_KEY",
        'href="/docs/weather"',
        "Every &#60;b&#62;place&#60;/b&#62;.",
        // This server sends no mail: people come from the site of the business.
        "How to get access",
        `<link rel="canonical" href="${url}/">`,
        '<link rel="icon" href="/portal/icon.svg">',
      ])
        expect(page).toContain(text);
      expect(page).not.toContain("<b>");
      const icon = await visitor().fetch("/portal/icon.svg");
      expect(icon.headers.get("content-type")).toBe("image/svg+xml");
      expect(await icon.text()).toContain('fill="#2456d6"');
      expect(await html("/sign-in")).toContain("<title>Sign in · ");
    });

    test("is not shown to customers, whose session is in the page, which is not stored", async () => {
      const browser = await customer();
      const response = await browser.fetch("/");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const page = await response.text();
      expect(page).not.toContain("How to get access");
      const state = /<meta name="portal-state" content="([^"]*)">/.exec(page)![1]!;
      const text = state.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
      expect(JSON.parse(text).session).toEqual((await browser.get("/session")).body);
      expect(await html()).toContain("&#34;session&#34;:null");
    });
  });
});
