import { afterAll, beforeAll, expect } from "bun:test";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { useMailServer } from "../support/mail-server.ts";
import { portalPath, setPortal } from "../support/portal.ts";
import { portalCheck } from "../support/portal-check.ts";
import { checkPage } from "../support/portal-page.ts";
import { deploy, openApi } from "../support/project.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { patiently } from "../support/slowdown.ts";

const patienceMs = patiently(120_000);
const bucket = `/v1/accounts/${account}/key-buckets/main`;

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ ok: true }) });
const { server: smtp, environment: mail } = useMailServer();
// The pages do not depend on the engine.
let server: TestServer;
let opened: OpenPage;
let url: string;
let settings: object;

beforeAll(async () => {
  await buildWebIfOutdated(["portal"]);
  server = await startServer(sqlite, { environment: { TOLLGATE_EGRESS: "any", ...mail() } });
  server.clock.set(new Date().toISOString());
  await server.client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" });
  await server.client.post("/v1/metering", { name: "plans" });
  const meters = { requests: { label: "Requests", max: 100 } };
  await server.client.post("/v1/metering/plans/plans", { label: "Free", planExternalId: "free", meters });
  const files = {
    "openapi.json": openApi({ "/forecast": { "x-tollgate": { upstream: upstream.url.origin, policies: ["key"] } } }),
    "tollgate.json": { policies: { key: { type: "api-key", options: { bucket: "main" } } } },
  };
  const { name } = await deploy(server, { project: "weather", branch: "main" }, files);
  settings = {
    title: "Acme Weather",
    description: "Forecasts for every place on earth.",
    accentColor: "#2456d6",
    deployments: [name],
    meteringBucket: "plans",
    signUpPlan: "free",
    termsUrl: "https://acme.example/terms",
  };
  url = (await setPortal(server.client, { ...settings, signUp: "open" })).url;
  opened = await openPage(url);
}, patienceMs);
afterAll(async () => {
  await opened?.close();
  await server?.stop();
  await upstream.stop(true);
});

const heading = (name: string | RegExp) => opened.page.getByRole("heading", { name });
const button = (name: string) => opened.page.getByRole("button", { name, exact: true });
const place = (name: string) => opened.page.getByRole("navigation").getByRole("link", { name, exact: true });
const dialog = () => opened.page.getByRole("dialog").last();

/** Enters the address on the sign-in page, and returns the mail. */
async function mailTo(email: string) {
  const { page } = opened;
  await page.getByLabel("Email").fill(email);
  await button("Continue").click();
  await page.getByLabel("Code").waitFor();
  await server.catchUp();
  return smtp.to(email).at(-1)!;
}

const check = portalCheck(() => ({ opened, origins: [url] }));

check("a visitor signs up by mail, and the first key works when its request is pasted", async () => {
  const { page } = opened;
  await heading("Sign in or create an account").waitFor();
  await checkPage(page, "welcome");
  const { code } = await mailTo("jo@initech.example");
  await checkPage(page, "code");
  await page.getByLabel("Code").fill(code!);
  await heading("Create your account").waitFor();
  await checkPage(page, "sign-up");
  await page.getByLabel("Company or name").fill("Initech");
  await button("Create account").click();
  await heading("Your first key").waitFor();
  await checkPage(page, "first-key");
  const curl = await dialog()
    .getByText(/^curl /)
    .innerText();
  const resolve = `--resolve '*:${new URL(server.url).port}:127.0.0.1' -s -w ' %{http_code}'`;
  const pasted = Bun.spawn(["sh", "-c", `${curl} ${resolve}`], { stdout: "pipe", stderr: "ignore" });
  expect(await pasted.stdout.text()).toBe('{"ok":true} 200');
  await dialog().getByRole("button", { name: "I have stored it" }).click();
  await page.locator(".site-who").getByText("Initech").waitFor();
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Roll…" }).click();
  await dialog().getByRole("button", { name: "Roll key" }).click();
  await dialog().getByRole("button", { name: "I have stored it" }).click();
  await eventually(() => page.getByRole("row").count()).toBe(3);
});

check("a manager invites a colleague, changes what they may do, and removes them", async () => {
  const { page } = opened;
  await place("People").click();
  await page.getByText("jo@initech.example (you)").waitFor();
  await button("Invite a person").click();
  await dialog().getByLabel("Email").fill("sam@initech.example");
  await dialog().getByText("Selected permissions").click();
  await checkPage(page, "invite");
  await dialog().getByRole("button", { name: "Send invite" }).click();
  await page.getByText("Invited", { exact: true }).waitFor();
  await checkPage(page, "people");
  await server.catchUp();
  expect(smtp.to("sam@initech.example")).toMatchObject([{ subject: "You are invited to Acme Weather" }]);
  await page.getByRole("button", { name: "Actions for jo@initech.example" }).click();
  await page.getByRole("menuitem", { name: "Leave…" }).click();
  opened.errors.expect(409);
  await dialog().getByRole("button", { name: "Leave" }).click();
  await dialog().getByText("One person with all scopes must remain").waitFor();
  await dialog().getByRole("button", { name: "Cancel" }).click();
  await button("Sign out").click();
  await heading("Sign in or create an account").waitFor();
});

check("the link of a mail signs in after a click, and a person with several accounts chooses one", async () => {
  const { page } = opened;
  await server.client.post(`${bucket}/consumers`, { name: "globex", managers: ["sam@initech.example"] });
  const { url: link } = await mailTo("sam@initech.example");
  await page.goto(link);
  await heading("Sign in to Acme Weather").waitFor();
  expect(new URL(page.url()).hash).toBe("");
  await checkPage(page, "link");
  await button("Continue").click();
  await heading("Choose an account").waitFor();
  await checkPage(page, "choose");
  await button("Initech").click();
  await place("Usage").waitFor();
  expect(await place("Keys").count()).toBe(0);
  await page.getByLabel("Account").selectOption({ label: "globex" });
  await place("Keys").waitFor();
  await checkPage(page, "switched");
  await button("Sign out").click();
  await heading("Sign in or create an account").waitFor();
});

check("a person with one account is signed in on the start page", async () => {
  const { page } = opened;
  const { code } = await mailTo("jo@initech.example");
  await page.getByLabel("Code").fill(code!);
  await place("People").waitFor();
  await button("Sign out").click();
  await heading("Sign in or create an account").waitFor();
});

check("with approval, a visitor requests access", async () => {
  const { page } = opened;
  await setPortal(server.client, { ...settings, signUp: "approval" });
  await page.reload();
  const { code } = await mailTo("kim@hooli.example");
  await page.getByLabel("Code").fill(code!);
  await heading("Request access").waitFor();
  await page.getByLabel("Company or name").fill("Hooli");
  await page.getByLabel("What do you want to build?").fill("Rain alerts");
  await checkPage(page, "request");
  await button("Request access").click();
  await heading("Your request was sent").waitFor();
  const { data } = (await server.client.get(`${portalPath()}/access-requests?state=pending`)).body;
  expect(data).toMatchObject([{ email: "kim@hooli.example", name: "Hooli", note: "Rain alerts" }]);
});
