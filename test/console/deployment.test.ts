import { afterAll, beforeAll, describe, expect } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { until } from "../support/until.ts";

const soon = { withinMs: patienceMs / 2 };
const steps = useConsole();
const { see, press, pressInDialog, type, choose, openTab, rows } = steps;

let busy: BusyAccount;
beforeAll(async () => {
  busy = await fillAccount(steps.console.server);
}, patienceMs);
afterAll(() => busy?.stop());

const show = (search: string) => steps.console.show(`/deployments/${busy.deployed.name}${search}`);
const variables = "/v1/accounts/default/projects/orders/variables";

describe("a deployment", () => {
  check("shows its traffic, percentiles and statuses", async () => {
    await show("?range=week");
    await see("Requests by outcome");
    const counts = (await rows("Requests by outcome")).map((row) => row.split("\t").slice(1, 4).map(Number));
    expect(counts.flat().reduce((sum, count) => sum + count, 0)).toBe(busy.requests);
    expect((await rows("Time to respond")).some((row) => /ms\t.*ms\t.*ms/.test(row))).toBe(true);
    await see("p95");
    expect(await steps.console.page.getByText("401", { exact: true }).count()).toBe(1);
  });

  check("shows a route with its chain of policies, their options and its traffic", async () => {
    await openTab("Routes");
    await steps.console.page.getByRole("link", { name: "GET /orders" }).click();
    await see("Policies, in their order");
    await see('"bucket": "main"');
    await see('"windowSeconds": 60');
    expect(steps.console.page.url()).toContain("route=GET");
    await steps.console.page.goBack();
    await until(async () => (await steps.console.page.getByText("Policies, in their order").count()) === 0, soon);
  });

  check("compares two versions", async () => {
    await openTab("Versions");
    await choose("Compare version", "1");
    await choose("With version", "2");
    await press("Compare");
    await see("Version 1 → version 2");
    await see("GET /invoices");
    await see("is added");
    const added = steps.console.page.locator('.diff-line[data-kind="added"]', { hasText: '"path": "/invoices"' });
    expect(await added.count()).toBe(1);
    const document = steps.console.page.getByRole("region", { name: "Document" });
    expect(await document.locator('.diff-line[data-kind="added"]', { hasText: '"/invoices": {' }).count()).toBe(1);
    expect(steps.console.page.url()).toContain("from=");
  });

  check("says what a roll back will do", async () => {
    await press("Roll back to 1");
    await see("takes its place without losing a request");
    await see("goes away");
    await pressInDialog("Cancel");
  });

  check("has variables: plain ones and secrets", async () => {
    await openTab("Variables");
    await see("No variables yet");
    await press("Set variable");
    await type("Name", "REGION");
    await type("Value", "eu-west-1");
    await pressInDialog("Set variable");
    await see("eu-west-1");

    await press("Set variable");
    await type("Name", "UPSTREAM_TOKEN");
    await steps.console.page.getByLabel(/^Secret/).check();
    steps.console.errors.expect(400);
    await type("Value", "short");
    await pressInDialog("Set variable");
    await see(/must have at least 8 characters/);
    await type("Value", "a-long-credential");
    await pressInDialog("Set variable");
    await see("Secret, never shown");
    expect(await steps.console.page.getByText("a-long-credential").count()).toBe(0);
    const { body } = await steps.console.server.client.get(variables);
    expect(body.data.map(({ name, environments }: Record<string, unknown>) => [name, environments])).toEqual([
      ["REGION", ["production", "preview"]],
      ["UPSTREAM_TOKEN", ["production"]],
    ]);
  });

  check("changes a variable unless somebody else did, and deletes one", async () => {
    await press("Actions of REGION");
    await steps.console.page.getByRole("menuitem", { name: "Edit" }).click();
    const elsewhere = JSON.stringify({ value: "us-east-1" });
    await steps.console.server.client.raw("PUT", `${variables}/REGION`, elsewhere);
    steps.console.errors.expect(412);
    await type("Value", "eu-north-1");
    await pressInDialog("Save");
    await see("Somebody else changed this");
    await press("Take theirs");
    await until(async () => (await steps.console.page.getByLabel("Value").inputValue()) === "us-east-1", soon);
    await type("Value", "eu-north-1");
    await pressInDialog("Save");
    await see("eu-north-1");
    await press("Actions of UPSTREAM_TOKEN");
    await steps.console.page.getByRole("menuitem", { name: "Delete" }).click();
    await see(/answer 503 from now on/);
    await press("Delete UPSTREAM_TOKEN");
    await until(async () => (await rows("Variables of orders")).length === 1, soon);
  });
});

checkPages(steps, () =>
  ["", "?tab=routes&route=GET%20%2Forders", "?tab=versions&from=1&to=2", "?tab=variables", "?tab=logs"].map(
    (search) => `/deployments/${busy.deployed.name}${search}`,
  ),
);
