import { beforeAll, describe, expect } from "bun:test";
import { monthly, ok, setProfile } from "../support/billing.ts";
import { eventually } from "../support/eventually.ts";
import { layoutShift } from "../support/layout-shift.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see } = user;
const buckets = "/v1/accounts/default/key-buckets";

let metering: string;

beforeAll(async () => {
  const { client } = user.server;
  await setProfile(client);
  const bucket = await newMeteringBucket(client);
  metering = bucket.split("/").at(-1)!;
  const plan = await createPlan(client, bucket, { ...monthly("30.00"), label: "Gold" });
  for (const [name, displayName] of [
    ["acme", "Acme Inc."],
    ["quiet", "Quiet Ltd."],
  ])
    await ok(client.post(`${buckets}/main/consumers?with-api-key=true`, { name, displayName }));
  await ok(client.post(`${buckets}/eu/consumers?with-api-key=true`, { name: "acme", displayName: "Acme SE" }));
  for (const customerKey of ["acme", "only, paying"])
    await subscribe(client, bucket, [plan], { customerKey, subscriptionExternalId: customerKey });
}, patienceMs);

const figure = (label: string) =>
  user.page.locator(".head-figures div", { has: user.page.getByText(label, { exact: true }) }).locator("dd");
const tabs = () => user.page.getByRole("tab").allInnerTexts();
const title = () => user.page.getByRole("heading", { level: 1 }).innerText();

describe("the page of a customer", () => {
  check("has the name, plan, status and amount due, and does not move while it loads", async () => {
    for (const tab of ["overview", "keys", "usage", "requests", "billing", "people", "activity"]) {
      await user.visit(`/consumers/main/acme?tab=${tab}`);
      await eventually(() => figure("Amount due").innerText()).toBe("€30.00");
      await eventually(async () => ({ tab, isSteady: (await layoutShift(user.page)).score < 0.05 })).toEqual({
        tab,
        isSteady: true,
      });
    }
    await eventually(title).toBe("Acme Inc.");
    await eventually(() => figure("Plan").innerText()).toBe("Gold");
    await eventually(() => figure("Status").innerText()).toBe("Active");
    await eventually(() => figure("Credit").innerText()).toBe("None");
    await eventually(tabs).toEqual(["Overview", "Keys", "Usage", "Requests", "Billing", "People", "Activity"]);
  });

  check("of a consumer without a subscription offers one", async () => {
    await user.visit("/consumers/main/quiet?tab=billing");
    await see("quiet has no subscription");
    await eventually(() => figure("Plan").innerText()).toBe("None");
  });

  check("of a customer without a consumer has its billing, but no keys or people", async () => {
    await user.visit(`/billing/customers/${metering}/${encodeURIComponent("only, paying")}`);
    await eventually(() => user.path).toStartWith(`/console/customers/${metering}/`);
    await see("No consumer: it has no keys");
    await eventually(() => figure("Plan").innerText()).toBe("Gold");
    await eventually(tabs).toEqual(["Overview", "Usage", "Requests", "Billing"]);
  });

  check("is found from a former address, and from consumers of equal names in two buckets", async () => {
    await user.visit(`/billing/customers/${metering}/acme`);
    await eventually(() => user.path).toBe(`/console/consumers/main/acme?tab=billing&metering=${metering}`);
    await user.visit(`/keys?bucket=eu`);
    await user.page.getByRole("link", { name: "Acme SE" }).click();
    await eventually(title).toBe("Acme SE");
    await eventually(() => user.path).toStartWith("/console/consumers/eu/acme");
  });

  check("leads a support case from a key to its invoice with three clicks", async () => {
    await user.visit(`/keys?bucket=main`);
    await user.page.getByRole("table", { name: "Keys" }).locator("tbody tr").first().getByRole("link").first().click();
    await user.page.getByRole("tab", { name: "Billing" }).click();
    await user.page.getByRole("table", { name: "Invoices" }).locator("tbody tr").first().getByRole("link").click();
    await see("Lines");
    await eventually(() => user.path).toContain("invoice=");
  });
});

describe("a customer", () => {
  const consumer = async (name: string) => (await user.server.client.get(`${buckets}/main/consumers/${name}`)).body;

  check("is suspended with a reason, and resumed", async () => {
    await ok(user.server.client.post(`${buckets}/main/consumers`, { name: "late" }));
    await user.visit("/consumers/main/late");
    await user.press("Suspend");
    await user.type(/^Reason/, "Invoice WB-12 is overdue.");
    await user.confirm("Suspend");
    await see("All requests are rejected: the consumer is suspended: Invoice WB-12 is overdue.");
    expect(await consumer("late")).toMatchObject({ isSuspended: true, suspensionReason: "Invoice WB-12 is overdue." });
    await user.press("Resume");
    await user.confirm("Resume");
    await user.gone("All requests are rejected");
    expect(await consumer("late")).not.toHaveProperty("isSuspended");
  });

  check("has a display name, from which the name is proposed until it is typed", async () => {
    const name = () => user.page.getByLabel(/^Name/).first().inputValue();
    await user.visit("/consumers?bucket=main");
    await user.press("New consumer");
    await user.type(/^Display name/, "Blüte & Söhne GmbH");
    await eventually(name).toBe("blute-sohne-gmbh");
    await user.type(/^Name/, "bluete");
    await user.type(/^Display name/, "Blüte GmbH");
    await eventually(name).toBe("bluete");
    await user.confirm("Create consumer");
    await user.page.getByRole("button", { name: "I have stored it" }).click();
    await eventually(title).toBe("Blüte GmbH");
    await user.press("Edit");
    await user.type(/^Display name/, "Blüte KG");
    await user.confirm("Save");
    await eventually(title).toBe("Blüte KG");
    expect(await consumer("bluete")).toMatchObject({ displayName: "Blüte KG" });
  });

  check("of a deleted consumer is handed over to a new one of its name when that is confirmed", async () => {
    const { client } = user.server;
    const bucket = `/v1/metering/${(await ok(client.post("/v1/metering", { keyBucket: "main" }))).id}`;
    await ok(client.post(`${buckets}/main/consumers`, { name: "moved" }));
    await subscribe(client, bucket, [await createPlan(client, bucket)], { customerKey: "moved" });
    await client.delete(`${buckets}/main/consumers/moved`);
    await user.visit("/consumers?bucket=main");
    await user.press("New consumer");
    await user.type(/^Display name/, "Moved");
    await eventually(() => user.page.getByLabel(/^Name/).first().inputValue()).toBe("moved");
    user.expectStatus(409);
    await user.confirm("Create consumer");
    await user.page.getByLabel(/^Transfer the subscriptions/).check();
    expect((await client.get(`${buckets}/main/consumers/moved`)).status).toBe(404);
    await user.confirm("Create consumer");
    await eventually(async () => (await client.get(`${buckets}/main/consumers/moved`)).status).toBe(200);
    await user.page.getByRole("dialog").getByText("moved").first().waitFor();
  });
});

describe("the list of consumers", () => {
  const names = () => user.page.getByRole("table", { name: "Consumers" }).locator("tbody tr").allInnerTexts();

  check("has display names, and is sorted by the server", async () => {
    await user.visit("/consumers?bucket=main");
    await eventually(async () => (await names())[0]).toMatch(/Acme Inc\.\s*acme[\s\S]*Gold[\s\S]*€30.00/);
    await eventually(async () => (await layoutShift(user.page)).score).toBeLessThan(0.05);
    const { body } = await user.server.client.get(`${buckets}/main/consumers/quiet/keys?key-format=visible`);
    await user.server.client.post(`${buckets}/main/verify-key`, { key: body.data[0].key });
    await user.server.runTasks();
    await user.press("Last request");
    await eventually(async () => (await names())[0]).toContain("Quiet Ltd.");
    await user.press("Amount due");
    await eventually(names).toEqual([expect.stringContaining("Acme Inc."), expect.stringContaining("only, paying")]);
    await user.press("Usage");
    await user.page.waitForURL(/sort=usage/);
    await eventually(async () => (await names())[0]).toContain("Acme Inc.");
  });
});
