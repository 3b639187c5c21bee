import { beforeAll, expect } from "bun:test";
import { readFile } from "node:fs/promises";
import { billed, moveTo, perUnit, setProfile } from "../support/billing.ts";
import { eventually } from "../support/eventually.ts";
import { type PlanNames, record, subscribe, usageEvent } from "../support/metering.ts";
import { useConsole } from "../support/use-console.ts";

// Before a price changes: from the plan to what each customer would have been billed.

const user = useConsole();
const { check, see, press, type, confirm } = user;
const gold = {
  label: "Gold",
  planExternalId: "price_gold",
  price: { currency: "EUR", amount: "10.00", interval: "month" },
  meters: { requests: { label: "Requests", max: 100 } },
  rates: { requests: perUnit("0.10") },
};

let bucket: string;
let planId: string;

beforeAll(async () => {
  const { client } = user.server;
  await setProfile(client, { termsDays: 365 });
  // acme uses 130 in January, and bolt 10.
  ({
    bucket,
    plan: { id: planId },
  } = await billed(client, "2031-01-01T00:00:00.000Z", gold));
  const [plan] = (await client.get(`${bucket}/plans`)).body.data as PlanNames[];
  await subscribe(client, bucket, [plan!], { customerKey: "bolt" });
  const time = "2031-01-10T00:00:00.000Z";
  await record(client, bucket, usageEvent({ requests: 130 }, { time }));
  await record(client, bucket, usageEvent({ requests: 10 }, { subject: "bolt", time }));
  await moveTo(client, bucket, "2031-02-05T00:00:00.000Z");
});

const cells = async (caption: string) =>
  (await user.page.getByRole("table", { name: caption, exact: true }).locator("tbody tr").allInnerTexts()).map((row) =>
    row.split("\t").map((cell) => cell.trim()),
  );
const storedPrice = async () => (await user.server.client.get(`${bucket}/plans/${planId}`)).body.price.amount;

check("an account without simulations says what they are for, and begins with a plan", async () => {
  await user.visit("/plans");
  await user.page.getByRole("link", { name: "Simulations" }).click();
  await see("No simulations yet");
  await user.expectAccessible();
  await press("Simulate a plan");
  await see("What its subscribers would have been billed with another price, rate or limit.");
  await type("Price", "12.00");
  await user.expectAccessible();
  await confirm("Simulate");
  // A fee of 12 euros instead of 10, for one period each.
  await eventually(() => cells("Sums")).toEqual([
    [expect.stringMatching(/^Billed, /), "€20.00", "€3.00", "€0.00", "€0.00", "€23.00", ""],
    ["Gold: €12.00 per month", "€24.00", "€3.00", "€0.00", "€0.00", "€27.00", "+€4.00"],
  ]);
  await see("2 customers would have paid more, 0 less, 0 the same.");
  await eventually(() => cells("Customers")).toEqual([
    ["acme", "€13.00", "€15.00", "+€2.00", "", ""],
    ["bolt", "€10.00", "€12.00", "+€2.00", "", ""],
  ]);
  const distribution = user.page.getByRole("list", { name: "Distribution of the differences" });
  await eventually(() => distribution.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^\+€2\.00\s+2$/),
  ]);
  await user.expectAccessible();
  expect(await storedPrice()).toBe("10.00");
});

check("the result is downloaded as CSV, and links to each customer", async () => {
  const [download] = await Promise.all([user.page.waitForEvent("download"), press("Download CSV")]);
  expect((await readFile(await download.path(), "utf8")).split(/\r?\n/)[1]).toStartWith("acme,EUR,13.00,15.00,2.00");
  await user.page.getByRole("link", { name: "acme" }).click();
  await user.until(() => user.path.startsWith(`/console/customers/${bucket.split("/").at(-1)}/acme`));
});

check("the form of a plan shows the effect of its terms before they are saved", async () => {
  await user.visit(`/plans?plan=${planId}`);
  await press("Edit plan");
  await see("Change a price, a rate or a limit above to see its effect.");
  await type("Meter 1 limit", "50");
  await press("Simulate the change");
  await see("1 customer would have paid more, 0 less, 1 the same.");
  await eventually(() => cells("Customers")).toEqual([
    ["acme", "€13.00", "€18.00", "+€5.00"],
    ["bolt", "€10.00", "€10.00", "€0.00"],
  ]);
  await user.expectAccessible();
  await type("Meter 1 limit", "60");
  await see("The form has changed since. Simulate it again.");
  await type("Meter 1 limit", "100");
  await user.page.getByText("Change a price, a rate or a limit above").waitFor();
  await confirm("Cancel");
});

check("several simulations are compared, and one is deleted", async () => {
  await user.visit("/plans/simulations");
  const terms = ["Gold: 50 Requests", "Gold: €12.00 per month"];
  await eventually(async () =>
    (await cells("Simulations")).map(([, name, , difference]) => [name, difference]),
  ).toEqual([
    [terms[0], "+€5.00"],
    [terms[1], "+€4.00"],
  ]);
  for (const name of terms) await user.page.getByLabel(`Compare ${name}`).check({ force: true });
  await user.expectAccessible();
  await press("Compare");
  await see("2 simulations");
  await eventually(async () => (await cells("Sums")).map((row) => [row[0], row.at(-2), row.at(-1)])).toEqual([
    [expect.stringMatching(/^Billed, /), "€23.00", ""],
    [terms[0], "€28.00", "+€5.00"],
    [terms[1], "€27.00", "+€4.00"],
  ]);
  await user.expectAccessible();
  await user.page.getByRole("link", { name: "All customers" }).first().click();
  await press("Delete");
  await confirm("Delete simulation");
  await eventually(async () => (await cells("Simulations")).map(([, name]) => name)).toEqual([terms[1]]);
});

check("one in progress shows how far it is, and is canceled", async () => {
  const { client } = user.server;
  const { id, jobId } = (
    await client.post(`${bucket}/$simulate`, {
      from: "2031-01-01T00:00:00.000Z",
      to: "2031-02-02T00:00:00.000Z",
      plans: {},
    })
  ).body;
  await user.until(async () => (await client.get(`${bucket}/simulations/${id}`)).body.state === "succeeded");
  expect(jobId).toStartWith("job_");
  const path = `${bucket}/simulations/${id}`;
  const progress: Record<string, unknown> = { state: "running", done: 1, total: 2, result: undefined };
  await user.page.route(`**/simulations/${id}`, async (route) => {
    if (route.request().method() === "DELETE" && progress.done === 2) {
      progress.state = "canceled";
      return route.fulfill({ status: 204 });
    }
    const response = await route.fetch();
    if (response.status() !== 200) return route.fulfill({ response });
    const headers = { ...response.headers(), etag: `"${id}.in-progress"` };
    return route.fulfill({ response, headers, json: { ...(await response.json()), ...progress } });
  });
  await user.visit(`/plans/simulations/${id}`);
  await see("1 of 2 customers computed");
  await see("All plans as they are");
  await user.expectAccessible();
  // It has ended since it was shown: it is not deleted.
  await press("Cancel");
  user.expectStatus(412);
  await user.page.getByRole("dialog").getByRole("button", { name: "Cancel the simulation" }).click();
  await see(/has changed since/);
  expect((await client.get(path)).status).toBe(200);
  progress.state = "succeeded";
  await see("It has ended in the meantime: there is nothing to cancel.");
  await user.page.keyboard.press("Escape");
  Object.assign(progress, { state: "running", done: 2 });
  await user.visit(`/plans/simulations/${id}`);
  await see("2 of 2 customers computed");
  await press("Cancel");
  await confirm("Cancel the simulation");
  await see("It was canceled.");
  await user.page.unroute(`**/simulations/${id}`);
});

check("a reader sees results and cannot simulate, and every page fits a phone", async () => {
  await user.expectNarrow(["/plans/simulations"]);
  const { body } = await user.server.client.post("/v1/accounts/default/tokens", { role: "reader" });
  await user.page.context().clearCookies();
  await user.page.goto("about:blank");
  await user.signIn(body.token);
  await user.visit("/plans/simulations");
  await user.pressDenied("New simulation");
  await see(/This needs billing, editor or admin/);
  await user.page.getByRole("link", { name: "Gold: €12.00 per month" }).click();
  await see("2 customers would have paid more, 0 less, 0 the same.");
  await user.pressDenied("Delete");
});
