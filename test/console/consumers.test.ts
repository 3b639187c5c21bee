import { beforeAll, describe, expect } from "bun:test";
import { accessibilityProblems } from "../support/console.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { until } from "../support/until.ts";

const soon = { withinMs: patienceMs / 2 };
const operator = "the-operator-of-the-console-test";
const steps = useConsole({ environment: { TOLLGATE_OPERATOR_TOKEN: operator } });
const { see, press, pressInDialog, type, rows } = steps;
const consumers = "/v1/accounts/default/key-buckets/main/consumers";

beforeAll(async () => {
  const { client } = steps.console.server;
  for (let index = 0; index < 60; index++) {
    const name = `${index < 55 ? "trial" : "paying"}-${String(index).padStart(2, "0")}`;
    await client.post(`${consumers}?with-api-key=true`, { name, tags: { plan: index < 55 ? "trial" : "gold" } });
  }
}, patienceMs);

const client = () => steps.console.server.client;
const total = async (query = "") => (await client().get(`${consumers}?limit=1${query}`)).body.total;

describe("many consumers", () => {
  check("a tag filter without a value matches none, rather than all", async () => {
    await steps.console.visit("/consumers?tag=plan");
    await see("No consumer matches");
  });

  check("redirect to the last page when the page number is too high", async () => {
    await steps.console.visit("/consumers?page=99");
    await see("There is no page 99.");
    await press("Last page");
    await see(/^\d+–\d+ of \d+$/);
  });

  check("are found by the prefix of their name", async () => {
    await steps.console.visit("/consumers");
    await type("Filter by name", "paying");
    await steps.console.page.keyboard.press("Enter");
    await see("1–5 of 5");
    await eventually(() => steps.console.page.url()).toContain("q=paying");
  });

  check("are selected, listed by a dry run, and tagged", async () => {
    await steps.console.page.getByLabel("Select paying-55").check();
    await steps.console.page.getByLabel("Select paying-56").check();
    await see("2 consumers selected");
    await press("Change tags…");
    await see(/2 consumers: paying-55, paying-56/);
    await eventually(() => steps.console.page.getByRole("button", { name: "Change 2 consumers" }).isDisabled()).toBe(
      true,
    );
    await type("Tag 1 name", "seats");
    await type("Tag 1 value", "5");
    await type("Remove tags", "plan, none");
    await steps.console.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await pressInDialog("Copy as…");
    await steps.console.page.getByRole("menuitem", { name: "Copy as command" }).click();
    const copied = async () => (await steps.console.page.evaluate("navigator.clipboard.readText()")) as string;
    await until(async () => (await copied()).startsWith("tollgate"), soon);
    expect(await copied()).toBe(
      "tollgate consumers tag --bucket main --name paying-55 --name paying-56 --add seats=5 --remove plan --remove none",
    );
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    await eventually(() => total("&tag.seats=5")).toBe(0);
    await pressInDialog("Change 2 consumers");
    await see("2 consumers changed");
    await eventually(() => total("&tag.seats=5")).toBe(2);
    await eventually(async () => (await client().get(`${consumers}/paying-55`)).body.tags).toEqual({ seats: 5 });
    await until(async () => (await rows("Consumers"))[0]!.includes("seats: 5"), soon);
  });

  check("one that is selected alone is deleted after its name was typed", async () => {
    await client().post(`${consumers}?with-api-key=true`, { name: "alone" });
    await steps.console.visit("/consumers?q=alone");
    await steps.console.page.getByLabel("Select alone").check();
    await press("Delete…");
    await see("Delete alone?");
    await see(/^1 key stops working immediately/);
    const confirm = steps.console.page.getByRole("button", { name: "Delete alone" });
    await type(/^Type alone to confirm/, "1");
    await eventually(() => confirm.isDisabled()).toBe(true);
    await type(/^Type alone to confirm/, "alone");
    await confirm.click();
    await see("1 consumer deleted");
    await eventually(() => total()).toBe(60);
  });

  check("all that match a filter are deleted after their number was typed", async () => {
    await steps.console.visit("/consumers?tag=plan%3Dtrial");
    await steps.console.page.getByLabel("Select all on this page").check();
    await see("50 consumers selected");
    await press("Select all 55 that match");
    await see("All 55 that match");
    await press("Delete…");
    await see(/55 keys stop working immediately/);
    const confirm = steps.console.page.getByRole("button", { name: "Delete 55 consumers" });
    await type(/^Type 55/, "50");
    await eventually(() => confirm.isDisabled()).toBe(true);
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    await eventually(() => total()).toBe(60);
    await type(/^Type 55/, "55");
    await confirm.click();
    await see("55 consumers deleted");
    await see("No consumer matches");
    await eventually(() => total()).toBe(5);
  });
});

describe("the system", () => {
  check("is shown to the operator: size, nodes, caches, last backup", async () => {
    await steps.console.visit("/settings?tab=system");
    await see("Size, nodes, caches and the last backup are shown to the operator");
    await steps.console.signIn(operator);
    await steps.console.visit("/settings?tab=system");
    await see("None yet");
    await see("Shows this page");
    await eventually(async () => (await rows("Caches")).map((row) => row.split("\t")[0]).sort()).toEqual([
      "authorizations",
      "buckets",
      "consumers",
      "keys",
      "metering-buckets",
      "oauth-keys",
      "people",
      "sessions",
      "tokens",
    ]);
    await eventually(() => steps.console.page.getByText(/^[\d.,]+ (kB|MB)$/).count()).toBeGreaterThanOrEqual(2);
  });
});

checkPages(steps, () => ["/consumers?bucket=main", "/settings?tab=system"]);
