import { afterAll, beforeAll, describe, expect } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { desktop } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { subscribe, usageEvent } from "../support/metering.ts";
import { account } from "../support/server-settings.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// What the rows of each list show, how lists are sorted, and which values their filters offer.

const user = useConsole({ environment: { TOLLGATE_REQUEST_DAYS: "3" } });
const { check, see, press, type } = user;

let busy: BusyAccount;
beforeAll(async () => {
  // Past requests are created now, so no page that requests current data may be open.
  await user.visit("/settings");
  busy = await fillAccount(user.server);
  const { client } = user.server;
  const [plan] = (await client.get(`${busy.metering}/plans`)).body.data;
  await subscribe(client, busy.metering, [plan], { customerKey: "globex" });
  await client.post(`${busy.metering}/events`, usageEvent({ requests: 950 }, { subject: "globex" }));
}, patienceMs);
afterAll(() => busy?.stop(), patienceMs);

/** The cells of a row by the name of their column. */
async function row(name: string): Promise<Record<string, string>> {
  const cells = user.page.getByRole("row", { name: new RegExp(name) }).locator("td");
  const labels = await user.page.locator("thead th").allInnerTexts();
  const texts = await cells.allInnerTexts();
  return Object.fromEntries(texts.map((text, index) => [labels[index]?.trim() ?? "", text.trim()]));
}

describe("rows show", () => {
  check("the plan, the usage and the last request of a consumer", async () => {
    await user.visit("/consumers");
    await eventually(() => row("acme")).toMatchObject({ Plan: "Gold", Usage: "90%", Keys: "1" });
    await eventually(() => row("globex")).toMatchObject({ Plan: "Gold", Usage: "95%" });
    await eventually(() => row("initech")).toMatchObject({ Plan: "None active", Usage: "–" });
    await eventually(async () => (await row("acme"))["Last request"]).toMatch(/ ago$/);
  });

  check("the requests of each key of a consumer", async () => {
    await user.visit("/consumers/main/acme?tab=keys");
    await eventually(async () => Number((await row("…[0-9a-f]{8}"))["Requests, 24 h"])).toBeGreaterThan(10);
  });

  check("the usage of a subscription against its plan, and the list can be sorted by it", async () => {
    await user.visit("/subscriptions");
    await eventually(() => row("acme")).toMatchObject({ Plans: "Gold", Usage: "90%" });
    const names = () => user.page.locator("tbody tr td:first-child").allInnerTexts();
    await eventually(names).toEqual(["acme", "globex"]);
    await press("Usage");
    await user.page.waitForURL(/sort=usage/);
    await eventually(names).toEqual(["globex", "acme"]);
    await eventually(() => user.page.getByRole("columnheader", { name: "Usage" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
  });

  check("the number of subscribers of a plan", async () => {
    await user.visit("/plans");
    await eventually(() => row("Gold")).toMatchObject({ Subscribers: "2" });
  });

  check("the traffic and the live version of a deployment", async () => {
    await user.visit("/deployments");
    await eventually(() => row("orders")).toMatchObject({ Version: "v2", State: "Live" });
    await eventually(async () => Number((await row("orders"))["Requests, 24 h"])).toBeGreaterThan(30);
    await eventually(async () => (await row("orders")).Errors).toMatch(/^[\d.]+%$/);
  });

  check("the display name of a consumer, and its name in a tooltip", async () => {
    const globex = `/v1/accounts/${account}/key-buckets/main/consumers/globex`;
    await user.server.client.patch(globex, { displayName: "Globex Corporation" });
    await user.visit("/requests?consumer=globex");
    const name = user.page.locator("tbody").getByRole("link", { name: "Globex Corporation" }).first();
    await eventually(() => name.getAttribute("title")).toBe("globex");
    await user.server.client.patch(globex, { displayName: null });
  });

  check("that a request has no consumer", async () => {
    await user.visit("/requests?status=401");
    await see("No consumer");
  });
});

check("rows take two lines on a phone, and nothing is outside of it", async () => {
  const lists = ["/consumers", "/subscriptions", "/deployments", "/requests", "/keys", "/plans", "/audit-log"];
  await user.page.setViewportSize({ width: 390, height: 844 });
  for (const path of lists) {
    await user.show(path);
    const rows = user.page.locator("tbody tr");
    // A long title may wrap.
    const most = path === "/audit-log" ? 86 : 66;
    await eventually(async () => {
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      return { path, isEmpty: heights.length === 0, tall: heights.filter((height) => height > most) };
    }).toEqual({ path, isEmpty: false, tall: [] });
  }
  await user.page.setViewportSize(desktop);
  await user.expectNarrow(lists);
});

describe("filters", () => {
  check("are added from a menu, changed by their chip, and removed", async () => {
    await user.visit("/requests");
    await user.filter("Status", "401");
    await user.page.waitForURL(/status=401/);
    await see("Status: 401 no valid key");
    await user.expectAccessible();
    await user.filter("Status", "2xx");
    await user.page.waitForURL(/status=2xx/);
    await press("Add filter");
    await eventually(() => user.page.getByRole("menuitem", { name: "Status" }).count()).toBe(0);
    await user.menu("Method");
    await eventually(() => user.page.locator("[aria-label='Filter by method']:focus").count()).toBe(1);
    await user.page.keyboard.press("Tab");
    await eventually(() => user.page.getByLabel("Filter by method").count()).toBe(0);
    await press("Remove the filter 2xx succeeded");
    await eventually(() => user.path).toBe("/console/requests");
  });

  check("of requests offer the known routes, consumers and deployments", async () => {
    await user.visit("/requests");
    const offered = async (filter: string) => {
      await press("Add filter");
      await user.menu(filter);
      const options = user.page.locator(".filter-input datalist option");
      await eventually(() => options.count()).toBeGreaterThan(0);
      const values = await options.evaluateAll((all) => all.map((option) => option.getAttribute("value")));
      await user.page.keyboard.press("Enter");
      return values;
    };
    expect(await offered("Route")).toEqual(["/orders", "/invoices"]);
    expect(await offered("Consumer")).toEqual(["acme", "globex", "initech"]);
    expect(await offered("Deployment")).toEqual([busy.deployed.name]);
  });

  check("that match no request show for how long requests are kept, from the settings", async () => {
    await user.visit("/requests?consumer=hooli");
    await see(/Requests are kept for 3 days\./);
  });
});

describe("errors", () => {
  for (const [path, shown] of [
    ["/plans", "Gold"],
    ["/subscriptions", "globex"],
  ] as const)
    check(`of ${path}: everything that failed is read again, also what the list depends on`, async () => {
      let isBroken = true;
      await user.page.route("**/v1/metering", (route) =>
        isBroken ? route.fulfill({ status: 400, json: { code: "bad_request" } }) : route.continue(),
      );
      user.expectStatus(400);
      await user.visit(path);
      await see("This could not be loaded");
      isBroken = false;
      await press("Try again");
      await see(shown);
      await user.page.unroute("**/v1/metering");
    });

  check("are shown once, at their field", async () => {
    await user.visit("/consumers?new=true");
    await type("Name", "No Spaces");
    user.expectStatus(400);
    await user.confirm("Create consumer");
    await see(/must be 1 to 128 characters/);
    await eventually(() => user.count(/must be 1 to 128 characters/)).toBe(1);
    await eventually(() => user.page.getByRole("dialog").getByRole("alert").count()).toBe(1);
  });
});
