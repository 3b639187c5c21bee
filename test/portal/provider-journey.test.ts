import { afterAll, beforeAll, expect } from "bun:test";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { IdentityProvider, newSigningKey } from "../support/identity-provider.ts";
import { useMailServer } from "../support/mail-server.ts";
import { setPortal } from "../support/portal.ts";
import { portalCheck } from "../support/portal-check.ts";
import { checkPage } from "../support/portal-page.ts";
import { oidcOf, registerPortal } from "../support/portal-provider.ts";
import { deploy, openApi } from "../support/project.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { patiently } from "../support/slowdown.ts";

const patienceMs = patiently(120_000);
const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ ok: true }) });
const { environment: mail } = useMailServer();
// The pages do not depend on the engine.
let provider: IdentityProvider;
let server: TestServer;
let opened: OpenPage;
let url: string;

beforeAll(async () => {
  await buildWebIfOutdated(["portal"]);
  const key = await newSigningKey("one");
  provider = await IdentityProvider.start([key]);
  server = await startServer(sqlite, { environment: { TOLLGATE_EGRESS: "any", ...mail() } });
  server.clock.set(new Date().toISOString());
  await server.client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" });
  const files = {
    "openapi.json": openApi({ "/forecast": { "x-tollgate": { upstream: upstream.url.origin, policies: ["key"] } } }),
    "tollgate.json": { policies: { key: { type: "api-key", options: { bucket: "main" } } } },
  };
  const { name } = await deploy(server, { project: "weather", branch: "main" }, files);
  const settings = { title: "Acme Weather", deployments: [name], signUp: "open", isReferencePublic: true };
  url = (await setPortal(server.client, { ...settings, oidc: oidcOf(provider) })).url;
  registerPortal(provider, url);
  await provider.publish([key]);
  opened = await openPage(url);
}, patienceMs);
afterAll(async () => {
  await opened?.close();
  await server?.stop();
  await provider?.stop();
  await upstream.stop(true);
});

const heading = (name: string | RegExp) => opened.page.getByRole("heading", { name });
const button = (name: string | RegExp) => opened.page.getByRole("button", { name, exact: true });
const dialog = () => opened.page.getByRole("dialog").last();
const continueButton = () => button(`Continue with ${new URL(provider.issuer).host}`);

const check = portalCheck(() => ({ opened, origins: [url, provider.issuer] }));

check("a visitor signs up with the provider, sends a first request, and rolls the key", async () => {
  const { page } = opened;
  provider.people.claims = { sub: "jo", email: "jo@initech.example", email_verified: true, name: "Jo" };
  await heading("Sign in or create an account").waitFor();
  await page.getByLabel("Email").waitFor();
  await checkPage(page, "welcome");
  await continueButton().click();
  await heading("Create your account").waitFor();
  expect(page.url()).toBe(`${url}/sign-in/provider/callback`);
  await page.getByText("Signed in as jo@initech.example").waitFor();
  await checkPage(page, "sign-up");
  await page.getByLabel("Company or name").fill("Initech");
  await button("Create account").click();
  await heading("Your first key").waitFor();
  const curl = await dialog()
    .getByText(/^curl /)
    .innerText();
  const resolve = `--resolve '*:${new URL(server.url).port}:127.0.0.1' -s -w ' %{http_code}'`;
  const pasted = Bun.spawn(["sh", "-c", `${curl} ${resolve}`], { stdout: "pipe", stderr: "ignore" });
  expect(await pasted.stdout.text()).toBe('{"ok":true} 200');
  await dialog().getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Roll…" }).click();
  await dialog().getByRole("button", { name: "Roll key" }).click();
  await dialog().getByRole("button", { name: "I have stored it" }).click();
  await eventually(() => page.getByRole("row").count()).toBe(3);
  const { data } = (await server.client.get(`${consumers}?include-managers=true`)).body;
  expect(data).toMatchObject([{ displayName: "Initech", managers: [{ sub: "jo", email: "jo@initech.example" }] }]);
});

check("signing out ends the session at the provider too", async () => {
  const { page } = opened;
  await button("Sign out").click();
  await page.waitForURL(`${provider.issuer}/**`);
  await page.getByRole("button", { name: /yes/i }).click();
  await heading("Sign in or create an account").waitFor();
  expect(page.url()).toBe(`${url}/`);
});

check("a manager signs in from a page, and is back there", async () => {
  const { page } = opened;
  await page.goto(`${url}/keys`);
  await continueButton().click();
  await page.locator(".site-who").getByText("Initech").waitFor();
  await eventually(() => new URL(page.url()).pathname).toBe("/keys");
  await button("Create key").waitFor();
});

check("a person who may not enter, and one who cancels, get an explanation", async () => {
  const { page } = opened;
  await server.client.raw(
    "PUT",
    `/v1/accounts/${account}/key-buckets/main/portal`,
    JSON.stringify({ title: "Acme Weather", oidc: oidcOf(provider) }),
  );
  await page.context().clearCookies();
  provider.people.claims = { sub: "stranger", email: "eve@evil.example", email_verified: true };
  opened.errors.expect(401, 403);
  await page.goto(`${url}/sign-in`);
  await continueButton().click();
  await heading("You could not be signed in").waitFor();
  await page.getByText("does not belong to a customer of this portal").waitFor();
  await checkPage(page, "no access");
  await page.goto(`${url}/sign-in/provider/callback?error=access_denied&state=x`);
  await page.getByText("was not completed").waitFor();
  await page.getByRole("link", { name: "Sign in again" }).click();
  await continueButton().waitFor();
});
