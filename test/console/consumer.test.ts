import { afterAll, beforeAll, describe, expect } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { until } from "../support/until.ts";

const soon = { withinMs: patienceMs / 2 };
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
    await steps.console.show("/consumers/main/acme?tab=usage");
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

  check("shows requests and changes in one timeline", async () => {
    await steps.console.show("/consumers/main/acme");
    await openTab("Activity");
    const items = steps.console.page.locator(".activity li");
    await eventually(() => items.first().innerText()).toContain("Consumer acme updated (displayName)");
    await eventually(() => items.allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringContaining("GET /invoices"),
        expect.stringMatching(/^500[\s\S]*responded with 500/),
      ]),
    );
    await press("Load older");
    await until(async () => (await items.count()) > 31, soon);
    await press("Load older");
    await see("Consumer acme created");
  });
});

checkPages(steps, () => ["usage", "activity"].map((tab) => `/consumers/main/acme?tab=${tab}`));
