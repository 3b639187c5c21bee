import { beforeAll, describe, expect } from "bun:test";
import type { Locator } from "playwright-core";
import { createPlan, newMeteringBucket } from "../support/metering.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// The frame around every page: theme, skip links, search.

const user = useConsole();
const { check, see, press, menu, type } = user;
const root = "/v1/accounts/default";

beforeAll(async () => {
  const { client } = user.server;
  await client.post(`${root}/key-buckets/main/consumers`, { name: "acme", tags: { plan: "gold" } });
  await client.post(`${root}/key-buckets/main/consumers`, { name: "globex" });
  await createPlan(client, await newMeteringBucket(client), { label: "Gold" });
}, patienceMs);

const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === element.ownerDocument.activeElement);

describe("the palette", () => {
  check("gets the letters that are typed before it is there", async () => {
    const arrival = Promise.withResolvers<void>();
    await user.page.route(/\/assets\/palette-/, async (route) => {
      await arrival.promise;
      await route.continue();
    });
    await user.page.goto(`${user.server.url}/console/plans`);
    await see("New plan");
    await user.page.keyboard.press("Control+k");
    await user.page.keyboard.type("meri");
    expect(await user.page.getByRole("combobox").count()).toBe(0);
    arrival.resolve();
    await user.page.keyboard.type("dian");
    const field = user.page.getByRole("combobox");
    await user.until(async () => (await field.inputValue()) === "meridian", "all letters in the field");
    await user.until(() => isFocused(field), "the focus in the field");
    await user.page.keyboard.type("s");
    expect(await field.inputValue()).toBe("meridians");
    await user.page.keyboard.press("Escape");
    await user.page.unrouteAll();
  });
});

describe("the theme", () => {
  check("can be chosen, is kept, and can be set back to the system's", async () => {
    const chosen = () => user.page.evaluate("document.documentElement.dataset.theme ?? null");
    await user.show("/plans");
    await press("Theme: System");
    await menu("Dark");
    expect(await chosen()).toBe("dark");
    await user.show("/plans");
    expect(await chosen()).toBe("dark");
    await press("Theme: Dark");
    await menu("System");
    expect(await chosen()).toBe(null);
    await user.show("/plans");
    expect(await chosen()).toBe(null);
    expect(await user.page.getByRole("button", { name: "Theme: System" }).count()).toBe(1);
  });
});

describe("the keyboard", () => {
  check("skips to the content and to the first row", async () => {
    await user.show("/consumers");
    await user.page.keyboard.press("Tab");
    const skip = user.page.getByRole("link", { name: "Skip to content" });
    expect(await isFocused(skip)).toBe(true);
    expect(await skip.evaluate((element) => getComputedStyle(element).clipPath)).toBe("none");
    await user.page.keyboard.press("Tab");
    await user.page.keyboard.press("Enter");
    expect(await isFocused(user.page.getByRole("link", { name: "acme" }))).toBe(true);
    expect(user.path).toBe("/console/consumers");
    await user.page.keyboard.press("Enter");
    await user.page.waitForURL(/\/consumers\/main\/acme/);
  });
});

describe("a new subscription", () => {
  check("warns about a consumer that does not exist", async () => {
    await user.show("/subscriptions?new=true");
    await type("Customer key", "amce");
    await see("There is no consumer named amce.");
    await type("Customer key", "acme");
    await user.gone(/There is no consumer named/);
  });
});
