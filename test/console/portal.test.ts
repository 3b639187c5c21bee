import { beforeAll, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket } from "../support/metering.ts";
import { customerBrowser, portalPath, setPortal } from "../support/portal.ts";
import { account } from "../support/server-settings.ts";
import { useConsole } from "../support/use-console.ts";

const user = useConsole();
const { see, press, type, show } = user;

beforeAll(async () => {
  await user.server.client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
});

/** The page of the portal in the frame beside its settings. */
const preview = {
  locator: (selector: string, options?: { hasText: string }) =>
    user.page.frameLocator('iframe[title="Preview of the portal"]').locator(selector, options),
};

/** A PNG of one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

user.check("a portal is created with a preview, changed, and viewed as a customer", async () => {
  const { client } = user.server;
  await show("/settings?tab=portal");
  await type("Title", "Acme Weather");
  await type("Description", "Forecasts for every place.");
  await type("Accent colour", "#2456d6");
  await preview.locator("h1", { hasText: "Acme Weather" }).waitFor();
  await press("Add link");
  await type("Label", "Status page");
  await type("URL", "https://status.acme.example/");
  await press("Create portal");
  await see("Portal created");
  const { body } = await client.get(portalPath());
  expect(body).toMatchObject({
    title: "Acme Weather",
    description: "Forecasts for every place.",
    accentColor: "#2456d6",
    links: [{ label: "Status page", url: "https://status.acme.example/" }],
  });
  await user.expectAccessible();
  const link = user.page.getByRole("link", { name: "Open portal" });
  await eventually(() => link.getAttribute("href")).toBe(body.url);

  // The swatch and the text are one value, and the logo has a button of ours.
  await user.page.getByLabel("Accent colour: picker").fill("#a01060");
  await eventually(() => user.page.getByLabel("Accent colour (optional)", { exact: true }).inputValue()).toBe(
    "#a01060",
  );
  const chooser = user.page.waitForEvent("filechooser");
  await press("Choose image");
  await (await chooser).setFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") });
  await user.page.getByRole("img", { name: "The logo" }).waitFor();
  await press("Save portal");
  await eventually(async () => (await client.get(portalPath())).body.accentColor).toBe("#a01060");
  expect((await client.get(portalPath())).body.logo).toBe(`data:image/png;base64,${pixel}`);
  await user.expectNarrow(["/settings?tab=portal"]);
  await show("/settings?tab=portal");

  await type("Keys per customer", "0");
  user.expectStatus(400);
  await press("Save portal");
  await see("must be an integer from 1 to 1000");
  await type("URL", "status");
  await press("Save portal");
  await see("must be an http or https URL without a user or password");

  await show("/settings?tab=portal");
  await press("Edit Welcome");
  await type("Subject", "{subject}!");
  await type("Greeting", "Hello <you>,");
  await see("Welcome to Acme Weather!");
  await see("Hello <you>,");
  await press("Done");
  await user.page.getByRole("checkbox", { name: "Receipt" }).uncheck();
  await press("Save portal");
  await eventually(async () => (await client.get(portalPath())).body.mails).toEqual({
    welcome: { subject: "{subject}!", greeting: "Hello <you>," },
    receipt: { isEnabled: false },
  });

  await show("/consumers/main/acme");
  await press("View portal");
  const open = user.page.getByRole("dialog").getByRole("link", { name: "Open portal" });
  await eventually(() => open.getAttribute("href")).toStartWith(`${body.url}/sign-in#code=tgh_`);
  await user.page.keyboard.press("Escape");
  const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?action=portal.viewed`);
  expect(log.data).toHaveLength(1);
});

user.check("the preview is the portal's own page with what is typed, and visitors see what is saved", async () => {
  const { page } = user;
  const { client } = user.server;
  const bucket = await newMeteringBucket(client);
  const meters = { requests: { label: "requests", max: 1000 } };
  const price = { currency: "EUR", amount: "30.00", interval: "month" };
  const plan = { planExternalId: "gold", label: "Gold", isPublic: true, meters, price };
  await createPlan(client, bucket, plan);
  const logo = `data:image/png;base64,${pixel}`;
  const before = await setPortal(client, { title: "Acme Weather", accentColor: "#a01060", logo });
  const visitor = () =>
    fetch(user.server.url, { headers: { host: new URL(before.url).host } }).then((got) => got.text());
  const saved = await visitor();
  expect(saved).toContain("Acme Weather");
  await show("/settings?tab=portal");
  await preview.locator(".landing h1", { hasText: "Acme Weather" }).waitFor();
  await preview.locator(`.site-name img[src="${logo}"]`).waitFor();
  const accent = () => preview.locator("body").evaluate("getComputedStyle(document.body).getPropertyValue('--accent')");
  await eventually(accent).toStartWith("light-dark(#a01060,");

  await type("Title", "Storm & <b>Sun</b>");
  await type("Description", "Alerts before the storm.");
  await type("Accent colour", "#2456d6");
  await press("Add link");
  await type("Label", "Status page");
  await type("URL", "https://status.acme.example/");
  await press("Add link");
  await page.getByLabel("Label").last().fill("Half a li");
  await type("Terms", "https://acme.example/terms");
  await press("Remove");
  await page.getByLabel("Metering bucket").selectOption(bucket.split("/").at(-1)!);
  await page.getByLabel("Sign-up").selectOption("open");
  await preview.locator(".landing h1", { hasText: "Storm & <b>Sun</b>" }).waitFor();
  await preview.locator(".lead", { hasText: "Alerts before the storm." }).waitFor();
  await preview.locator(".site-foot", { hasText: "Status pageTerms" }).waitFor();
  await preview.locator('.site-name img[src^="data:image/svg+xml,"]').waitFor();
  await preview.locator(".plan-card", { hasText: "€30.00 per month" }).waitFor();
  await eventually(accent).toStartWith("light-dark(#2456d6,");

  // The last valid settings stay, and nothing in the page can be pressed.
  await type("Accent colour", "#24");
  await eventually(accent).toStartWith("light-dark(#2456d6,");
  expect(await preview.locator("#app").evaluate("document.getElementById('app').inert")).toBeTrue();
  await page.getByLabel("Page").selectOption("Sign-in");
  await preview.locator(".enter h1").waitFor();
  await page.getByLabel("Page").selectOption("Plans");
  await preview.locator(".site-who", { hasText: "A new customer" }).waitFor();
  await preview.locator(".plan-card", { hasText: "Not available yet" }).waitFor();
  await press("Preview in the dark theme");
  await preview.locator('html[data-theme="dark"], :root[data-theme="dark"]').waitFor();
  await press("Preview as on a phone");
  await eventually(() => preview.locator("body").evaluate("window.innerWidth")).toBe(390);
  await user.expectAccessible();

  // It has its own origin's data only, and no other site may show it.
  expect((await client.get(portalPath())).body).toEqual(before);
  expect(await visitor()).toBe(saved);
  const policy = (await fetch(`${user.server.url}/portal/preview`)).headers.get("content-security-policy");
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).toContain("connect-src 'none'");
  await page.goto("about:blank");
});

user.check("plans are chosen from those of the bucket; warnings and their links have enough contrast", async () => {
  const { page } = user;
  const { client } = user.server;
  await show("/settings?tab=portal");
  await page.getByLabel("Metering bucket").selectOption({ index: 1 });
  await press("Add plan");
  await page.getByLabel("plan 1", { exact: true }).selectOption("gold");
  await page.getByLabel("Recommended plan").selectOption("gold");
  await see("Unsaved changes");
  await press("Save portal");
  await eventually(async () => (await client.get(portalPath())).body).toMatchObject({
    plans: ["gold"],
    recommendedPlan: "gold",
  });
  await user.gone("Unsaved changes");
  await press("Remove plan 1");
  await press("Discard");
  await eventually(() => page.getByLabel("plan 1", { exact: true }).inputValue()).toBe("gold");
  await show("/settings?tab=portal");
  await page.getByRole("link", { name: "Billing settings" }).waitFor();
  await user.expectAccessible();
});

user.check("sign-up is set, and requests for access are approved and denied", async () => {
  const { page } = user;
  const { client } = user.server;
  for (const name of ["Hooli", "Initech"])
    await client.post(`${portalPath()}/access-requests`, { email: `kim@${name.toLowerCase()}.example`, name });
  await show("/settings?tab=portal");
  await page.getByLabel("Sign-up").selectOption("approval");
  await press("Save portal");
  await eventually(async () => (await client.get(portalPath())).body.signUp).toBe("approval");
  await page.getByRole("button", { name: "Approve kim@hooli.example" }).click();
  await page.getByRole("link", { name: "Approved" }).waitFor();
  await page.getByRole("button", { name: "Deny kim@initech.example" }).click();
  await page.getByText("Denied", { exact: true }).waitFor();
  const { data } = (await client.get(`${portalPath()}/access-requests`)).body;
  expect(data).toMatchObject([{ state: "approved" }, { state: "denied" }]);
});

user.check("an identity provider is set, and its secret is kept and never shown", async () => {
  const { page } = user;
  const { client } = user.server;
  const stored = async () => (await client.get(portalPath())).body.oidc;
  await show("/settings?tab=portal");
  await type("Issuer", "https://login.acme.example");
  await type("Client ID", "portal");
  user.expectStatus(400);
  await press("Save portal");
  await see("is required for a new issuer or client");
  await type("Client secret", "a secret of the console");
  await press("Save portal");
  await eventually(stored).toEqual({ issuer: "https://login.acme.example", clientId: "portal" });
  await eventually(() => page.getByLabel("Client secret").inputValue()).toBe("");
  await see("Leave it empty to keep it.");
  const { url } = (await client.get(portalPath())).body;
  await see(`${url}/sign-in/provider/callback`);
  await type("Client ID", "");
  await type("Issuer", "");
  await press("Save portal");
  await eventually(stored).toBeUndefined();
});

user.check("the audit log shows what customers did in the portal", async () => {
  const { page } = user;
  const { client } = user.server;
  const { url } = (await client.get(portalPath())).body;
  const customer = await customerBrowser(user.server, url, "acme");
  expect((await customer.post("/keys", {})).status).toBe(200);
  const { data } = (await client.get(`/v1/accounts/${account}/audit-log?actorType=manager`)).body;
  expect(data).toContainEqual(expect.objectContaining({ action: "key.created" }));
  await show("/settings?tab=portal");
  await page.getByRole("link", { name: "Customers' actions" }).click();
  await page.waitForURL(/audit-log\?actorType=manager/);
  const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  await eventually(() => rows.filter({ hasText: "user-1" }).count()).toBe(data.length);
  await see("Made by: Customers in the portal");
});

user.check("OAuth is turned on, programs and authorizations are ended, and other settings of OAuth stay", async () => {
  const { page } = user;
  const { client } = user.server;
  const stored = async () => (await client.get(portalPath())).body.oauth;
  await show("/settings?tab=portal");
  await page.getByLabel("OAuth").selectOption("metadata");
  await press("Save portal");
  const defaults = { accessTokenMinutes: 15, refreshDays: 30 };
  await eventually(stored).toEqual({ isEnabled: true, registration: "metadata", ...defaults });
  const { url } = (await client.get(portalPath())).body;
  const customer = await customerBrowser(user.server, url, "acme");
  expect((await customer.post("/oauth-clients", { name: "Nightly import" })).status).toBe(200);
  await show("/settings?tab=portal");
  await page.getByRole("button", { name: "End Nightly import of acme" }).click();
  await press("End authorization");
  await see("No customer has authorized a program yet.");
  expect((await client.get(`${portalPath()}/authorizations`)).body.total).toBe(0);
  await press("Create program");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Weather CLI");
  await press("Add address");
  await dialog.getByLabel("address 2", { exact: true }).fill("http://app.example/");
  const submit = dialog.getByRole("button", { name: "Create program" });
  user.expectStatus(400);
  await submit.click();
  await dialog.getByText("must use https").waitFor();
  await dialog.getByLabel("address 2", { exact: true }).fill("https://app.example/callback");
  await submit.click();
  const names = async () => {
    const { body } = await client.get(`${portalPath()}/oauth-clients`);
    return body.data.map(({ name }: { name: string }) => name).sort();
  };
  await dialog.getByText(/^oac_/).waitFor();
  await press("Done");
  expect(await names()).toEqual(["Nightly import", "Weather CLI"]);
  await page.getByRole("button", { name: "Delete Weather CLI" }).click();
  await press("Delete program");
  await eventually(() => page.getByRole("button", { name: "Delete Weather CLI" }).count()).toBe(0);
  await eventually(names).toEqual(["Nightly import"]);
  await page.getByLabel("OAuth").selectOption("off");
  await press("Save portal");
  await eventually(stored).toEqual({ isEnabled: false, registration: "metadata", ...defaults });
});

user.check("the settings fit a phone", () => user.expectNarrow(["/settings?tab=portal"]));
