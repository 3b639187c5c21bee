import { beforeAll, describe, expect } from "bun:test";
import { setProfile } from "../support/billing.ts";
import { consolePages } from "../support/console-pages.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { type Deployed, deploy, openApi } from "../support/project.ts";
import { adminToken } from "../support/server-settings.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// Rules for every page: URLs, roles, keyboards, hostile data.

const user = useConsole();
const { check, see, press } = user;
const hostile = `<img src=x onerror="document.title='hacked'">`;
const root = "/v1/accounts/default";

let deployed: Deployed;
let plan: string;
let subscription: string;
let bucket: string;
let webhook: string;

beforeAll(async () => {
  const { client } = user.server;
  await client.post(`${root}/key-buckets`, { name: "payments", description: hostile });
  const named = { description: hostile, tags: { [hostile]: hostile }, metadata: { [hostile]: hostile } };
  const consumer = { name: "acme", ...named, managers: ["ann@acme.example"] };
  await client.post(`${root}/key-buckets/payments/consumers`, consumer);
  await client.post(`${root}/key-buckets/payments/consumers/acme/keys`, { description: hostile });
  await client.post(`${root}/key-buckets/main/consumers`, { name: "globex" });
  await client.post(`${root}/tokens`, { role: "reader", name: hostile });
  const hook = { url: "http://127.0.0.1:9/hook", events: ["*"], description: hostile };
  webhook = (await client.post(`${root}/webhooks`, hook)).body.id;
  await setProfile(client);
  const metering = await newMeteringBucket(client);
  bucket = metering.split("/").at(-1)!;
  const meters = { requests: { label: hostile, max: 10 } };
  const gold = await createPlan(client, metering, { label: hostile, meters });
  plan = gold.id;
  const metadata = { [hostile]: hostile };
  subscription = (await subscribe(client, metering, [gold], { customerKey: "acme", metadata })).id;
  await client.raw("PUT", `${root}/projects/orders/variables/NAME`, JSON.stringify({ value: hostile }));
  const operation = { "x-tollgate": { handler: "modules/hello.ts" } };
  deployed = await deploy(
    user.server,
    { project: "orders", branch: `b-${hostile}` },
    {
      "openapi.json": openApi({ "/hello": operation, "/bye": operation }, { info: { title: hostile, version: "1" } }),
      "modules/hello.ts": `export default () => { console.log(${JSON.stringify(hostile)}); return new Response("hello"); };`,
    },
  );
  await deployed.call(`/hello?${encodeURIComponent(hostile)}`, { headers: { "user-agent": hostile } });
}, patienceMs);

const pages = () =>
  consolePages({
    ...{ keyBucket: "payments", consumer: "acme", deployment: deployed.name, meteringBucket: bucket },
    ...{ plan, subscription, webhook },
  });

describe("an address", () => {
  check("goes back and forth through tabs, ranges, filters and panels", async () => {
    await user.visit("/consumers?bucket=payments");
    await user.page.getByLabel("Filter by name").fill("ac");
    await user.page.keyboard.press("Enter");
    await user.page.waitForURL(/q=ac/);
    await user.page.getByRole("link", { name: "acme" }).click();
    await user.page.getByRole("tab", { name: "People" }).click();
    await see("ann@acme.example");
    await user.page.getByRole("tab", { name: "Keys" }).click();
    await user.page.waitForURL(/tab=keys/);
    await user.page.goBack();
    await see("ann@acme.example");
    await user.page.goBack();
    await see("Last requests");
    await user.page.goBack();
    await see("name: ac");
    await eventually(() => user.path).toBe("/console/consumers?bucket=payments&q=ac");
    await user.page.goForward();
    await see("Last requests");
  });

  check("is restored after a new sign-in when the session has ended", async () => {
    const path = "/consumers?bucket=payments&q=ac";
    await user.visit(path);
    await user.loseSession();
    await press("Remove the filter ac");
    await user.page.waitForURL(/\/sign-in\?to=/);
    await user.page.getByLabel("Token").fill(adminToken);
    await press("Sign in");
    await user.page.waitForURL(/\/consumers\?bucket=payments/);
    await see("acme");
  });

  check("keeps the input of an open dialog when the session ends, and sends it after a new sign-in", async () => {
    await user.visit("/consumers?bucket=payments");
    await press("New consumer");
    const dialog = user.page.getByRole("dialog", { name: "Create consumer" });
    await dialog.getByLabel("Name", { exact: true }).fill("patient");
    await dialog.getByLabel("Description").fill("Typed before the session ended");
    await dialog.getByLabel("Create a first key").uncheck();
    await user.loseSession();
    await dialog.getByRole("button", { name: "Create consumer" }).click();
    const again = user.page.getByRole("dialog", { name: "Sign in again" });
    await again.getByLabel("Token").fill("wrong");
    await again.getByRole("button", { name: "Sign in" }).click();
    await see("This token is not valid");
    await eventually(() => user.page.getByLabel("Description").inputValue()).toBe("Typed before the session ended");
    await again.getByLabel("Token").fill(adminToken);
    await again.getByRole("button", { name: "Sign in" }).click();
    await user.page.waitForURL(/\/consumers\/payments\/patient/);
    const { body } = await user.server.client.get(`${root}/key-buckets/payments/consumers/patient`);
    expect(body.description).toBe("Typed before the session ended");
  });

  check("leads to the sign-in if the input of the dialog is discarded", async () => {
    await user.visit("/consumers?bucket=payments&new=true");
    await user.loseSession();
    await user.page.getByLabel("Name", { exact: true }).fill("hasty");
    await user.page.getByRole("dialog").getByRole("button", { name: "Create consumer" }).click();
    await press("Discard the input");
    await user.page.waitForURL(/\/sign-in\?to=/);
    await user.signIn();
  });

  check("of a consumer contains its bucket, also if only its name is known", async () => {
    await user.visit(`/subscriptions?subscription=${subscription}`);
    await user.page.getByRole("dialog").getByRole("link", { name: "acme" }).click();
    await user.page.waitForURL(/\/console\/consumers\/payments\/acme\?tab=billing/);
  });
});

describe("each role", () => {
  const signInAs = async (role: string) => {
    const { body } = await user.server.client.post(`${root}/tokens`, { role });
    await user.signIn(body.token);
  };

  /** The actions of each page that change something. */
  const actions = (): Record<string, string[]> => ({
    "/consumers?bucket=payments": ["New bucket", "New consumer"],
    "/consumers/payments/acme?tab=keys": ["Edit", "Delete", "Roll keys", "New key"],
    "/consumers/payments/acme?tab=managers": ["Add manager", "Invite"],
    "/keys?bucket=payments": ["Check a key"],
    "/plans": ["New plan"],
    [`/plans?plan=${plan}`]: ["Edit plan"],
    "/subscriptions": ["New subscription"],
    [`/subscriptions?subscription=${subscription}`]: ["Change plan", "Change status", "Pause", "Send test event"],
    "/deployments": ["Deploy…"],
    [`/deployments/${deployed.name}?tab=overview`]: ["Roll back…", "Deploy…"],
    [`/deployments/${deployed.name}?tab=settings`]: ["Set variable"],
    "/domains": ["Add domain"],
    "/webhooks": ["New webhook"],
    "/settings?tab=buckets": ["New bucket", "Delete payments"],
  });

  /**
   * Opens each page once, because that takes most of the time: none shows an error of the API, or hostile data as HTML. Returns
   * those with hostile data as text.
   */
  const visitPages = async (
    paths: string[],
    checkActions: (path: string, names: string[]) => Promise<void>,
  ): Promise<string[]> => {
    const withHostileText: string[] = [];
    for (const path of new Set(paths)) {
      await user.visit(path);
      const failures = () => user.page.locator(".empty[role=alert]").allInnerTexts();
      await eventually(async () => ({ path, failures: await failures() })).toEqual({ path, failures: [] });
      const images = () => user.page.locator('img[src="x"]').count();
      await eventually(async () => ({ path, images: await images() })).toEqual({ path, images: 0 });
      if ((await user.page.getByText("<img src=x").count()) > 0) withHostileText.push(path);
      await checkActions(path, actions()[path] ?? []);
    }
    expect(await user.page.title()).not.toContain("hacked");
    return withHostileText;
  };

  check(
    "reader: every page loads with hostile data as text, and every action explains why it is denied",
    async () => {
      await signInAs("reader");
      const paths = [...pages(), ...Object.keys(actions())];
      const withHostileText = await visitPages(paths, async (path, names) => {
        const dialogs = () => user.page.getByRole("dialog").count();
        const before = await dialogs();
        for (const name of names) {
          await user.pressDenied(name);
          await see("Your token's role is reader. This needs");
          await eventually(async () => ({ path, name, dialogs: await dialogs() })).toEqual({
            path,
            name,
            dialogs: before,
          });
        }
      });
      expect(withHostileText.length).toBeGreaterThan(8);
      await user.visit(`/deployments/${deployed.name}?tab=versions&from=1&to=1`);
      await see("only editors and admins may compare them");
      await user.signIn();
    },
    3 * patienceMs,
  );

  check(
    "editor: every page allows its actions, except for tokens, which explain themselves",
    async () => {
      await signInAs("editor");
      // An editor may read what a reader may, whose pages were all opened.
      await visitPages(Object.keys(actions()), async (path, names) => {
        // There is no earlier version yet.
        for (const name of names.filter((action) => action !== "Roll back…")) {
          const denied = () => user.page.getByRole("button", { name }).first().getAttribute("aria-disabled");
          await eventually(async () => ({ path, name, denied: await denied() })).toEqual({ path, name, denied: null });
        }
      });
      await user.visit("/settings?tab=tokens");
      await see("Tokens are shown to admins");
      await user.pressDenied("New token");
      await see("Your token's role is editor. This needs admin: ask an admin of the account.");
      await eventually(() => user.page.getByRole("dialog").count()).toBe(0);
      await user.visit("/settings?tab=system");
      await see("Size, nodes, caches and the last backup are shown to the operator");
      await user.signIn();
    },
    3 * patienceMs,
  );

  check("admin: a token's hostile name is text", async () => {
    await user.visit("/settings?tab=tokens");
    await see(hostile);
    await eventually(() => user.page.locator('img[src="x"]').count()).toBe(0);
  });

  check("verifier: has no use for the console, and signing in explains it", async () => {
    const { body } = await user.server.client.post(`${root}/tokens`, { role: "verifier" });
    await user.page.goto(`${user.server.url}/console/sign-in`);
    await user.page.getByLabel("Token").fill(body.token);
    await press("Sign in");
    await see("Tokens of the role verifier only check keys and count usage. Sign in with one that may read.");
    await user.signIn();
  });
});

describe("keyboards", () => {
  check("reach a row, open and close its panel, and restore the focus", async () => {
    await user.visit("/plans");
    const link = user.page.getByRole("link", { name: hostile });
    for (let presses = 0; presses < 60 && !(await isFocused(link)); presses++) await user.page.keyboard.press("Tab");
    await eventually(() => isFocused(link)).toBe(true);
    await user.page.keyboard.press("Enter");
    await see("Edit plan");
    const edit = user.page.getByRole("button", { name: "Edit plan" });
    for (let presses = 0; presses < 10 && !(await isFocused(edit)); presses++) await user.page.keyboard.press("Tab");
    await user.page.keyboard.press("Enter");
    await see("Save plan");
    await eventually(() => isFocused(user.page.getByLabel("Label", { exact: true }))).toBe(true);
    await user.page.keyboard.press("Escape");
    await user.gone("Save plan");
    await user.until(() => isFocused(edit), "the focus at the button that opened the dialog");
    await user.page.keyboard.press("Escape");
    await user.gone("Edit plan");
    await user.until(() => isFocused(link), "the focus at the row");
    await eventually(() => user.path).toBe("/console/plans");
  });

  /** A list for each kind of panel. */
  const lists = (): Record<string, string> => ({
    [`/plans?bucket=${bucket}`]: "plan",
    [`/subscriptions?bucket=${bucket}`]: "subscription",
    [`/billing?bucket=${bucket}`]: "invoice",
    "/domains": "domain",
    "/audit-log": "entry",
    "/requests": "request",
    [`/deployments/${deployed.name}?tab=routes`]: "route",
    [`/webhooks/${webhook}`]: "delivery",
  });

  const createRows = async () => {
    const { client } = user.server;
    const price = { currency: "EUR", amount: "9.00", interval: "month" };
    const paid = await createPlan(client, `/v1/metering/${bucket}`, { price });
    for (const customerKey of ["acme", "globex"])
      await subscribe(client, `/v1/metering/${bucket}`, [paid], { customerKey });
    for (const host of ["a.acme.example", "b.acme.example"]) {
      const domain = { host, deploymentName: deployed.name };
      expect((await client.post(`${root}/domains`, domain)).status).toBe(200);
      await client.post(`${root}/webhooks/${webhook}/test`);
      await deployed.call("/nothing");
    }
  };

  check(
    "move every panel to the next row, close it with Escape, and Back does not open it again",
    async () => {
      await createRows();
      const { page } = user;
      const rows = () => page.locator("main .table-box tbody tr");
      const opened = async () => {
        const marks = await Promise.all((await rows().all()).map((row) => row.getAttribute("data-open")));
        return marks.indexOf("true");
      };
      for (const [path, parameter] of Object.entries(lists())) {
        await user.visit("/settings?tab=tokens");
        await user.visit(path);
        await user.until(async () => (await rows().count()) >= 2, `two rows of ${path}`);
        // A row, not its link: the focus was nowhere.
        const place = { position: { x: 4, y: 20 } };
        await rows().nth(0).locator("td").first().click(place);
        await page.locator(".panel").waitFor();
        await page.keyboard.press("ArrowDown");
        await eventually(async () => ({ path, opened: await opened() })).toEqual({ path, opened: 1 });
        await eventually(async () => ({ path, modal: await page.locator(".backdrop").count() })).toEqual({
          path,
          modal: 0,
        });
        await page.keyboard.press("Escape");
        await user.until(async () => (await page.locator(".panel").count()) === 0, `the panel of ${path} to close`);
        expect(user.path).not.toContain(`${parameter}=`);
        await user.until(() => isFocused(rows().nth(1).locator(".row-link")), `the focus at the row of ${path}`);
        await page.goBack();
        await page.waitForURL(/settings/);
        await page.goForward();
        await user.until(() => user.path === `/console${path}`, `the list of ${path}`);
        // The address of a panel, as from a mail or a search.
        await rows().nth(0).locator(".row-link").click();
        await page.waitForURL(new RegExp(`[?&]${parameter}=`));
        const address = user.path.replace("/console", "");
        await user.visit("/settings?tab=tokens");
        await user.visit(address);
        await page.locator(".panel").waitFor();
        await page.keyboard.press("Escape");
        await user.until(() => user.path === `/console${path}`, `the panel of ${address} to close`);
        await page.goBack();
        await page.waitForURL(/settings/);
      }
    },
    3 * patienceMs,
  );

  const isFocused = (locator: ReturnType<typeof user.page.getByRole>): Promise<boolean> =>
    locator.evaluate((element) => element === element.ownerDocument.activeElement);

  check("cause no motion if the user prefers reduced motion", async () => {
    await user.page.emulateMedia({ reducedMotion: "reduce" });
    await user.visit("/plans");
    await press("New plan");
    await see("Create plan");
    const longest = await user.page.evaluate(
      `Math.max(0, ...document.getAnimations({ subtree: true }).map(({ effect }) => effect.getComputedTiming().duration))`,
    );
    expect(longest).toBeLessThanOrEqual(1);
    await user.page.emulateMedia({ reducedMotion: null });
  });
});

describe("hostile data", () => {
  check("of a document is text in the comparison of versions too", async () => {
    const operation = { "x-tollgate": { handler: "modules/hello.ts" } };
    await deploy(
      user.server,
      { project: "orders", branch: `b-${hostile}` },
      {
        "openapi.json": openApi({ "/hello": operation }, { info: { title: `${hostile}2`, version: "1" } }),
        "modules/hello.ts": `export default () => new Response(${JSON.stringify(hostile)});`,
      },
    );
    await user.visit(`/deployments/${deployed.name}?tab=versions&from=1&to=2`);
    const document = user.page.getByRole("region", { name: "Document" });
    await eventually(() => document.getByText(`${hostile}2`.replaceAll('"', '\\"')).count()).toBe(1);
    await eventually(() => user.page.locator('img[src="x"]').count()).toBe(0);
  });
});

describe("numbers and times", () => {
  check("have their exact value on hover, and charts a table", async () => {
    for (const path of ["/", "/consumers?bucket=payments", "/deployments", "/audit-log", "/webhooks"]) {
      await user.visit(path);
      await user.page.locator("time").first().waitFor();
      const titles = () =>
        user.page.locator("time").evaluateAll((all) => all.map((time) => time.getAttribute("title") ?? ""));
      const vague = async () => (await titles()).filter((title) => !/\d:\d\d/.test(title));
      await eventually(async () => ({ path, vague: await vague() })).toEqual({ path, vague: [] });
    }
    await user.visit("/");
    await user.page.locator(".chart:has(.chart-canvas)").first().waitFor();
    await eventually(() => user.page.locator(".chart:has(.chart-canvas):not(:has(table))").count()).toBe(0);
  });
});
