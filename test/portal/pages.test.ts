import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { readWebPack } from "../../src/server/pages/web-pack.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { accessibilityProblemsOfThemes, desktop, misfits, phone, settled } from "../support/console.ts";
import { sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { allMeters, MeteredModels } from "../support/metered-models.ts";
import { subscribe } from "../support/metering.ts";
import { ModelProvider } from "../support/model-provider.ts";
import { portalPath, setPortal } from "../support/portal.ts";
import { portalCheck } from "../support/portal-check.ts";
import { callHost, deploy, openApi } from "../support/project.ts";
import { useServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { patiently } from "../support/slowdown.ts";

const allMaxima = Object.fromEntries(Object.keys(allMeters).map((meter) => [meter, { max: 1e9 }]));
const patienceMs = patiently(120_000);
/** Shown as it is, and never as markup. */
const hostile = '<img src=x onerror="document.title=1">';

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ ok: true }) });
afterAll(() => upstream.stop(true));

// A server reads the pages when it starts.
await buildWebIfOutdated(["portal"]);

// The pages do not depend on the engine.
const server = useServer(sqlite, { environment: { TOLLGATE_EGRESS: "any" } });
const { client } = server;
let opened: OpenPage;
let url: string;
let settings: { deployments: string[] };

const handOff = async (consumerName: string) => {
  const scopes = ["keys:read", "keys:write", "usage:read", "requests:read"];
  const returnUrl = "https://app.acme.example/settings";
  const input = { consumerName, subject: "jo@acme.example", scopes, returnUrl };
  return (await client.post(`${portalPath()}/sessions`, input)).body.url as string;
};
const place = (name: string) => opened.page.getByRole("navigation").getByRole("link", { name, exact: true });
const heading = (name: string | RegExp) => opened.page.getByRole("heading", { name, level: 1 });
const dialog = () => opened.page.getByRole("dialog").last();

const check = portalCheck(() => ({ opened, origins: [url] }));

beforeAll(async () => {
  server.clock.set(new Date().toISOString());
  for (const name of ["acme", "globex"])
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name });
  await client.post("/v1/metering", { name: "plans" });
  const meters = { requests: { label: "Requests", max: 2 } };
  const gold = { label: "Gold", planExternalId: "gold", meters };
  const { body: plan } = await client.post("/v1/metering/plans/plans", gold);
  await subscribe(client, "/v1/metering/plans", [plan], { customerKey: "acme" });
  const files = {
    "openapi.json": openApi({
      "/forecast": { "x-tollgate": { upstream: upstream.url.origin, policies: ["key", "plan"] } },
    }),
    "tollgate.json": {
      policies: {
        key: { type: "api-key", options: { bucket: "main" } },
        plan: { type: "quota", options: { bucketId: "plans", meters: { requests: 1 } } },
      },
    },
  };
  const { name } = await deploy(server, { project: "weather", branch: "main" }, files);
  settings = {
    title: `Weather ${hostile}`,
    description: hostile,
    accentColor: "#ffee00",
    deployments: [name],
    meteringBucket: "plans",
    keyLimit: 2,
    returnOrigins: ["https://app.acme.example"],
    links: [{ label: hostile, url: "https://status.acme.example/" }],
  } as typeof settings;
  url = (await setPortal(client, settings)).url;
  opened = await openPage(url);
  await heading(/^Weather/).waitFor();
}, patienceMs);
afterAll(() => opened?.close());

check("without a session, the page says what the API does and where to sign in", async () => {
  const { page } = opened;
  await page.getByText("You are not signed in").waitFor();
  expect(await page.title()).toBe(`Weather ${hostile}`);
  expect(await page.getByText(hostile).count()).toBeGreaterThan(0);
  const html = await (await callHost(server.url, new URL(url).host, "/")).text();
  expect(html).not.toContain("<img src=x");
  expect(html).toContain('<meta name="description" content="&#60;img');
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
});

check("a hand-off signs in, and its code does not stay in the address", async () => {
  const { page } = opened;
  const link = await handOff("acme");
  await page.goto(link);
  // A link of somebody else does not sign in without a click, and the page names the customer.
  await heading(/^Sign in to Weather/).waitFor();
  await page.getByText("acme", { exact: true }).waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  expect(await page.context().cookies()).toEqual([]);
  await page.getByRole("button", { name: "Continue" }).click();
  await place("Keys").waitFor();
  expect(new URL(page.url())).toMatchObject({ pathname: "/", hash: "" });
  await page.getByRole("link", { name: "Back to app.acme.example" }).waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
});

check("unsaved input is kept when a link, Back or Escape would discard it", async () => {
  const { page } = opened;
  const question = page.getByRole("alertdialog", { name: "Discard your changes?" });
  const keep = async () => {
    await question.getByRole("button", { name: "Keep editing" }).click();
    await question.waitFor({ state: "detached" });
  };
  await place("Usage").click();
  await heading("Usage").waitFor();
  await place("Keys").click();
  await page.getByRole("button", { name: "Create key" }).first().click();
  const label = dialog().getByLabel("Name");
  await label.fill("Nightly export");
  await page.keyboard.press("Escape");
  await question.waitFor();
  await keep();
  await page.evaluate("history.back()");
  await question.waitFor();
  await eventually(() => new URL(page.url()).pathname).toBe("/keys");
  await keep();
  await eventually(() => label.inputValue()).toBe("Nightly export");
  await page.evaluate("history.back()");
  await question.getByRole("button", { name: "Discard changes" }).click();
  await heading("Usage").waitFor();
  await eventually(() => new URL(page.url()).pathname).toBe("/usage");
});

check(
  "a first key is shown once, with a request that works when it is pasted; then it is rolled and deleted",
  async () => {
    const { page } = opened;
    await place("Keys").click();
    await page.getByText("No keys yet").waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    await dialog().getByLabel("Name").fill(hostile);
    expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
    await dialog().getByRole("button", { name: "Create key" }).click();
    const value = (await dialog().locator(".key-value pre").innerText()).trim();
    expect(value).toMatch(/^tg_[0-9a-f]{32}_[0-9a-f]{8}$/);
    const curl = dialog().getByText(/^curl /);
    await curl.waitFor();
    const command = [
      "sh",
      "-c",
      `${await curl.innerText()} --resolve '*:${new URL(server.url).port}:127.0.0.1' -s -w ' %{http_code}'`,
    ];
    const pasted = Bun.spawn(command, { stdout: "pipe", stderr: "ignore" });
    expect(await pasted.stdout.text()).toBe('{"ok":true} 200');
    await dialog().getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("cell", { name: hostile, exact: true }).waitFor();
    expect(await page.getByText(value).count()).toBe(0);

    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("menuitem", { name: "Roll…" }).click();
    await dialog().getByRole("button", { name: "Roll key" }).click();
    await dialog().getByRole("button", { name: "I have stored it" }).click();
    await eventually(() => page.getByRole("cell", { name: hostile, exact: true }).count()).toBe(2);
    await page.getByRole("button", { name: "Create key" }).click({ force: true });
    await page.getByText("as many as are allowed").filter({ visible: true }).first().waitFor();

    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await dialog().getByRole("button", { name: "Delete key" }).click();
    await eventually(() => page.getByRole("cell", { name: hostile, exact: true }).count()).toBe(1);
    await settled(page);
    expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  },
);

check("usage against the plan, and failed requests with the reason", async () => {
  const { page } = opened;
  const { body } = await client.post(`/v1/accounts/${account}/key-buckets/main/consumers/acme/keys`, {});
  const [{ url: api }] = (await client.get("/v1/deployments")).body.data;
  for (let count = 0; count < 2; count++)
    await fetch(`${server.url}/forecast`, {
      headers: { host: new URL(api).host, authorization: `Bearer ${body.key}` },
    });
  await server.catchUp();
  await place("Usage").click();
  await page.getByText("Plan Gold").waitFor();
  await page.getByText("2 of 2 · at the limit").waitFor();
  await settled(page);
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await place("Requests").click();
  await page.getByText(/Consumer acme has used 2 of 2 requests of plan Gold in this period/).waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await page.getByLabel("Only failed").check();
  await eventually(() => page.getByRole("row").count()).toBe(2);
});

check("usage by model, if the customer has requested one", async () => {
  const { page } = opened;
  await place("Usage").click();
  await settled(page);
  expect(await page.getByRole("heading", { name: "Models" }).count()).toBe(0);
  const bucket = "/v1/metering/plans";
  const provider = new ModelProvider();
  const models = await MeteredModels.deploy(server, "llm", provider, { bucket });
  await setPortal(client, { ...settings, deployments: [...settings.deployments, models.deployed.name] });
  const { body } = await client.post(`/v1/accounts/${account}/key-buckets/main/consumers/globex/keys`, {});
  const offered = { label: "Models", planExternalId: "llm", meters: allMaxima };
  const { body: plan } = await client.post(`${bucket}/plans`, offered);
  await subscribe(client, bucket, [plan], { customerKey: "globex" });
  const call = (model: string, operation: string) =>
    models.deployed.call(`/v1/${operation}`, {
      method: "POST",
      headers: { authorization: `Bearer ${body.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: "user", content: "Hi" }] }),
    });
  for (const [model, operation] of [
    ["small", "chat/completions"],
    ["small", "chat/completions"],
    ["claude", "messages"],
  ] as const)
    expect((await call(model, operation)).status).toBe(200);
  await provider.stop();
  await server.catchUp();
  await page.goto(await handOff("globex"));
  await page.getByRole("button", { name: "Switch account" }).click();
  await place("Usage").click();
  const rows = () => page.getByRole("table", { name: "Models" }).getByRole("row").allInnerTexts();
  await eventually(rows).toEqual([
    expect.stringMatching(/^Model\s+Requests\s+Input\s+Cached\s+Cache writes\s+Output\s+Charge$/),
    expect.stringMatching(/^small\s+2\s+16\s+6\s+0\s+10\s+\$0\.00016$/),
    expect.stringMatching(/^claude\s+1\s/),
  ]);
  await settled(page);
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await page.setViewportSize(phone);
  expect(await misfits(page)).toEqual([]);
  await page.setViewportSize(desktop);
  await page.goto(await handOff("acme"));
  await page.getByRole("button", { name: "Switch account" }).click();
  await page.locator(".site-who").getByText("acme").waitFor();
});

check("nothing overflows in a window as narrow as a phone", async () => {
  const { page } = opened;
  await page.setViewportSize(phone);
  try {
    for (const name of ["Start", "Keys", "Usage", "Requests"]) {
      // The pages are behind a button that names the current one.
      await page.getByRole("navigation", { name: "Portal" }).getByRole("button").click();
      expect(await misfits(page)).toEqual([]);
      await place(name).click();
      await settled(page);
      expect({ name, misfits: await misfits(page) }).toEqual({ name, misfits: [] });
    }
  } finally {
    await page.setViewportSize(desktop);
  }
});

check("a session of another customer is replaced only after a confirmation", async () => {
  const { page } = opened;
  await page.goto(await handOff("globex"));
  await heading("Switch to another account?").waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await page.getByRole("button", { name: "Switch account" }).click();
  await page.locator(".site-who").getByText("globex").waitFor();
  opened.errors.expect(401);
  await page.goto(`${url}/sign-in#code=tgh_used`);
  await heading("You could not be signed in").waitFor();
  // In the same tab, only the fragment of the address changes.
  await page.goto(await handOff("globex"));
  await page.waitForURL(`${url}/`);
  await page.goto(url);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are not signed in").waitFor();
});

test("the first load has at most 150 kB of script", async () => {
  const files = (await readWebPack("portal"))!;
  const textOf = (name: string) => {
    const { body, isGzip } = files.find(({ path }) => path === name)!;
    return new TextDecoder().decode(isGzip ? Bun.gunzipSync(body) : body);
  };
  const first = new Set([...textOf("").matchAll(/assets\/[\w.-]+/g)].map(([name]) => name));
  // Static imports of the entry are part of the first load.
  for (const name of first)
    for (const [, imported] of textOf(name).matchAll(/(?:from|import)\s*"\/portal\/(assets\/[\w.-]+)"/g))
      first.add(imported!);
  const sizes = files.filter(({ path }) => first.has(path) && path.endsWith(".js")).map(({ body }) => body.length);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150_000);
});
