import { afterAll, beforeAll, describe, expect } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { until } from "../support/until.ts";

const soon = { withinMs: patienceMs / 2 };
const steps = useConsole();
const { see, press, openTab, rows } = steps;

let busy: BusyAccount;
beforeAll(async () => {
  busy = await fillAccount(steps.console.server);
  await steps.console.server.client.patch("/v1/accounts/default/key-buckets/main/consumers/acme", {
    description: "Acme Inc.",
  });
}, patienceMs);
afterAll(() => busy?.stop());

describe("a consumer", () => {
  check("shows its usage over time, with the limit and the forecast", async () => {
    await steps.console.show("/consumers/main/acme?tab=usage");
    await see("900 of 1,000 · near the limit");
    const grown = (await rows("Requests in this period")).map((row) => row.split("\t"));
    const used = grown.map((cells) => cells[1]).filter(Boolean);
    expect(used[0]).toBe("0");
    expect(used.at(-1)).toBe("900");
    expect(grown.every((cells) => cells[2] === "1,000")).toBe(true);
    await see(/At the current rate, the period ends at about/);
    const forecast = grown.at(-1)!.at(3);
    expect(Number(forecast!.replaceAll(",", ""))).toBeGreaterThan(900);
  });

  check("shows requests and changes in one timeline", async () => {
    await steps.console.show("/consumers/main/acme");
    await openTab("Activity");
    const items = steps.console.page.locator(".activity li");
    expect(await items.first().innerText()).toContain("Consumer acme updated (description)");
    const texts = await items.allInnerTexts();
    expect(texts.some((text) => text.includes("GET /invoices"))).toBe(true);
    expect(texts.some((text) => text.startsWith("500") && text.includes("responded with 500"))).toBe(true);
    await press("Load older");
    await until(async () => (await items.count()) > 31, soon);
    await press("Load older");
    await see("Consumer acme created");
  });
});

checkPages(steps, () => ["usage", "activity"].map((tab) => `/consumers/main/acme?tab=${tab}`));
