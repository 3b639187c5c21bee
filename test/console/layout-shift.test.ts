import { afterAll, beforeAll, expect } from "bun:test";
import { invoicesOf, monthly, moveTo, newTestBucket, ok, setProfile, use } from "../support/billing.ts";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { desktop, misfits } from "../support/console.ts";
import { consolePages, emptyPages } from "../support/console-pages.ts";
import { eventually } from "../support/eventually.ts";
import { layoutShift, slowly } from "../support/layout-shift.ts";
import { createPlan, subscribe } from "../support/metering.ts";
import { OAuthPortal } from "../support/oauth.ts";
import { allScopes, portalPath } from "../support/portal.ts";
import { operatorToken } from "../support/server-settings.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// Pages whose content is loaded do not jump, fit a phone, and report no errors.

// No mail is sent, but the portal offers to invite people.
const environment = { TOLLGATE_SMTP_URL: "smtp://127.0.0.1:9", TOLLGATE_MAIL_FROM: "gate@tollgate.example" };
const user = useConsole({ environment });
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
  await client.post(`${root}/key-buckets`, { name: "payments" });
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
  // Paid by acme, and not by globex.
  const method = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
  await ok(client.raw("PUT", `${bucket}/customers/acme/payment-method`, method));
  await ok(client.post(`${bucket}/invoices/${(await invoicesOf(client, bucket))[0].id}/$mark-paid`));
  await subscribe(client, bucket, [gold], { customerKey: "globex" });
  await use(client, bucket, 230);
  for (const day of ["02", "04", "07"]) {
    await moveTo(client, bucket, `2031-02-${day}T02:30:00.000Z`);
    await use(client, bucket, 120);
  }
  paths = consolePages({
    ...{ keyBucket: "main", consumer: "acme", deployment: busy.deployed.name, meteringBucket },
    ...{ plan: gold.id, subscription, webhook, invoice: (await invoicesOf(client, bucket))[0].id },
  });
  const grant = { meter: "requests", amount: 1000, expiresInDays: 365 };
  const pack = { packExternalId: "credits", label: "1,000 requests", grant, isPublic: true };
  await ok(client.post(`${bucket}/credit-packs`, { ...pack, price: { currency: "EUR", amount: "10.00" } }));
  await ok(client.post(`${root}/key-buckets/main/consumers`, { name: "newcomer" }));
  const settings = { meteringBucket, deployments: [busy.deployed.name], isReferencePublic: true };
  const programs = new OAuthPortal(user.server);
  programs.deployment = busy.deployed.name;
  await programs.set({}, settings);
  await programs.tokens(await programs.browser("acme"));
  portalUrl = programs.url;
  await ok(client.post(`${root}/key-buckets/main/consumers/acme/managers`, { sub: "jo", email: "jo@acme.example" }));
  portal = await openPage(portalUrl);
}, patienceMs);
afterAll(async () => {
  await portal?.close();
  await busy?.stop();
}, patienceMs);

/** The width of most phones. */
const narrow = { width: 390, height: 844 };

/** Signs in to the portal, and returns its pages. */
async function enterPortal(page: OpenPage["page"], consumerName: string): Promise<string[]> {
  const customer = { consumerName, subject: `jo@${consumerName}.example`, scopes: [...allScopes, "people:write"] };
  const { url } = await ok(user.server.client.post(`${portalPath()}/sessions`, customer));
  await page.context().clearCookies();
  await page.goto("about:blank");
  // On a phone, the navigation is in a menu.
  await page.setViewportSize(desktop);
  await page.goto(url);
  await page.getByRole("button", { name: "Continue" }).click();
  const places = page.getByRole("navigation").getByRole("link");
  await places.filter({ hasText: "Keys" }).waitFor();
  return places.evaluateAll((links) => links.map((link) => link.getAttribute("href")!));
}

/** The addresses in the navigation of the documentation. */
async function docsPages(page: OpenPage["page"]): Promise<string[]> {
  await page.goto(`${portalUrl}/docs`);
  const links = page.locator('a[href^="/docs/"]');
  await links.first().waitFor({ state: "attached" });
  return links.evaluateAll((all) => all.map((link) => link.getAttribute("href")!));
}

/**
 * The pages with a problem: what moved while they loaded, what sticks out of the window, and their errors. With `visit`, only the
 * first is loaded, and the others are opened from a page without the console's frame, which needs the same data for half of the CPU
 * time.
 */
async function problems(
  { page, errors }: Pick<OpenPage, "page" | "errors">,
  start: string,
  paths: string[],
  visit?: (path: string) => Promise<void>,
) {
  const slow = await slowly(page);
  const found: Record<string, unknown> = {};
  for (const [index, path] of paths.entries()) {
    let since = 0;
    if (visit && index > 0) {
      await visit("/nothing");
      since = (await page.evaluate("performance.now()")) as number;
      await slow(() => visit(path));
    } else {
      await slow(() => page.goto(start + path));
    }
    const { score, moved } = await layoutShift(page, since);
    const problem = {
      ...(score >= 0.05 ? { score, moved } : {}),
      ...some("misfits", await misfits(page)),
      ...some("errors", errors.take()),
    };
    if (Object.keys(problem).length > 0) found[path] = problem;
  }
  return found;
}

const some = (name: string, found: string[]) => (found.length > 0 ? { [name]: found } : {});

for (const [name, size] of Object.entries({ desktop, narrow }))
  user.check(
    `no page of a full account jumps while it loads, sticks out of the window or reports errors: ${name}`,
    async () => {
      await user.page.setViewportSize(size);
      const start = `${user.server.url}/console`;
      if (size === desktop) {
        expect(await problems(user, start, paths)).toEqual({});
        return;
      }
      // Lists without a bucket, as the menu opens them.
      const shown = paths.map((path) => path.replace(/\?bucket=\w*$/, ""));
      expect(await problems(user, start, shown, user.visit)).toEqual({});
    },
    3 * patienceMs,
  );

user.check(
  "nor does one of an empty account on a phone",
  async () => {
    await user.server.client.as(operatorToken).post("/v1/accounts", { name: "empty" });
    await user.page.setViewportSize(desktop);
    await user.signIn(operatorToken);
    await user.page.setViewportSize(narrow);
    await user.page.evaluate('localStorage.setItem("tollgate-account", "empty")');
    expect(await problems(user, `${user.server.url}/console`, emptyPages(), user.visit)).toEqual({});
    await eventually(() => user.page.locator(".sidebar .account").first().textContent()).toBe("empty");
  },
  3 * patienceMs,
);

user.check(
  "no page of the portal jumps while it loads, signed out and signed in",
  async () => {
    const { page, errors } = portal;
    const operation = (await docsPages(page)).find((path) => path.includes("/operations/"))!;
    const found: Record<string, object> = {};
    const measure = async (visitor: string, sizes: (typeof narrow)[], paths: string[]) => {
      for (const size of sizes) {
        await page.setViewportSize(size);
        found[`${visitor} at ${size.width}`] = await problems(portal, portalUrl, paths);
      }
    };
    await measure("visitor", [desktop, narrow], ["/", "/sign-in", "/docs", operation]);
    // A customer with everything, and one with nothing yet.
    const pages = await enterPortal(page, "acme");
    const billing = ["/plans", "/credit", "/invoices"];
    const expected = ["/", "/keys", "/programs", "/usage", "/requests", ...billing, "/people"];
    expect(pages).toEqual(expect.arrayContaining(expected));
    await measure("acme", [desktop, narrow], [...pages, "/agents"]);
    await page.goto(`${portalUrl}/usage`);
    await page.locator(".meter").first().waitFor();
    await page.locator("canvas").first().waitFor();
    await enterPortal(page, "globex");
    await measure("unpaid", [narrow], ["/usage", "/plans"]);
    await measure("newcomer", [narrow], await enterPortal(page, "newcomer"));
    expect(Object.entries(found).filter(([, pages]) => Object.keys(pages).length > 0)).toEqual([]);
    expect(errors.take()).toEqual([]);
  },
  3 * patienceMs,
);
