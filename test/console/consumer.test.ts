import { afterAll, beforeAll, describe, expect } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";

const steps = useConsole();
const { see, press, openTab, rows } = steps;

let busy: BusyAccount;
beforeAll(async () => {
  busy = await fillAccount(steps.console.server);
  await steps.console.server.client.patch("/v1/accounts/default/key-buckets/main/consumers/acme", {
    displayName: "Acme Inc.",
  });
}, patienceMs);
afterAll(() => busy?.stop());

describe("a consumer", () => {
  check("shows its usage over time, with the limit and the forecast", async () => {
    await steps.console.visit("/consumers/main/acme?tab=usage");
    await see("900 of 1,000 · near the limit");
    await see(/At the current rate, the period ends at about/);
    let grown: string[][] = [];
    await eventually(async () => {
      grown = (await rows("Requests in this period")).map((row) => row.split("\t"));
      const used = grown.map((cells) => cells[1]).filter(Boolean);
      return [used[0], used.at(-1)];
    }).toEqual(["0", "900"]);
    expect(grown.every((cells) => cells[2] === "1,000")).toBe(true);
    const forecast = grown.at(-1)!.at(3);
    expect(Number(forecast!.replaceAll(",", ""))).toBeGreaterThan(900);
  });

  check("shows requests and changes by day, with repetitions as one entry, and filtered", async () => {
    await steps.console.visit("/consumers/main/acme");
    await openTab("Activity");
    const { page } = steps.console;
    const items = page.locator(".activity-day > .activity > li");
    await eventually(() => items.first().innerText()).toContain("Consumer acme updated (displayName)");
    const days = page.locator(".activity-day h2");
    await eventually(() => days.first().innerText()).toBe(new Date().toLocaleDateString("en", { dateStyle: "medium" }));
    await eventually(() => items.allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^200\s+\d+ requests passed GET \/\w+ and 1 other path\s+last \d\d:\d\d/),
      ]),
    );
    // Every request of the group, with its time.
    const group = items.filter({ hasText: "requests passed" }).first();
    await group.locator("summary").click();
    await eventually(async () => await group.locator("li").count()).toBeGreaterThan(5);
    await press("Load older");
    await press("Load older");
    await see("Consumer acme created");
    await eventually(() => days.count()).toBeGreaterThanOrEqual(2);

    await steps.choose("Show", "failed");
    // Those of a day are one entry.
    const failedDays = new Set(busy.failedOn.map((time) => new Date(time).toDateString()));
    await eventually(async () => (await items.allInnerTexts()).map((text) => text.slice(0, 3))).toEqual(
      Array.from(failedDays, () => "500"),
    );
    await steps.choose("Show", "rejected");
    await see("Nothing matches");
    await press("Show everything");
    await see("Consumer acme updated (displayName)");
  });

  check("a key shows who disabled it, and when", async () => {
    const keys = "/v1/accounts/default/key-buckets/main/consumers/globex/keys";
    const { client } = steps.console.server;
    const { data } = (await client.get(keys)).body;
    await client.patch(`${keys}/${data[0].id}`, { isEnabled: false });
    await client.patch(`${keys}/${data[0].id}`, { description: "Later" });
    await steps.console.visit("/consumers/main/globex?tab=keys");
    await see(/^\w+ \d+, \d{4} by TOLLGATE_ADMIN_TOKEN$/);
  });
});

checkPages(steps, () =>
  ["usage", "activity"].map((tab) => `/consumers/main/acme?tab=${tab}`).concat("/consumers/main/globex?tab=keys"),
);
