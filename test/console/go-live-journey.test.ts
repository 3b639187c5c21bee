import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { type OpenConsole, openConsole } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { useMailServer } from "../support/mail-server.ts";
import { checkPage } from "../support/portal-page.ts";
import { adminToken } from "../support/server-settings.ts";
import { patienceMs, withErrors } from "../support/use-console.ts";

// From an empty server to the first paid invoice, led by the lists of Home, with the number of clicks.

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ from: "the upstream" }) });
const { server: smtp, environment: mail } = useMailServer();
let console: OpenConsole;
let portal: OpenPage | undefined;
beforeAll(async () => {
  await buildWebIfOutdated(["portal"]);
  console = await openConsole({ environment: { ...mail(), TOLLGATE_EGRESS: "any" } });
  console.server.clock.set(new Date().toISOString());
}, patienceMs);
afterAll(async () => {
  await portal?.close();
  await console?.close();
  upstream.stop(true);
}, patienceMs);

test(
  "from an empty server to the first paid invoice in 22 clicks, of which the customer makes 7",
  () =>
    withErrors(console, async () => {
      const { page, server } = console;
      let clicks = 0;
      const click = async (target: Locator) => {
        clicks += 1;
        await target.click();
      };
      const dialog = page.getByRole("dialog");
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      const home = () => click(page.locator(".frame > .sidebar .nav").getByRole("link", { name: "Home", exact: true }));
      const list = page.getByRole("region", { name: "Go live" });
      const isDone = (title: string) =>
        list.locator(".step[data-done]", { has: page.getByText(title, { exact: true }) }).waitFor();

      await page.getByLabel("Token").first().fill(adminToken);
      await click(button("Sign in"));
      await page.getByRole("heading", { name: "Get to your first request" }).waitFor();
      await eventually(() => list.count()).toBe(0);
      await click(page.getByRole("link", { name: "Put it in front of a URL" }));
      await page.getByLabel("URL of your API").fill(upstream.url.origin);
      await click(dialog.getByRole("button", { name: "Create gateway" }));
      await page.getByText("The gateway is live").waitFor();
      const line = (await dialog.locator("pre").filter({ hasText: "curl" }).innerText()).trim();
      await click(button("I have stored the key"));
      expect(await Bun.spawn(["sh", "-c", `${line} -sS`]).exited).toBe(0);

      await home();
      await list.getByText("a plan with a price, the seller of invoices, and a way to pay are missing").waitFor();
      await isDone("Mail");
      await checkPage(page, "go-live");
      await click(list.getByRole("link", { name: "Create plan" }));
      await page
        .getByLabel(/^Label/)
        .first()
        .fill("Gold");
      await page
        .getByLabel(/^Price/)
        .first()
        .fill("30");
      await click(page.getByText("What customers see"));
      await click(page.getByLabel("Customers can choose it in the portal"));
      await click(dialog.getByRole("button", { name: "Create plan" }));
      await page.getByRole("cell", { name: "€30.00 per month" }).waitFor();

      await home();
      await isDone("A plan with a price");
      await click(list.getByRole("link", { name: "Set the seller" }));
      await page.getByLabel("Legal name").fill("Weather GmbH");
      await page.getByLabel("Number prefix").fill("W-");
      await page
        .getByLabel(/^(Street|Line 1|Address)/)
        .first()
        .fill("Main Street 1");
      await page.getByLabel("Country").first().selectOption("DE");
      await click(button("Save billing profile"));
      await page.getByText("Billing profile saved").waitFor();
      await page.locator("select").filter({ hasText: "Sandbox" }).first().selectOption("sandbox");
      await click(button("Save provider").first());
      await page.getByText("Payment provider saved").waitFor();
      await click(page.getByRole("tab", { name: "Portal", exact: true }));
      await page.getByLabel("Title").fill("Weather");
      await page.getByLabel("Metering bucket").selectOption({ label: "main" });
      await page.getByLabel("Sign-up").selectOption("open");
      await click(button("Create portal"));
      await page.getByText("Portal created").waitFor();
      expect(clicks).toBe(15);

      const url = await page.getByRole("link", { name: "Open portal" }).getAttribute("href");
      portal = await openPage(url!);
      const site = portal.page;
      const asked = site.getByRole("dialog").last();
      await click(site.getByRole("link", { name: "Choose Gold" }));
      await site.getByLabel("Email").fill("jo@initech.example");
      await click(site.getByRole("button", { name: "Continue" }));
      await site.getByLabel("Code").waitFor();
      await server.catchUp();
      await site.getByLabel("Code").fill(smtp.to("jo@initech.example").at(-1)!.code!);
      await click(site.getByRole("button", { name: "Create account" }));
      await click(asked.getByRole("button", { name: "I have stored it" }));
      await click(asked.getByRole("button", { name: "Continue to payment" }));
      await click(site.getByLabel("Card that succeeds"));
      await click(site.getByRole("button", { name: "Pay €30.00", exact: true }));
      await eventually(async () => (await server.client.get("/v1/metering/main/invoices")).body.data).toMatchObject([
        { status: "paid", total: "30.00" },
      ]);
      expect(clicks).toBe(22);
      expect(portal.errors.take()).toEqual([]);
    }),
  patienceMs,
);

test(
  "the steps that are left can be dismissed, one by one and together, and stay so",
  () =>
    withErrors(console, async () => {
      const { page } = console;
      const list = page.getByRole("region", { name: "Go live" });
      await console.show("/");
      // The sandbox moves no money.
      await list.getByText("Before you can earn money, a way to pay is missing.").waitFor();
      for (const title of ["A plan with a price", "The seller", "A portal with sign-up", "Mail"])
        await list.locator(".step[data-done]", { hasText: title }).waitFor();
      await list.getByRole("button", { name: "Dismiss: A domain of yours" }).click();
      await console.show("/");
      await list.getByText("Payments", { exact: true }).waitFor();
      await eventually(() => list.getByText("A domain of yours").count()).toBe(0);
      await list.getByRole("button", { name: "Dismiss", exact: true }).click();
      await console.show("/");
      await page.getByRole("heading", { name: "Needs attention" }).waitFor();
      await eventually(() => list.count()).toBe(0);
    }),
  patienceMs,
);
