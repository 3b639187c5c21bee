import { beforeAll, describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see, press, type, confirm, menu } = user;

let bucket: string;
let plan: { id: string };
let subscription: { id: string };

beforeAll(async () => {
  const { client } = user.server;
  bucket = await newMeteringBucket(client);
  const gold = await createPlan(client, bucket, { meters: { requests: { max: 1000 } } });
  plan = gold;
  subscription = await subscribe(client, bucket, [gold], { customerKey: "acme" });
}, patienceMs);

const copied = async (): Promise<string> => (await user.page.evaluate("navigator.clipboard.readText()")) as string;
const row = (name: RegExp) => user.page.getByRole("dialog").last().getByRole("row", { name });

describe("a concurrent change", () => {
  check("a concurrent change of a plan is shown beside the user's change", async () => {
    const path = `${bucket}/plans/${plan.id}`;
    await user.visit(`/plans?plan=${plan.id}`);
    await press("Edit plan");
    await type("Meter 1 limit", "3000");
    await user.server.client.patch(path, { label: "Golden", meters: { requests: { label: "Requests", max: 2000 } } });
    user.expectStatus(412);
    await press("Save plan");
    await see("Now on the server");
    await eventually(() => row(/^Label/).innerText()).toContain("Golden");
    await eventually(() => row(/^Meters/).innerText()).toMatch(/2000[\s\S]*3000/);
    await user.expectAccessible();
    await press("Keep mine, and save over theirs");
    await user.gone("Now on the server");
    // The notice goes when the save begins.
    const saved = async () => (await user.server.client.get(path)).body;
    await user.until(async () => (await saved()).meters.requests.max === 3000, "the saved limit");
    await eventually(async () => (await saved()).label).toBe("Gold");
  });

  check("a concurrent change is shown also after the page was read again", async () => {
    const { client } = user.server;
    const path = "/v1/accounts/default/key-buckets/conflicts/consumers/acme";
    await client.raw("PUT", "/v1/accounts/default/key-buckets/conflicts", "{}");
    await client.post("/v1/accounts/default/key-buckets/conflicts/consumers", { name: "acme", description: "First" });
    await user.visit("/consumers/conflicts/acme");
    await press("Edit");
    await type("Description", "Second");
    await press("Save");
    await see("Second");
    await press("Edit");
    await type("Description", "Mine");
    await client.patch(path, { description: "Theirs" });
    user.expectStatus(412);
    await press("Save");
    await see("Now on the server");
    await press("Take theirs");
    await press("Save");
    await eventually(async () => (await client.get(path)).body.description).toBe("Theirs");
  });

  check("a concurrent change of a subscription is shown", async () => {
    const path = `${bucket}/subscriptions/${subscription.id}`;
    await user.visit(`/subscriptions?subscription=${subscription.id}`);
    await press("Change status");
    await user.page.getByRole("dialog").last().getByLabel("Status", { exact: true }).selectOption("past-due");
    await user.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press("Copy as…");
    await menu("Copy as command");
    await user.until(async () => (await copied()).startsWith("tollgate subscriptions update"), "the command");
    expect(await copied()).toContain(`update ${subscription.id} --bucket `);
    await user.server.client.patch(path, { status: "canceled" });
    user.expectStatus(412);
    await confirm("Change status");
    await row(/^Status/).waitFor();
    await user.expectAccessible();
    await press("Take theirs");
    await eventually(() =>
      user.page.getByRole("dialog").last().getByLabel("Status", { exact: true }).inputValue(),
    ).toBe("canceled");
  });
});

check("a trial and its end are set together", async () => {
  const path = `${bucket}/subscriptions/${subscription.id}`;
  await user.visit(`/subscriptions?subscription=${subscription.id}`);
  await press("Change status");
  const dialog = user.page.getByRole("dialog").last();
  await dialog.getByLabel("Status", { exact: true }).selectOption("trialing");
  await dialog.getByLabel(/^Trial ends/).fill("2040-01-15T12:00");
  await confirm("Change status");
  // The label is in the dialog too, so it does not show that the change is saved.
  await eventually(async () => (await user.server.client.get(path)).body).toMatchObject({
    status: "trialing",
    trialEndDate: expect.stringMatching(/^2040-01-1[456]T/),
  });
});
