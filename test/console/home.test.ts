import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import {
  accessibilityProblems,
  accessibilityProblemsOfThemes,
  type OpenConsole,
  openConsole,
} from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, record, subscribe, usageEvent } from "../support/metering.ts";
import { until } from "../support/until.ts";
import { patienceMs, withErrors } from "../support/use-console.ts";

const soon = { withinMs: patienceMs / 2 };
const check = (name: string, work: () => Promise<void>) => test(name, () => withErrors(console, work), patienceMs);

let console: OpenConsole;
let busy: BusyAccount;
beforeAll(async () => {
  console = await openConsole();
  console.server.clock.set(new Date().toISOString());
  await console.signIn();
}, patienceMs);
afterAll(async () => {
  await busy?.stop();
  await console?.close();
}, patienceMs);

const see = (text: string | RegExp) => console.page.getByText(text).first().waitFor();
const card = (title: string) => console.page.locator(".card", { has: console.page.getByText(title, { exact: true }) });

describe("home of an empty server", () => {
  check("shows commands, and each step turns green by itself", async () => {
    await console.visit("/");
    await see("tollgate consumers create acme --with-key");
    const done = () => console.page.locator(".step[data-done]").count();
    await eventually(() => done()).toBe(0);
    await console.server.client.post("/v1/accounts/default/key-buckets/main/consumers", { name: "hooli" });
    await until(async () => (await done()) === 1, soon);
    await see(/tollgate subscriptions create hooli --plan price_gold/);
    await console.server.client.delete("/v1/accounts/default/key-buckets/main/consumers/hooli");
    await until(async () => (await done()) === 0, soon);
    expect(await accessibilityProblems(console.page)).toEqual([]);
  });
});

check("a reader of an empty server sees the buttons of the steps, and why they do nothing", async () => {
  const { body } = await console.server.client.post("/v1/accounts/default/tokens", { role: "reader" });
  await console.signIn(body.token);
  await console.visit("/");
  const button = console.page.getByRole("button", { name: "Create consumer" });
  await eventually(() => button.getAttribute("aria-disabled")).toBe("true");
  await button.click({ force: true });
  await console.page.getByText("Your token's role is reader").filter({ visible: true }).first().waitFor();
  await eventually(() => console.page.getByRole("dialog").count()).toBe(0);
  await console.signIn();
});

describe("the first steps", () => {
  const bucket = "/v1/accounts/default/key-buckets/main";

  check("can be dismissed and shown again, also after a reload", async () => {
    const { page } = console;
    await console.visit("/");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Show the first steps" }).click();
    await page.getByRole("heading", { name: "Get to your first request" }).waitFor();
  });

  check("stay while only rejections were verified, and end with the first valid key", async () => {
    const { page, server } = console;
    const { body } = await server.client.post(`${bucket}/consumers`, { name: "initech", apiKeys: [{}] });
    const verify = (key: string) => server.client.post(`${bucket}/verify-key`, { key });
    const counted = async (query: string) =>
      (await server.client.get(`/v1/accounts/default/analytics/verifications${query}`)).body.series[0]?.totals
        .verifications ?? 0;
    await verify("no-key");
    await until(async () => (await counted("")) === 1, soon);
    await console.visit("/");
    await page.getByRole("heading", { name: "Get to your first request" }).waitFor();
    for (const _ of [1, 2]) await verify(body.apiKeys[0].key);
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    const tile = page.locator(".figures .card", { hasText: "Verifications" });
    await eventually(() => tile.locator(".figure-value").innerText()).toBe("3");
    await eventually(() => card("Results").locator("li").allInnerTexts()).toEqual([
      expect.stringMatching(/Valid\s*2/),
      expect.stringMatching(/Malformed\s*1/),
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await server.client.delete(`${bucket}/consumers/initech`);
  });
});

describe("home of a busy server", () => {
  beforeAll(async () => {
    // Past requests are created now, so no page that requests current data may be open.
    await console.visit("/settings");
    busy = await fillAccount(console.server);
    const receiver = { url: "http://127.0.0.1:9/hook", events: ["*"] };
    await console.server.client.post("/v1/accounts/default/webhooks", receiver);
    const { client } = console.server;
    const price = { currency: "EUR", amount: "30.00", interval: "month" };
    const paid = await createPlan(client, busy.metering, { price });
    await subscribe(client, busy.metering, [paid], { customerKey: "initech" });
    const over = await subscribe(client, busy.metering, [await createPlan(client, busy.metering)], {
      customerKey: "hooli",
    });
    await record(client, busy.metering, usageEvent({ requests: 104 }, { subscriptionId: over.id, subject: "hooli" }));
    await client.post("/v1/accounts/default/key-buckets/main/consumers", { name: "umbrella" });
  }, patienceMs);

  check("counts the requests of the range, with a mark at each deployment", async () => {
    await console.visit("/?range=week");
    const requests = console.page.locator(".figures:not(.money) .card").first();
    await eventually(() => requests.locator(".figure-value").innerText()).toBe(String(busy.requests));
    const outcomes = card("Requests by outcome");
    await eventually(async () => {
      const rows = (await outcomes.locator("tbody tr").allInnerTexts()).map((row) => row.split("\t"));
      const numbers = rows.flatMap((row) => row.slice(1, 4).map(Number));
      const marks = rows.map((row) => row[4]).filter(Boolean);
      return { requests: numbers.reduce((sum, value) => sum + value, 0), marks };
    }).toEqual({ requests: busy.requests, marks: ["orders v1", "orders v2"] });
    await eventually(() => card("Error rate").locator("tbody").innerText()).toMatch(/[1-9]\d*(\.\d+)?%/);
    await eventually(() => card("Response time").locator("tbody").innerText()).toContain("ms");
  });

  check("a range is in the address, and a chart shows its numbers as a table", async () => {
    await console.page.getByLabel("Range").selectOption("day");
    await console.page.waitForURL(/range=day/);
    await console.page.getByRole("button", { name: "Show Requests by outcome as a table" }).click();
    const table = card("Requests by outcome").locator(".chart-table");
    await table.waitFor();
    await eventually(() => table.locator("tbody tr").count()).toBe(24);
    await console.page.getByRole("button", { name: "Show Requests by outcome as a chart" }).click();
  });

  check("follows the last hour by itself: figures, table and the drawn chart", async () => {
    const { page } = console;
    await console.visit("/?range=hour");
    const outcomes = card("Requests by outcome");
    const canvas = outcomes.locator("canvas").first();
    await canvas.waitFor();
    const total = async () => {
      const rows = await outcomes.locator("tbody tr").allInnerTexts();
      return rows.flatMap((row) => row.split("\t").slice(1, 4).map(Number)).reduce((sum, count) => sum + count, 0);
    };
    const drawn = () => canvas.evaluate((element) => (element as unknown as { toDataURL(): string }).toDataURL());
    const before = { total: await total(), drawn: await drawn() };
    await page.evaluate("window.isSamePage = true");
    console.server.clock.set(new Date().toISOString());
    for (let count = 0; count < 40; count++) await (await busy.deployed.call("/orders")).arrayBuffer();
    await until(async () => (await total()) === before.total + 40, soon);
    await eventually(() => console.page.locator(".figures:not(.money) .figure-value").first().innerText()).toBe(
      String(before.total + 40),
    );
    await until(async () => (await drawn()) !== before.drawn, soon);
    await eventually(() => page.evaluate("window.isSamePage")).toBe(true);
    busy.requests += 40;
  });

  check("names the busiest consumers and routes, and the last changes", async () => {
    await console.visit("/?range=week");
    await eventually(() => card("Top consumers").locator("li").first().innerText()).toContain("acme");
    await eventually(() => card("Top routes").locator("li").first().innerText()).toContain("/orders");
    await eventually(() => card("Last changes").locator("li").first().innerText()).toContain(
      "Consumer umbrella created",
    );
  });

  check("shows one deployment, marks the step in progress, and the change of a share in points", async () => {
    const { page } = console;
    await console.visit("/?range=week");
    const first = page.locator("#content .card:not(.money .card)").first();
    await first.getByText("Needs attention", { exact: true }).waitFor();
    await page.getByLabel("Deployment").selectOption({ label: "orders (main)" });
    await page.waitForURL(/deployment=orders-main-/);
    await eventually(() => page.locator(".figures:not(.money) .figure-value").first().innerText()).toBe(
      String(busy.requests),
    );
    await eventually(() => card("Requests by outcome").locator("tbody th").last().innerText()).toEndWith(", so far");
    const share = page.locator(".figures .card", { hasText: "Error rate" }).locator(".figure-change");
    await eventually(() => share.innerText()).toMatch(/^\+[\d.]+ points? vs before$/);
    await eventually(() => share.getAttribute("data-tone")).toBe("bad");
  });

  check("shows what needs attention", async () => {
    await console.visit("/?range=week");
    const attention = card("Needs attention").locator("li");
    await eventually(() => attention.first().innerText()).toContain(
      "hooli is over its limit: 104% of its 100 Requests.",
    );
    await eventually(() => attention.first().getAttribute("data-severe")).toBe("true");
    await see("has used 90% of its 1,000 Requests.");
    const money = console.page.locator(".money .card");
    await eventually(() => money.first().innerText()).toMatch(
      /Recurring revenue\s*€30.00\s*a month from 1 subscription /,
    );
    await eventually(() => money.nth(1).innerText()).toMatch(/Overdue\s*None/);
    await see("3 keys will expire within 7 days.");
    await until(async () => {
      await console.visit("/?range=week");
      return (await console.page.getByText("The webhook to 127.0.0.1:9 is failing.").count()) > 0;
    }, soon);
  });

  check("is accessible in both themes", async () => {
    await console.visit("/?range=week");
    expect(await accessibilityProblemsOfThemes(console.page)).toEqual({ light: [], dark: [] });
  });
});
