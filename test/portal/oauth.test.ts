import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { useMailServer } from "../support/mail-server.ts";
import { expectOAuthError, OAuthPortal } from "../support/oauth.ts";
import { checkPage } from "../support/portal-page.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

const patienceMs = 120_000;
const email = "jo@acme.example";

const { server: smtp, environment: mail } = useMailServer();
// The pages do not depend on the engine.
let server: TestServer;
let opened: OpenPage;
let portal: OAuthPortal;
let folder: TemporaryFolder;

beforeAll(async () => {
  await buildWebIfOutdated(["portal"]);
  folder = await temporaryFolder("oauth-login");
  server = await startServer(sqlite, { environment: mail() });
  server.clock.set(new Date().toISOString());
  portal = new OAuthPortal(server);
  await portal.newCustomer("acme", { permissions: ["forecast:read", "alerts:write"] });
  const consumer = `/v1/accounts/${account}/key-buckets/main/consumers/acme`;
  await server.client.post(`${consumer}/managers`, { sub: "jo", email });
  await portal.set({ registration: "open" }, { title: "Acme Weather", accentColor: "#2456d6" });
  opened = await openPage(portal.url);
}, patienceMs);
afterAll(async () => {
  await opened?.close();
  await server?.stop();
  await folder?.remove();
});

const heading = (name: string | RegExp) => opened.page.getByRole("heading", { name });
const button = (name: string) => opened.page.getByRole("button", { name, exact: true });

/** Starts the command line of the example. Returns the address that it prints. */
async function startLogin() {
  const login = Bun.spawn([process.execPath, "login.ts", portal.url, portal.clientId], {
    cwd: join(import.meta.dir, "../../examples/oauth-login"),
    env: { ...process.env, OAUTH_LOGIN_DIRECTORY: folder.path },
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = login.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/http\S+state=\S+\n/.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The program ended: ${text} ${await new Response(login.stderr).text()}`);
    text += value;
  }
  return { login, address: /http\S+state=\S+/.exec(text)![0] };
}

test(
  "a customer signs in for a command line, sees it among their programs, and ends it",
  async () => {
    const { page } = opened;
    const { login, address } = await startLogin();
    await page.goto(address);
    await page.getByLabel("Email").fill(email);
    await button("Continue").click();
    await page.getByLabel("Code").waitFor();
    await server.catchUp();
    // The link of the mail opens in another tab, and continues with the request of the program.
    const opening = page.waitForEvent("popup");
    await page.evaluate(`window.open(${JSON.stringify(smtp.to(email).at(-1)!.url)})`);
    const tab = await opening;
    await tab.getByRole("button", { name: "Continue", exact: true }).click();
    await tab.getByRole("heading", { name: "Authorize Weather CLI?" }).waitFor();
    await page.goto(tab.url());
    await tab.close();
    await heading("Authorize Weather CLI?").waitFor();
    for (const text of ["acme", "forecast:read, alerts:write", /^127\.0\.0\.1:\d+$/, "(this computer)", email])
      await page.locator("main").getByText(text).first().waitFor();
    await checkPage(page, "consent");
    await button("Authorize").click();
    await page.getByText("You can close this page.").waitFor();
    expect(await login.exited).toBe(0);
    const tokens = JSON.parse(readFileSync(join(folder.path, "tokens.json"), "utf8"));
    expect(tokens.scope).toBe("forecast:read alerts:write");

    await page.goto(`${portal.url}/programs`);
    await page.getByRole("cell", { name: /^Weather CLI/ }).waitFor();
    await button("Connect a program").click();
    await page.getByLabel("Name").fill("Nightly import");
    await checkPage(page, "connect-program");
    await button("Connect").click();
    await heading("The program is connected").waitFor();
    await checkPage(page, "connected-program");
    await button("I have stored it").click();
    await heading("Connected by you").waitFor();
    await checkPage(page, "programs");
    await button("End Weather CLI").click();
    await button("End authorization").click();
    await eventually(() => button("End Weather CLI").count()).toBe(0);
    expectOAuthError(await portal.refresh(tokens.refresh_token), 400, "invalid_grant");
    await button("Delete Nightly import").click();
    await button("Delete program").click();
    await heading("No programs yet").waitFor();
    await checkPage(page, "no-programs");
    expect(opened.errors.take()).toEqual([]);
  },
  patienceMs,
);

test(
  "a program that registered itself has a warning, and denying leads back to it",
  async () => {
    const { page } = opened;
    const registered = await portal.send("/oauth/register", {
      method: "POST",
      body: JSON.stringify({ client_name: "Agent", redirect_uris: ["http://127.0.0.1/callback"] }),
    });
    const callback = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ({ url }) => new Response(url) });
    const redirect_uri = `http://127.0.0.1:${callback.port}/callback`;
    const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const query = portal.query({ challenge }, { client_id: registered.body.client_id, redirect_uri });
    await page.goto(`${portal.url}/oauth/authorize?${query}`);
    await heading("Authorize Agent?").waitFor();
    await page.getByText("has not checked this program").waitFor();
    await checkPage(page, "consent-of-unknown");
    await button("Cancel").click();
    await page.getByText("error=access_denied").waitFor();
    await callback.stop(true);
    expect(opened.errors.take()).toEqual([]);
  },
  patienceMs,
);

test(
  "the page of consent cannot be put into a frame",
  async () => {
    const response = await portal.send(`/oauth/authorize?${portal.query({ challenge: "x".repeat(43) })}`);
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  },
  patienceMs,
);
