import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readWebPack } from "../../src/server/pages/web-pack.ts";
import {
  accessibilityProblems,
  desktop,
  misfits,
  type OpenConsole,
  openConsole,
  pageProblems,
  phone,
} from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { subscribe } from "../support/metering.ts";
import { openApi, projectArchive } from "../support/project.ts";
import { adminToken } from "../support/server-settings.ts";
import { until } from "../support/until.ts";
import { patienceMs, withErrors } from "../support/use-console.ts";

const soon = { withinMs: patienceMs / 2 };
const hostile = `<img src=x onerror="document.title='hacked'"><script>alert(1)</script>`;

let console: OpenConsole;
beforeAll(async () => {
  console = await openConsole({ environment: { TOLLGATE_OPERATOR_TOKEN: "the-operator-of-the-console-test" } });
  console.server.clock.set(new Date().toISOString());
}, patienceMs);
afterAll(() => console?.close(), patienceMs);

const see = (text: string | RegExp) => console.page.getByText(text).filter({ visible: true }).first().waitFor();
const press = (name: string | RegExp) => console.page.getByRole("button", { name }).first().click();
const type = (label: string | RegExp, text: string) => console.page.getByLabel(label).first().fill(text);
const path = () => new URL(console.page.url()).pathname + new URL(console.page.url()).search;
const buckets = "/v1/accounts/default/key-buckets";

const check = (name: string, work: () => Promise<void>, withinMs = patienceMs) =>
  test(name, () => withErrors(console, work), withinMs);

describe("signing in", () => {
  check("redirects to the requested page, and a wrong token is rejected with a reason", async () => {
    const { page } = console;
    await page.goto(`${console.server.url}/console/consumers`);
    await page.waitForSelector("input");
    expect(await accessibilityProblems(page)).toEqual([]);
    console.errors.expect(401);
    await type("Token", "tgt_wrong");
    await press("Sign in");
    await see("This token is not valid");
    await type("Token", adminToken);
    await press("Sign in");
    await page.waitForURL(/\/console\/consumers/);
    await see("No consumers yet");
  });

  check("an empty server shows the way to the first request", async () => {
    await console.visit("/");
    await see("Get to your first request");
    await see("Create a consumer with a key");
    await see("tollgate demo --data-dir ./demo --serve");
    expect(await accessibilityProblems(console.page)).toEqual([]);
  });
});

describe("consumers and keys", () => {
  check("a consumer is created with a key that is shown once", async () => {
    await console.visit("/consumers");
    await press("New consumer");
    console.errors.expect(400);
    const name = console.page.getByRole("dialog").getByLabel("Name", { exact: true });
    await name.fill("Not A Name");
    await press("Create consumer");
    await see(/^must be 1 to 128 characters/);
    await eventually(() => console.page.getByText(/must be 1 to 128 characters/).count()).toBe(1);
    await name.fill("acme");
    await type("Description", hostile);
    await press("Create consumer");
    await see("I have stored it");
    const value = await console.page.locator(".secret").innerText();
    expect(value).toMatch(/^tg_[0-9a-f]{32}_[0-9a-f]{8}/);
    expect(await accessibilityProblems(console.page)).toEqual([]);
    await press("I have stored it");
    await console.page.waitForURL(/\/consumers\/main\/acme/);
    await see(`…${value.trim().slice(-8)}`);
    await console.page.getByRole("tab", { name: "Overview" }).click();
    await eventually(() => console.page.getByText(hostile).count()).toBeGreaterThan(0);
    expect(await console.page.title()).not.toBe("hacked");
  });

  check("its fields are edited, and a concurrent change is not overwritten", async () => {
    await console.visit("/consumers/main/acme");
    await press("Edit");
    await press("Add tag");
    await type("Tag 1 name", "plan");
    await type("Tag 1 value", "gold");
    await console.server.client.patch(`${buckets}/main/consumers/acme`, { description: "Changed elsewhere" });
    console.errors.expect(412);
    await press("Save");
    await see("This was changed by another user");
    await see("Now on the server");
    await press("Take theirs");
    await until(async () => (await console.page.getByLabel("Description").inputValue()) === "Changed elsewhere", soon);
    await press("Add tag");
    await type("Tag 1 name", "plan");
    await type("Tag 1 value", "gold");
    await press("Save");
    await see("plan: gold");
  });

  check("keys are created, edited, rolled and deleted", async () => {
    await console.visit("/consumers/main/acme?tab=keys");
    await press("New key");
    await type("Description", "production");
    await console.page.getByText("30 days").click();
    await press("Create key");
    await press("I have stored it");
    await see("production");

    await press(/^Actions of key/);
    await console.page.getByRole("menuitem", { name: "Edit" }).click();
    await type("Description", "laptop");
    await press("Save");
    await see("laptop");

    await press("Roll keys");
    await console.page.getByText("In 7 days").click();
    await console.page.getByRole("dialog").getByRole("button", { name: "Roll keys" }).click();
    await press("I have stored it");
    const { body } = await console.server.client.get(`${buckets}/main/consumers/acme/keys`);
    expect(body.total).toBe(3);

    await press(/^Actions of key/);
    await console.page.getByRole("menuitem", { name: "Delete" }).click();
    await press("Delete key");
    await see("1–2 of 2");
  });

  check("managers are invited, added and removed", async () => {
    await console.visit("/consumers/main/acme?tab=managers");
    await press("Invite");
    await type("Email", "ann@acme.example");
    await console.page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
    await see("ann@acme.example");
    await press("Add manager");
    await type("Subject", "auth0|bob");
    await console.page.getByRole("dialog").getByRole("button", { name: "Add manager" }).click();
    await see("auth0|bob");
    await press("Remove ann@acme.example");
    await press("Withdraw invite");
    await until(async () => (await console.page.getByText("ann@acme.example").count()) === 0, soon);
  });

  check("filters and buckets are in the URL", async () => {
    await console.server.client.post(`${buckets}/other/consumers`, { name: "globex" });
    await console.visit("/consumers?tag=plan%3Dgold");
    await see("Tag: plan=gold");
    await eventually(() => console.page.locator("tbody tr").count()).toBe(1);
    await press("Remove the filter plan=gold");
    await console.page.getByLabel("Key bucket").selectOption("other");
    await see("globex");
    await eventually(() => path()).toBe("/console/consumers?bucket=other");
  });

  check("all keys of a bucket are listed, and one can be checked", async () => {
    const { body } = await console.server.client.post(`${buckets}/main/consumers/acme/keys`, {});
    await console.visit("/keys?bucket=main");
    // The link shows the display name, if there is one.
    await console.page.getByTitle("acme", { exact: true }).first().waitFor();
    await press("Check a key");
    await console.page.getByLabel("Key", { exact: true }).fill(body.key);
    await press("Check");
    await see("It belongs to");
    await console.page.getByLabel("Key", { exact: true }).fill("not-a-key-of-anybody");
    await press("Check");
    await see("No consumer of this bucket has this key");
  });
});

describe("plans and subscriptions", () => {
  check("a plan is created, its errors are shown at their fields, and it is edited", async () => {
    for (const page of ["/subscriptions", "/billing", "/plans"]) {
      await console.visit(page);
      await console.page.getByRole("button", { name: "Create your first plan" }).waitFor();
    }
    await press("Create your first plan");
    await type("Label", "Gold");
    await console.page.getByLabel("Currency").selectOption({ label: "CHF · Swiss Franc" });
    console.errors.expect(400);
    await type("Meter 1 limit", "-5");
    await press("Create plan");
    await see(/must be|at least|Too small/i);
    await type("Meter 1 limit", "1000");
    await press("Create plan");
    await console.page.getByRole("link", { name: "Gold" }).click();
    await press("Edit plan");
    await type("Meter 1 limit", "2000");
    await press("Save plan");
    await see("2,000");
    expect(await accessibilityProblems(console.page)).toEqual([]);
  });

  check("a customer is subscribed, uses, and changes plan", async () => {
    await console.visit("/subscriptions?new=true&customer=acme");
    const dialog = console.page.getByRole("dialog").last();
    // The only plan is selected.
    await eventually(() => dialog.getByLabel("Plan", { exact: true }).inputValue()).not.toBe("");
    await type("Customer's external id", "cus_1");
    await press("Create subscription");
    await see("0 of 2,000");
    await press("Send test event");
    await type("Amount", "1700");
    await press("Send event");
    await see("1,700 of 2,000 · near the limit");
    const { body } = await console.server.client.get("/v1/metering");
    await console.server.client.post(`/v1/metering/${body.data[0].id}/plans`, {
      label: "Silver",
      planExternalId: "price_silver",
      meters: { requests: { label: "Requests", max: 500 } },
    });
    await console.page.reload();
    await press("Change plan");
    await console.page.getByRole("dialog").last().getByLabel("Plan", { exact: true }).selectOption("price_silver");
    await console.page.getByText("Now", { exact: true }).click();
    await console.page.getByText("A share…").click();
    await type("Share of the new limit", "0.5");
    await console.page.getByRole("dialog").getByRole("button", { name: "Change plan" }).last().click();
    await see("1,700 of 1,950");
    await console.visit("/consumers/main/acme?tab=usage");
    await see("1,700 of 1,950");
  });

  check("a second subscription of a customer has an external id of its own", async () => {
    const { client } = console.server;
    const bucket = `/v1/metering/${(await client.get("/v1/metering")).body.data[0].id}`;
    const plan = (await client.get(`${bucket}/plans`)).body.data[0];
    await subscribe(client, bucket, [plan], { customerKey: "globex", subscriptionExternalId: "globex" });
    await console.visit("/subscriptions?new=true&customer=globex");
    const dialog = console.page.getByRole("dialog").last();
    await dialog.getByLabel("Plan", { exact: true }).selectOption("price_silver");
    await eventually(() => dialog.getByLabel("Subscription's external id").getAttribute("placeholder")).toBe(
      "globex-2",
    );
    await press("Create subscription");
    await see("globex subscribed");
    const { data } = (await client.get(`${bucket}/subscriptions`)).body;
    const externalIds = data.map((each: { subscriptionExternalId: string }) => each.subscriptionExternalId);
    expect(externalIds.toSorted()).toEqual(["acme", "globex", "globex-2"]);
  });
});

describe("deployments", () => {
  const upload = async (files: Record<string, unknown>) => {
    const buffer = Buffer.from(await projectArchive(files));
    await console.page
      .getByLabel("Archive", { exact: true })
      .setInputFiles({ name: "project.tar.gz", mimeType: "application/gzip", buffer });
  };
  const project = (path: string) => ({
    "openapi.json": openApi({ [path]: { "x-tollgate": { upstream: "http://127.0.0.1:9" } } }),
  });

  check("an archive that does not build shows where, one that does goes live", async () => {
    await console.visit("/deployments");
    await press("Deploy a project");
    await type("Project", "orders");
    await upload({ "openapi.json": '{\n  "openapi": "3.1.0",\n  oops\n}' });
    await press("Deploy");
    await see("openapi.json:3:");
    await see("The previous version keeps serving");
    await eventually(() => console.page.locator(".build-error pre").first().innerText()).toContain("oops");
    await upload(project("/orders"));
    await console.page.getByRole("dialog").getByRole("button", { name: "Deploy" }).click();
    await console.page.waitForURL(/\/deployments\/orders-main-/);
    await console.page.getByRole("tab", { name: "Routes" }).click();
    await see("GET /orders");
    await see("None: open to all callers");
  });

  check("a second version is rolled back, and the dialog shows what changes", async () => {
    await press("Deploy…");
    await upload(project("/invoices"));
    await console.page.getByRole("dialog").getByRole("button", { name: "Deploy" }).click();
    await console.page.getByRole("tab", { name: "Routes" }).click();
    await see("GET /invoices");
    await console.page.getByRole("tab", { name: "Versions" }).click();
    await press("Roll back to 1");
    await see("is added");
    await see("goes away");
    await console.page.getByRole("dialog").getByRole("button", { name: "Roll back to 1" }).click();
    await see("Version 1 is live");
    await press("Go forward to 2");
    await see("Go forward to version 2?");
    await console.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  });

  check("logs are followed, and it is deleted by typing its name", async () => {
    await console.page.getByRole("tab", { name: "Logs" }).click();
    await see(/build|version/i);
    expect(await accessibilityProblems(console.page)).toEqual([]);
    const name = path().split("/").at(-1)!.split("?")[0]!;
    await press("More actions");
    await console.page.getByRole("menuitem", { name: "Delete" }).click();
    const confirm = console.page.getByRole("dialog").getByRole("button", { name: `Delete ${name}` });
    await eventually(() => confirm.isDisabled()).toBe(true);
    await type(/^Type/, name);
    await confirm.click();
    await see("Nothing is deployed yet");
  });
});

describe("settings", () => {
  check("a token is created, shown once, and deleted", async () => {
    await console.visit("/settings?tab=tokens");
    await press("New token");
    await type("Name", "Grafana");
    await console.page.getByText("30 days").click();
    await console.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async () => (await console.page.evaluate("navigator.clipboard.readText()")) as string;
    for (const [way, text] of [
      ["Copy as command", /^tollgate tokens create --role reader --name Grafana --expires-on 20\S+Z$/],
      ["Copy as curl", /"expiresOn":"20\S+Z"/],
    ] as const) {
      await press("Copy as…");
      await console.page.getByRole("menuitem", { name: way }).click();
      await until(async () => text.test(await copied()), soon);
    }
    await press("Create token");
    await eventually(() => console.page.locator(".secret").innerText()).toMatch(/^tgt_/);
    await press("I have stored it");
    await press("Delete Grafana");
    await press("Delete token");
    await until(async () => (await console.page.getByText("Grafana").count()) === 0, soon);
  });

  check("system shows what runs", async () => {
    await console.visit("/settings?tab=system");
    await see("Ready");
    await see("SQLite");
  });
});

describe("every page", () => {
  const pages = [
    "/",
    "/consumers?bucket=main",
    "/consumers/main/acme",
    "/consumers/main/acme?tab=usage",
    "/consumers/main/acme?tab=details",
    "/keys?bucket=main",
    "/plans",
    "/subscriptions",
    "/deployments",
    "/requests",
    "/webhooks",
    "/audit-log",
    "/settings?tab=people",
    "/settings?tab=tokens",
    "/settings?tab=issuers",
    "/settings?tab=buckets",
    "/settings?tab=sessions",
    "/settings?tab=system",
  ];
  check(
    "is accessible in both themes, and fits a narrow window",
    async () => {
      const problems: Record<string, Record<string, string[]>> = {};
      await console.visit(pages[0]!);
      for (const page of pages) {
        await console.visit(page);
        problems[page] = await pageProblems(console.page);
      }
      expect(problems).toEqual(Object.fromEntries(pages.map((page) => [page, {}])));
      await console.page.setViewportSize(phone);
      await press("Open the menu");
      await console.page.getByRole("dialog").getByRole("link", { name: "Plans" }).click();
      await console.page.waitForURL(/\/plans/);
      await console.page.setViewportSize(desktop);
    },
    3 * patienceMs,
  );

  check(
    "holds the longest names, on a phone and on a tablet",
    async () => {
      const long = (length: number) => "longestname".repeat(length).slice(0, length);
      await console.server.client.post(`${buckets}/main/consumers?with-api-key=true`, {
        name: long(128),
        displayName: long(80),
        description: long(250),
        tags: { [long(40)]: long(100), plan: "gold" },
        managers: [`${long(50)}@example.com`],
        metadata: { text: long(10_000) },
      });
      const webhook = { url: `https://hooks.example/${long(200)}`, description: long(200), events: ["*"] };
      const { body } = await console.server.client.post("/v1/accounts/default/webhooks", webhook);
      const consumer = `/consumers/main/${long(128)}`;
      const expectFit = async (page: string) => {
        for (const width of [768, 360]) {
          await console.page.setViewportSize({ width, height: 780 });
          expect({ page, width, misfits: await misfits(console.page) }).toEqual({ page, width, misfits: [] });
        }
      };
      const tabs = ["usage", "managers", "details", "keys"].map((tab) => `${consumer}?tab=${tab}`);
      await console.visit("/consumers?bucket=main");
      for (const page of ["/consumers?bucket=main", `/webhooks/${body.id}`, ...tabs]) {
        await console.visit(page);
        await expectFit(page);
      }
      await press("Delete");
      await console.page.getByRole("dialog").waitFor();
      await expectFit("Delete");
      await console.page.setViewportSize({ width: 1280, height: 860 });
    },
    3 * patienceMs,
  );

  check("is reached by the palette, and an unknown path shows an explanation", async () => {
    await console.visit("/consumers");
    await console.page.keyboard.press("Control+k");
    await console.page.getByLabel("Search pages, actions and resources").fill("depl");
    expect(await accessibilityProblems(console.page)).toEqual([]);
    await console.page.keyboard.press("Enter");
    await console.page.waitForURL(/\/deployments/);
    await console.visit("/nowhere");
    await see("There is no such page");
    console.errors.expect(404);
    await console.visit("/consumers/main/nobody");
    await see("Not found");
  });
});

describe("missing permissions", () => {
  check("a reader sees the actions, and why they are not allowed", async () => {
    const { body } = await console.server.client.post("/v1/accounts/default/tokens", { role: "reader" });
    await console.signIn(body.token);
    await console.visit("/consumers/main/acme?tab=keys");
    await console.page.getByRole("button", { name: "New key" }).click({ force: true });
    await see("Your token's role is reader");
    await eventually(() => console.page.getByRole("dialog").count()).toBe(0);
    await console.visit("/settings?tab=tokens");
    await see("Tokens are shown to admins");
  });

  check("the operator chooses the account", async () => {
    await console.signIn("the-operator-of-the-console-test");
    await console.visit("/consumers?bucket=main");
    await see("acme");
    await see("default");
  });

  check("signing out ends the session in every tab", async () => {
    await console.signIn();
    await press(/^Signed in as/);
    await console.page.getByRole("menuitem", { name: "Sign out" }).click();
    await console.page.waitForURL(/\/sign-in/);
    await console.signIn();
    await console.visit("/consumers?bucket=main");
    const cookies = await console.page.context().cookies();
    await console.loseSession();
    await console.page.getByRole("link", { name: "Plans" }).click();
    await console.page.waitForURL(/\/sign-in/);
    expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, "Lax"]]);
  });
});

test("the first load and later chunks are small", async () => {
  const files = (await readWebPack("console"))!;
  const page = new TextDecoder().decode(Bun.gunzipSync(files.find(({ path: name }) => name === "")!.body));
  expect(page).toMatch(/<link rel="preload" href="\/console\/assets\/inter-latin-[\w-]+\.woff2" as="font"/);
  const first = new Set([...page.matchAll(/assets\/[\w.-]+/g)].map(([name]) => name));
  // Static imports of the entry are part of the first load.
  for (const name of first) {
    const file = files.find(({ path: other }) => other === name)!;
    if (!file.isGzip) continue;
    const code = new TextDecoder().decode(Bun.gunzipSync(file.body));
    for (const [, imported] of code.matchAll(/(?:from|import)\s*"\/console\/(assets\/[\w.-]+)"/g)) first.add(imported!);
  }
  const size = (names: Iterable<string>, ending: string) =>
    [...names]
      .filter((name) => name.endsWith(ending))
      .reduce((sum, name) => sum + files.find((file) => file.path === name)!.body.length, 0);
  expect(size(first, ".js")).toBeLessThanOrEqual(200_000);
  expect(size(first, ".css")).toBeLessThanOrEqual(20_000);
  const later = files.filter(({ path: name }) => name.endsWith(".js") && !first.has(name));
  expect(later.length).toBeGreaterThan(5);
  for (const { path: name, body } of later)
    expect({ name, isSmall: body.length <= 120_000 }).toEqual({ name, isSmall: true });
});
