import { beforeAll, describe, expect } from "bun:test";
import { searchedText } from "../../src/client/searched-text.ts";
import { billed, invoicesOf, monthly, setProfile } from "../support/billing.ts";
import { Cli } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { callHost, deploy, openApi } from "../support/project.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
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
    await user.visit("/keys");
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
    await user.visit("/plans");
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
    await user.visit("/keys");
    await keyboard.open();
    await keyboard.type("TRAD");
    await option(/^nw-17 main · Northwind Traders/).waitFor();
    await user.page.getByRole("combobox").fill(key);
    await option(new RegExp(`…${key.slice(-8)} nw-17 · main`)).click();
    await user.page.waitForURL(/\/consumers\/main\/nw-17\?tab=keys&key=key_/);
    expect(user.requests.filter((url) => url.includes(key))).toEqual([]);
  });

  check("shows all results on a page, what was opened last first", async () => {
    await user.visit("/search?q=acme");
    const results = user.page.locator(".search-results a");
    await results.filter({ hasText: "acme-two" }).waitFor();
    await user.expectAccessible();
    await user.page.getByRole("searchbox", { name: "Search for" }).fill("acm");
    await results.filter({ hasText: "acme-three" }).click();
    await user.page.waitForURL(/\/consumers\/main\/acme-three/);
    await user.visit("/search?q=acme");
    await eventually(() => results.first().innerText()).toContain("acme-three");
    await user.page.getByRole("searchbox", { name: "Search for" }).fill("xyzzy");
    await see("Nothing was found");
  });

  check("shows the results of the CLI on the page and in the palette, in the same order", async () => {
    const { client } = user.server;
    const input = { name: "zebu-1", description: "Zebu Traders", tags: { herd: "Savanna" }, apiKeys: [{}] };
    const { id, apiKeys } = (await client.post(consumers, input)).body;
    await client.post(`${consumers}/zebu-1/managers`, { sub: "kim", email: "kim@zebu.example" });
    await client.post(consumers, { name: "herder", description: "Keeps a zebu" });
    await setProfile(client, { numberPrefix: "Zebu-" });
    const billing = await billed(client, "2031-01-01T00:00:00.000Z", { ...monthly("30.00"), label: "Zebu plan" });
    const [invoice] = await invoicesOf(client, billing.bucket);
    const webhook = { url: "https://zebu.example/in", events: ["key.created"] };
    const { id: webhookId } = (await client.post("/v1/accounts/default/webhooks", webhook)).body;
    await client.post("/v1/accounts/default/members", { email: "gina@zebu.example", role: "reader" });
    await client.post("/v1/accounts/default/domains", { host: "api.zebu.example", deploymentName: deployment });
    const [{ key, id: keyId }] = apiKeys;
    await callHost(user.server.url, `${deployment}.localhost`, "/a");
    const requests = "/v1/accounts/default/requests?limit=1";
    const [request] = await until(async () => {
      const { data } = (await client.get(requests)).body;
      return data.length > 0 ? data : undefined;
    });
    const kinds: Record<string, string> = {
      zebu: "consumer",
      ZEB: "consumer",
      "trad zebu": "consumer",
      savanna: "consumer",
      "kim@zebu": "consumer",
      [id]: "consumer",
      [key]: "key",
      [key.slice(-8)]: "key",
      [keyId]: "key",
      [invoice.number]: "invoice",
      [billing.subscription.id]: "subscription",
      "zebu pl": "plan",
      [deployment]: "deployment",
      "get /a": "route",
      "api.zebu": "domain",
      [webhookId]: "webhook",
      "gina@": "member",
      [request.id]: "request",
    };
    await using cleanup = new AsyncDisposableStack();
    const folder = await temporaryFolder("cli");
    cleanup.defer(folder.remove);
    const cli = new Cli(folder, user.server);
    const expected = new Map<string, string[]>();
    for (const [text, type] of Object.entries(kinds)) {
      // Each command takes a second: some are run, and the others are searched as the command does.
      const data =
        text === "zebu" || text === key
          ? JSON.parse((await cli.run(["search", text, "--json"])).stdout).data
          : (await client.get(`/v1/accounts/default/search?q=${encodeURIComponent(await searchedText(text))}`)).body
              .data;
      expect([text, data[0]?.type]).toEqual([text, type]);
      expected.set(
        text,
        data.map(({ name, displayName = name }: Record<string, string>) => displayName!.replace("****", "…")),
      );
    }
    expected.set(request.id, [`Explain request ${request.id}`, ...expected.get(request.id)!]);
    expected.set("settings: tok", ["Settings: Tokens"]);
    expected.set("create web", ["Create webhook"]);

    await user.page.evaluate(() => localStorage.removeItem("tollgate-recently-opened"));
    await user.visit("/search");
    const shown = user.page.locator(".search-results:not([data-group=Guides]) li span.truncate");
    for (const [text, names] of expected) {
      await user.page.getByRole("searchbox", { name: "Search for" }).fill(text);
      await eventually(() => shown.allInnerTexts()).toEqual(names);
    }
    await keyboard.open();
    const options = user.page.locator("[role=option]:not([data-group=Guides]) span.truncate");
    for (const [text, names] of expected) {
      await user.page.getByRole("combobox").fill(text);
      const last = names.length > 1 && text !== request.id ? [`Show all results for “${text}”`] : [];
      await eventually(() => options.allInnerTexts()).toEqual([...names, ...last]);
    }
    expect(user.requests.filter((url) => url.includes(key))).toEqual([]);
    await keyboard.press("Escape");
  });

  check("leads to deployments, plans, subscriptions and requests", async () => {
    await user.visit("/");
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
    await user.visit("/plans");
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
