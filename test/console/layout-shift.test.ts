import { afterAll, beforeAll, expect } from "bun:test";
import { invoicesOf, monthly, moveTo, newTestBucket, ok, setProfile, use } from "../support/billing.ts";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { desktop, phone } from "../support/console.ts";
import { consolePages } from "../support/console-pages.ts";
import { layoutShift, slowly } from "../support/layout-shift.ts";
import { createPlan, subscribe } from "../support/metering.ts";
import { allScopes, portalPath, setPortal } from "../support/portal.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// Pages whose content is loaded do not jump, and report no errors.

const user = useConsole();
const root = "/v1/accounts/default";
let busy: BusyAccount;
let paths: string[];
let portal: OpenPage;
let portalUrl: string;

beforeAll(async () => {
  const { client } = user.server;
  // Home would ask for times that the server has not reached.
  await user.page.goto("about:blank");
  busy = await fillAccount(user.server);
  const webhook = (await client.post(`${root}/webhooks`, { url: "http://127.0.0.1:9/hook", events: ["*"] })).body.id;
  await client.post(`${root}/domains`, { host: "api.acme.example", deploymentName: busy.deployed.name });
  await client.post(`${root}/tokens`, { role: "reader", name: "dashboard" });
  await setProfile(client);
  const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
  const meteringBucket = bucket.split("/").at(-1)!;
  const meters = { requests: { label: "Requests", max: 1000 } };
  const gold = await createPlan(client, bucket, { label: "Gold", isPublic: true, meters, ...monthly("30.00") });
  await createPlan(client, bucket, { label: "Pro", isPublic: true, meters, ...monthly("90.00") });
  const subscription = (await subscribe(client, bucket, [gold], { customerKey: "acme" })).id;
  await use(client, bucket, 230);
  await moveTo(client, bucket, "2031-02-01T02:30:00.000Z");
  paths = consolePages({
    ...{ keyBucket: "main", consumer: "acme", deployment: busy.deployed.name, meteringBucket },
    ...{ plan: gold.id, subscription, webhook, invoice: (await invoicesOf(client, bucket))[0].id },
  });
  const settings = { meteringBucket, deployments: [busy.deployed.name], isReferencePublic: true };
  portalUrl = (await setPortal(client, settings)).url;
  portal = await openPage(portalUrl);
}, patienceMs);
afterAll(async () => {
  await portal?.close();
  await busy?.stop();
}, patienceMs);

/** The pages that jump, each with what moved. */
async function jumping({ page }: Pick<OpenPage, "page">, start: string, paths: string[]): Promise<object> {
  const open = await slowly(page);
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    await open(start + path);
    const { score, moved } = await layoutShift(page);
    if (score >= 0.05) found[path] = { score, moved };
  }
  return found;
}

user.check(
  "no page of the console jumps while it loads",
  async () => {
    expect(await jumping(user, `${user.server.url}/console`, paths)).toEqual({});
  },
  3 * patienceMs,
);

user.check(
  "no page of the portal jumps while it loads, signed out and signed in",
  async () => {
    const { page, errors } = portal;
    expect(await jumping(portal, portalUrl, ["/", "/sign-in", "/docs"])).toEqual({});
    const customer = { consumerName: "acme", subject: "jo@acme.example", scopes: allScopes };
    const { url } = await ok(user.server.client.post(`${portalPath()}/sessions`, customer));
    await page.goto("about:blank");
    await page.goto(url);
    const places = page.getByRole("navigation").getByRole("link");
    await places.filter({ hasText: "Invoices" }).waitFor();
    const pages = await places.evaluateAll((links) => links.map((link) => link.getAttribute("href")!));
    expect(pages).toEqual(expect.arrayContaining(["/", "/keys", "/usage", "/requests", "/plans", "/invoices"]));
    for (const size of [desktop, phone]) {
      await page.setViewportSize(size);
      expect(await jumping(portal, portalUrl, size === phone ? ["/keys"] : [...pages, "/agents"])).toEqual({});
    }
    expect(errors.take()).toEqual([]);
  },
  3 * patienceMs,
);
