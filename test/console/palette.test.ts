import { beforeAll, describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { deploy, openApi } from "../support/project.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see } = user;
const consumers = "/v1/accounts/default/key-buckets/main/consumers";

let suffix: string;
let deployment: string;

beforeAll(async () => {
  const { client } = user.server;
  for (const name of ["acme", "acme-two", "acme-three"])
    suffix = (await client.post(consumers, { name, apiKeys: [{}] })).body.apiKeys[0].key.slice(-8);
  const bucket = await newMeteringBucket(client);
  const plan = await createPlan(client, bucket, { label: "Acme special", planExternalId: "acme_special" });
  await subscribe(client, bucket, [plan], { customerKey: "acme" });
  const files = { "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }) };
  deployment = (await deploy(user.server, { project: "acme-gateway", branch: "main" }, files)).name;
}, patienceMs);

const keyboard = {
  open: async () => {
    await user.page.keyboard.press("Control+k");
    await keyboard.ready();
  },
  ready: async () => {
    await user.page.getByRole("combobox", { name: "Search pages, actions and resources" }).waitFor();
    await user.until(
      () => user.page.evaluate('document.activeElement?.getAttribute("role") === "combobox"') as Promise<boolean>,
      "the field to have the focus",
    );
  },
  type: (text: string) => user.page.keyboard.type(text, { delay: 20 }),
  press: (key: string) => user.page.keyboard.press(key),
};
const option = (name: string | RegExp) => user.page.getByRole("option", { name });
const searches = () => user.requests.filter((url) => url.includes("/search?"));

describe("the palette", () => {
  check("finds resources and pages with only the keyboard", async () => {
    await user.show("/keys");
    await keyboard.open();
    await keyboard.type("acme");
    await option(/^acme main$/).waitFor();
    await option(/^acme-gateway/).waitFor();
    await option(/^Acme special|^acme sbsc_|^acme /)
      .first()
      .waitFor();
    await user.expectAccessible();
    await eventually(() => user.page.locator("[aria-selected=true]").count()).toBe(1);
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowDown");
    await eventually(() => user.page.locator("[aria-selected=true]").innerText()).toContain("acme-two");
    await keyboard.press("Enter");
    await user.page.waitForURL(/\/consumers\/main\/acme-t/);
  });

  check("sends a request after a pause in typing, not for each letter", async () => {
    await user.show("/plans");
    await keyboard.open();
    await keyboard.type("acme-three");
    await option(/^acme-three/).waitFor();
    // Results of a shorter text are shown until then.
    await user.until(() => searches().at(-1)?.endsWith("q=acme-three") ?? false, "the search for the whole text");
    expect(searches().length).toBeLessThan("acme-three".length);
    await keyboard.press("Escape");
    await eventually(() => user.page.getByRole("combobox").count()).toBe(0);
  });

  check("finds a key by its last characters, and shows it in its consumer's list", async () => {
    await keyboard.open();
    await keyboard.type(suffix);
    await option(new RegExp(`…${suffix} acme-three · main`)).click();
    await user.page.waitForURL(/\/consumers\/main\/acme-three\?tab=keys&key=key_/);
    await user.page.locator("tr[data-selected]").waitFor();
  });

  check("finds a customer by another word of the description, and a pasted key without sending it", async () => {
    const { client } = user.server;
    const input = { name: "nw-17", description: "Northwind Traders", apiKeys: [{}] };
    const { key } = (await client.post(consumers, input)).body.apiKeys[0];
    await user.show("/keys");
    await keyboard.open();
    await keyboard.type("TRAD");
    await option(/^nw-17 main · Northwind Traders/).waitFor();
    await user.page.getByRole("combobox").fill(key);
    await option(new RegExp(`…${key.slice(-8)} nw-17 · main`)).click();
    await user.page.waitForURL(/\/consumers\/main\/nw-17\?tab=keys&key=key_/);
    expect(user.requests.filter((url) => url.includes(key))).toEqual([]);
  });

  check("shows all results on a page, what was opened last first", async () => {
    await user.show("/search?q=acme");
    const results = user.page.locator(".search-results a");
    await results.filter({ hasText: "acme-two" }).waitFor();
    await user.expectAccessible();
    await user.page.getByRole("searchbox", { name: "Search for" }).fill("acm");
    await results.filter({ hasText: "acme-three" }).click();
    await user.page.waitForURL(/\/consumers\/main\/acme-three/);
    await user.show("/search?q=acme");
    await eventually(() => results.first().innerText()).toContain("acme-three");
    await user.page.getByRole("searchbox", { name: "Search for" }).fill("xyzzy");
    await see("Nothing was found");
  });

  check("leads to deployments, plans, subscriptions and requests", async () => {
    await user.show("/");
    await keyboard.open();
    await keyboard.type(deployment);
    // Pressed before the response: the first result opens as soon as it arrives.
    await keyboard.press("Enter");
    await user.page.waitForURL(new RegExp(`/deployments/${deployment}`));
    await keyboard.open();
    await keyboard.type("acme_sp");
    await option(/^Acme special|^acme_special/)
      .first()
      .waitFor();
    await keyboard.press("Enter");
    await user.page.waitForURL(/\/plans\?bucket=mtr_\w+&plan=plan_/);
    await user.page.getByRole("dialog", { name: "Acme special" }).waitFor();
    await keyboard.press("Escape");
    await keyboard.open();
    user.expectStatus(404);
    await keyboard.type("req_000000000000000000000000");
    await option(/^Explain request/).waitFor();
    await keyboard.press("Enter");
    await see("This request is no longer stored");
  });

  check("stays on top when the page before it opens a panel late", async () => {
    const arrival = Promise.withResolvers<void>();
    await user.show("/");
    await keyboard.open();
    await keyboard.type("acme_sp");
    await option(/^Acme special|^acme_special/)
      .first()
      .waitFor();
    await user.page.route(/\/assets\/pages-|\/v1\/metering/, async (route) => {
      await arrival.promise;
      await route.continue();
    });
    await keyboard.press("Enter");
    await user.page.waitForURL(/&plan=plan_/);
    await keyboard.open();
    await keyboard.type("acme-");
    await eventually(() => user.page.locator(".panel").count()).toBe(0);
    arrival.resolve();
    await user.page.locator(".panel").getByText("Acme special").first().waitFor();
    await keyboard.ready();
    await keyboard.type("three");
    await option(/^acme-three/).waitFor();
    await keyboard.press("Escape");
    await user.page.getByRole("dialog", { name: "Acme special" }).waitFor();
    await keyboard.press("Escape");
    await user.until(async () => (await user.page.getByRole("dialog").count()) === 0, "the panel to close");
    await user.page.unrouteAll();
  });

  check("runs actions, shows when nothing matches, and takes hostile text as text", async () => {
    await user.show("/plans");
    await keyboard.open();
    await keyboard.type("<img src=x onerror=alert(1)>");
    await see("Nothing matches “<img src=x onerror=alert(1)>”.");
    await user.expectAccessible();
    await user.page.getByRole("combobox").fill("create web");
    await option("Create webhook").waitFor();
    await keyboard.press("Enter");
    await see("Create webhook");
    await user.page.waitForURL(/\/webhooks\?new=true/);
  });

  check("shows a reader why an action is not allowed", async () => {
    const { body } = await user.server.client.post("/v1/accounts/default/tokens", { role: "reader" });
    await user.signIn(body.token);
    await keyboard.open();
    await keyboard.type("create con");
    await option(/Not allowed for your role/).waitFor();
    await keyboard.press("Enter");
    await see("Your token's role is reader");
    await user.signIn();
  });
});
