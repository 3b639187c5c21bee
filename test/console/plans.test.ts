import { afterAll, beforeAll, describe, expect } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { accessibilityProblems } from "../support/console.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan } from "../support/metering.ts";
import { deploy, openApi } from "../support/project.ts";
import { until } from "../support/until.ts";

const soon = { withinMs: patienceMs / 2 };
const steps = useConsole();
const { see, press, pressInDialog, type, rows } = steps;

let busy: BusyAccount;
let planId: string;
beforeAll(async () => {
  const { client } = steps.console.server;
  busy = await fillAccount(steps.console.server);
  planId = (await client.get(`${busy.metering}/plans`)).body.data[0].id;
  const meters = { requests: { label: "Requests", max: 3000 }, exports: { label: "Exports", max: 10 } };
  await createPlan(client, busy.metering, { label: "Platinum", planExternalId: "price_platinum", meters });
}, patienceMs);
afterAll(() => busy?.stop());

const preview = () => steps.console.page.getByRole("region", { name: "What subscribers see" }).innerText();
const previewRows = () => rows("Effect of the change");
const usage = async () => {
  const { body } = await steps.console.server.client.get(`${busy.metering}/subscriptions/${busy.subscriptionId}/usage`);
  return body.meters;
};

describe("the editor of a plan", () => {
  check("shows what subscribers see while it is typed", async () => {
    await steps.console.visit("/plans?new=true");
    await type("Label", "Bronze");
    await type("Meter 1 limit", "12500");
    await eventually(() => preview()).toContain("Bronze");
    await eventually(() => preview()).toContain("12,500 Requests in each period");
    await type("Meter 1 limit", "twelve");
    await eventually(() => preview()).toContain("… Requests");
    await pressInDialog("Cancel");
  });

  check("warns of meters that the plan lacks, which other plans have and routes count", async () => {
    const { page, server } = steps.console;
    const bucketId = busy.metering.replace("/v1/metering/", "");
    await deploy(
      server,
      { project: "counting", branch: "main" },
      {
        "openapi.json": openApi({ "/maps": { "x-tollgate": { policies: ["key", "tiles"], upstream: server.url } } }),
        "tollgate.json": JSON.stringify({
          policies: {
            key: { type: "api-key", options: { bucket: "main" } },
            tiles: { type: "quota", options: { bucketId, meters: { tiles: 1 } } },
          },
        }),
      },
    );
    await steps.console.visit("/plans?new=true");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This plan lacks tiles, which routes count").waitFor();
    await dialog.getByText("This plan lacks exports, which the plan Platinum has").waitFor();
    const offered = async () => {
      const options = await dialog.locator("datalist option").all();
      return Promise.all(options.map((option) => option.getAttribute("value")));
    };
    await eventually(async () => (await offered()).sort()).toEqual(["exports", "requests", "tiles"]);
    await pressInDialog("Add exports");
    await eventually(() => dialog.getByLabel("Meter 2 label").inputValue()).toBe("Exports");
    await eventually(() => dialog.getByText("lacks exports").count()).toBe(0);
    await pressInDialog("Cancel");
  });

  check("computes what a period with some usage costs", async () => {
    const { page } = steps.console;
    await steps.console.visit("/plans?new=true");
    await type("Label", "Metered");
    await type(/^Price/, "29");
    const dialog = page.getByRole("dialog");
    const calculator = dialog.locator(".calculator");
    await eventually(() => calculator.innerText()).toContain("Requests beyond what is included would be rejected");
    await dialog.getByLabel("Beyond the limit of requests").selectOption("bill");
    await dialog.getByLabel("Tier 1 of requests: price of a unit").fill("0.015");
    // 1,000 are included.
    await calculator.getByLabel("Requests").fill("5000");
    await eventually(() => calculator.innerText()).toContain("€89.00");
    expect(await accessibilityProblems(page)).toEqual([]);
    await pressInDialog("Cancel");
  });

  check("shows the subscriptions affected by a lower limit before it is saved", async () => {
    await steps.console.visit(`/plans?plan=${planId}`);
    await press("Edit plan");
    await see("1 subscription is on this plan.");
    await eventually(() => steps.console.page.getByText(/nothing left then/).count()).toBe(0);
    await type("Meter 1 limit", "500");
    await see(/1 of them has nothing left then, and is rejected until the next period/);
    await see(/has used 900 of 500 Requests/);
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    await eventually(async () => (await usage()).requests.max).toBe(1000);
    await pressInDialog("Cancel");
  });
});

describe("a change of plan", () => {
  check("shows a preview before it is confirmed", async () => {
    await steps.console.visit(`/subscriptions?subscription=${busy.subscriptionId}`);
    await press("Change plan");
    const { page } = steps.console;
    const plan = page.getByRole("dialog").last().getByLabel("Plan", { exact: true });
    const before = await plan.inputValue();
    await page.getByText("Add-ons", { exact: true }).filter({ visible: true }).click();
    await page.getByLabel(/^Platinum/).check();
    // The fee does not rise: by default, the plan changes at the end of the period, and this one keeps its limits.
    await eventually(() => previewRows()).toEqual(["Requests\t900\t1,000\t4,000", "Exports\t0\tNone\t10"]);
    await page.getByText("Now", { exact: true }).click();
    await until(async () => (await previewRows())[0]?.includes("4,000") ?? false, soon);
    await eventually(() => previewRows()).toEqual(["Requests\t900\t1,000\t4,000\t4,000", "Exports\t0\tNone\t10\t10"]);
    await page.getByLabel(/^Platinum/).uncheck();
    await plan.selectOption("price_platinum");
    expect(before).not.toBe("price_platinum");
    await until(async () => (await previewRows()).length === 2, soon);
    await eventually(() => previewRows()).toEqual(["Requests\t900\t1,000\t3,000\t3,000", "Exports\t0\tNone\t10\t10"]);
    await page.getByText("A share…").click();
    await type("Share of the new limit", "0.5");
    await until(async () => (await previewRows())[0]!.includes("2,400"), soon);
    await eventually(() => previewRows()).toEqual(["Requests\t900\t1,000\t2,400\t3,000", "Exports\t0\tNone\t5\t10"]);
    await type("Share of the new limit", "0");
    await see(/Nothing is left of Requests after the change/);
    steps.console.errors.expect(400);
    await type("Share of the new limit", "2");
    await see("must be from 0 to 1");
    await type("Share of the new limit", "0.5");
    await until(async () => (await previewRows())[0]?.includes("2,400"), soon);
    expect(await accessibilityProblems(page)).toEqual([]);
    await eventually(async () => (await usage()).requests.max).toBe(1000);
    await page.getByRole("dialog").getByRole("button", { name: "Change plan" }).last().click();
    await see("900 of 2,400");
    await eventually(async () => (await usage()).requests.max).toBe(2400);
  });
});

check("counters are reconciled with the events", async () => {
  await steps.console.visit("/subscriptions");
  await press("Reconcile");
  await see("Every accepted event was counted once.");
  await eventually(() => rows("By meter")).toEqual(["requests\t9\t900\t900"]);
  expect(await accessibilityProblems(steps.console.page)).toEqual([]);
});

checkPages(steps, () => [
  "/plans?new=true",
  `/plans?plan=${planId}`,
  `/subscriptions?subscription=${busy.subscriptionId}`,
]);
