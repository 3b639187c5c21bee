import { beforeAll, describe } from "bun:test";
import type { Locator } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket } from "../support/metering.ts";
import { operatorToken } from "../support/server-settings.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// The frame around every page: theme, skip links, search, saved views, accounts.

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
  check("keeps letters that are typed before it has loaded", async () => {
    const arrival = Promise.withResolvers<void>();
    await user.page.route(/\/assets\/palette-/, async (route) => {
      await arrival.promise;
      await route.continue();
    });
    await user.page.goto(`${user.server.url}/console/plans`);
    await see("New plan");
    await user.page.keyboard.press("Control+k");
    await user.page.keyboard.type("meri");
    await eventually(() => user.page.getByRole("combobox").count()).toBe(0);
    arrival.resolve();
    await user.page.keyboard.type("dian");
    const field = user.page.getByRole("combobox");
    await user.until(async () => (await field.inputValue()) === "meridian", "all letters in the field");
    await user.until(() => isFocused(field), "the focus in the field");
    await user.page.keyboard.type("s");
    await eventually(() => field.inputValue()).toBe("meridians");
    await user.page.keyboard.press("Escape");
    await user.page.unrouteAll();
  });
});

describe("the theme", () => {
  check("can be chosen, is stored, and can be reset to the system's", async () => {
    const chosen = () => user.page.evaluate("document.documentElement.dataset.theme ?? null");
    await user.show("/plans");
    await press("Theme: System");
    await menu("Dark");
    await eventually(() => chosen()).toBe("dark");
    await user.show("/plans");
    await eventually(() => chosen()).toBe("dark");
    await press("Theme: Dark");
    await menu("System");
    await eventually(() => chosen()).toBe(null);
    await user.show("/plans");
    await eventually(() => chosen()).toBe(null);
    await eventually(() => user.page.getByRole("button", { name: "Theme: System" }).count()).toBe(1);
  });
});

describe("the keyboard", () => {
  check("skips to the content and to the first row", async () => {
    await user.show("/consumers");
    await user.page.keyboard.press("Tab");
    const skip = user.page.getByRole("link", { name: "Skip to content" });
    await eventually(() => isFocused(skip)).toBe(true);
    await eventually(() => user.page.evaluate("getComputedStyle(document.activeElement).clipPath")).toBe("none");
    await user.page.keyboard.press("Tab");
    await user.page.keyboard.press("Enter");
    await eventually(() => isFocused(user.page.getByRole("link", { name: "acme" }))).toBe(true);
    await eventually(() => user.path).toBe("/console/consumers");
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

describe("saved views", () => {
  const views = `${root}/views`;
  const link = (name: string) => user.page.getByRole("navigation", { name: "Saved views" }).getByRole("link", { name });
  const nameIt = (name: string) => user.page.getByRole("dialog").getByLabel("Name", { exact: true }).fill(name);
  const saved = async () => (await user.server.client.get(views)).body.data;

  check("a filtered list is named and appears in the sidebar, also for others", async () => {
    await user.show("/consumers");
    await eventually(() => user.page.getByRole("button", { name: "Save view" }).count()).toBe(0);
    await user.show("/consumers?tag=plan%3Dgold&page=2&bucket=main");
    await press("Save view");
    await nameIt("Gold customers");
    await user.expectAccessible();
    await user.confirm("Save view");
    await link("Gold customers").waitFor();
    await eventually(() => saved()).toMatchObject([{ name: "Gold customers", page: "consumers" }]);
    await eventually(async () => (await saved())[0].search.split("&").sort()).toEqual([
      "bucket=main",
      "tag=plan%3Dgold",
    ]);
    // Filters that are saved already are not offered again.
    await user.until(
      async () => (await user.page.getByRole("button", { name: "Save view" }).count()) === 0,
      "the button to go",
    );
    await user.show("/plans");
    await link("Gold customers").click();
    await user.page.waitForURL(/\/consumers\?.*tag=plan%3Dgold/);
    await user.page.getByRole("table", { name: "Consumers" }).getByRole("link", { name: "acme" }).waitFor();
    await user.gone("globex");
    await user.expectAccessible();
  });

  check("a name that is taken is rejected in the dialog", async () => {
    await user.show("/audit-log?action=key.*");
    await press("Save view");
    await nameIt("Gold customers");
    user.expectStatus(409);
    await user.confirm("Save view");
    await user.page.getByRole("dialog").getByRole("alert").waitFor();
    await eventually(() => saved()).toHaveLength(1);
    await user.confirm("Cancel");
  });

  check("is renamed and deleted", async () => {
    await user.show("/plans");
    await press("Actions for the view Gold customers");
    await menu("Rename");
    await nameIt("Best customers");
    await user.confirm("Rename view");
    await link("Best customers").waitFor();
    await eventually(() => saved()).toMatchObject([{ name: "Best customers", page: "consumers" }]);
    await press("Actions for the view Best customers");
    await menu("Delete");
    await user.confirm("Delete Best customers");
    await user.until(async () => (await link("Best customers").count()) === 0, "the view to go");
    await eventually(() => saved()).toEqual([]);
  });

  check("a reader opens them, and reads why they cannot be changed", async () => {
    const { client } = user.server;
    await client.post(views, { name: "Failed", page: "requests", search: "status=5xx" });
    const { body } = await client.post(`${root}/tokens`, { role: "reader" });
    await user.signIn(body.token);
    await user.show("/plans");
    await link("Failed").click();
    await user.page.waitForURL(/\/requests\?status=5xx/);
    await press("Actions for the view Failed");
    await see("Your token's role is reader. This needs editor or admin");
    await eventually(() => user.page.getByRole("menuitem", { name: "Delete" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    await user.page.keyboard.press("Escape");
    await user.signIn();
  });
});

describe("an operator", () => {
  check("chooses among accounts, and copies commands that name the chosen one", async () => {
    const operator = user.server.client.as(operatorToken);
    await operator.post("/v1/accounts", { name: "second" });
    await operator.post("/v1/accounts/second/key-buckets/main/consumers", { name: "hooli" });
    await user.signIn(operatorToken);
    await user.show("/consumers?bucket=main");
    await see("acme");
    await press(/^Account default/);
    await menu("second");
    await user.show("/consumers?bucket=main");
    await see("hooli");
    await user.show("/deployments");
    await press("As command");
    await see("tollgate deployments list --account second");
    await see("/v1/deployments?accountName=second");
    await user.page.keyboard.press("Escape");
    await press(/^Account second/);
    await menu("default");
    await user.signIn();
  });
});
