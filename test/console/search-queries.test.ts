import { beforeAll, describe, expect } from "bun:test";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { billed, invoicesOf, monthly, moveTo, ok, setProfile } from "../support/billing.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// The server reads the guides once, when it starts.
beforeAll(() => buildWebIfOutdated(["docs"]), patienceMs);
const user = useConsole();
const { check } = user;
const consumers = "/v1/accounts/default/key-buckets/main/consumers";
const ids = { subscriptionExternalId: "sub_1NqYz8", customerExternalId: "cus_OcXw42" };
let invoice: { number: string; id: string };

beforeAll(async () => {
  const { client } = user.server;
  const named = { "blue-door-books": "Blue Door Books", evergreen: "Evergreen Ltd", northwind: "Northwind Träders" };
  for (const [name, displayName] of Object.entries(named)) await ok(client.post(consumers, { name, displayName }));
  await ok(client.post(consumers, { name: "a595a2d15a798e96", displayName: "Initech" }));
  await ok(client.post(`${consumers}/northwind/managers`, { sub: "kim", email: "kim@seattle-mail.example" }));
  const bucket = await newMeteringBucket(client);
  const plan = await createPlan(client, bucket, { label: "Platinum", planExternalId: "price_platinum" });
  await subscribe(client, bucket, [plan], { customerKey: "northwind", ...ids });
  await ok(
    client.post("/v1/accounts/default/webhooks", { url: "https://hooks.yak.example/in", events: ["key.created"] }),
  );
  await setProfile(client, { numberPrefix: "WB-" });
  const scene = await billed(client, "2031-01-01T00:00:00.000Z", monthly("29.00"), { customerKey: "evergreen" });
  [invoice] = (await invoicesOf(client, scene.bucket)) as [typeof invoice];
  await ok(client.post(`${scene.bucket}/invoices/${invoice.id}/$mark-uncollectible`));
  await moveTo(client, scene.bucket, "2031-02-25T00:00:00.000Z");
}, patienceMs);

/** What is typed, and what is first. */
const queries: [string, string][] = [
  // Customers: by name, the middle of words, typos, mail domains and ids of other systems.
  ["evergreen", "Evergreen Ltd"],
  ["Blue Door", "Blue Door Books"],
  ["bluedoor", "Blue Door Books"],
  ["doorbooks", "Blue Door Books"],
  ["bleu door", "Blue Door Books"],
  ["evergren", "Evergreen Ltd"],
  ["vergreen", "Evergreen Ltd"],
  ["ever green", "Evergreen Ltd"],
  ["traders", "Northwind Träders"],
  ["norhtwind", "Northwind Träders"],
  ["nortwind traders", "Northwind Träders"],
  ["seattle-mail.example", "Northwind Träders"],
  ["@seattle-mail", "Northwind Träders"],
  ["kim@seattle", "Northwind Träders"],
  ["initech", "Initech"],
  ["a595a2d1", "Initech"],
  ["sub_1NqYz8", "northwind"],
  ["cus_OcXw42", "northwind"],
  // Other resources.
  ["platinum", "Platinum"],
  ["platnum", "Platinum"],
  ["price_plat", "Platinum"],
  ["yak", "hooks.yak.example/in"],
  // Pages, tabs, settings and actions, by their name and by others.
  ["refund", "Refund a paid invoice"],
  ["tax", "Settings: Billing"],
  ["vat", "Settings: Billing"],
  ["past due", "Past-due subscriptions"],
  ["logs", "Requests"],
  ["mrr", "Revenue"],
  ["overdue", "Unpaid invoices"],
  ["webhoks", "Webhooks"],
  ["setings", "Settings"],
  ["audit", "Audit log"],
  ["invite", "Settings: People"],
  ["certificates", "Domains"],
  ["429", "Requests"],
  ["new consumer", "Create consumer"],
  ["prepaid", "Credit packs"],
  // Guides.
  ["rotate the encryption key", "Rotate the key"],
  ["gdpr", "Data protection"],
  ["grpc", "GraphQL, gRPC, WebSockets and streams"],
  ["docker compose", "Docker compose, step by step"],
];

describe("the search", () => {
  check("has the expected first result for each of 40 texts", async () => {
    expect(queries.length).toBeGreaterThanOrEqual(40);
    await user.visit("/plans");
    await user.page.keyboard.press("Control+k");
    const field = user.page.getByRole("combobox", { name: "Search pages" });
    const labels = user.page.locator("[role=option] span.truncate");
    for (const [text, expected] of [...queries, [invoice.number, invoice.number], ["wb 1", invoice.number]] as const) {
      await field.fill(text);
      // Guides are loaded with the first search, and results of a shorter text are shown until those of this one arrive.
      await eventually(async () => ({ text, first: (await labels.allInnerTexts())[0] })).toEqual({
        text,
        first: expected,
      });
    }
    await user.page.keyboard.press("Escape");
  });

  check("says in the results whether requests of a customer pass, with the actions on the page", async () => {
    const state = user.page.locator(".customer-state");
    await user.visit("/plans");
    await user.page.keyboard.press("Control+k");
    await user.page.getByRole("combobox", { name: "Search pages" }).fill("evergren");
    await eventually(() => state.locator("p").allInnerTexts()).toEqual([
      expect.stringMatching(
        /^Requests that a plan limits are rejected since .*2031: \S+ \(€29.00\) and 1 more invoice/,
      ),
    ]);
    await eventually(() => state.getByRole("button").count()).toBe(0);
    await user.page.keyboard.press("Escape");
    await user.visit("/search?q=evergren");
    await eventually(() => state.getByRole("button").allInnerTexts()).toEqual(["Mark as paid", "Collect"]);
    await user.expectAccessible();
  });
});
