import { describe } from "bun:test";
import { settled } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { adminToken } from "../support/server-settings.ts";
import { useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check } = user;
const root = "/v1/accounts/default";

describe("other origins", () => {
  /** A page of another origin, in a browser with a session of the console. */
  const otherPage = async () => {
    const context = user.page.context();
    return context.browser()!.newPage({ storageState: await context.storageState() });
  };

  check("change nothing with a visitor's session", async () => {
    const { client, url } = user.server;
    const before = (await client.get(`${root}/key-buckets`)).body.total;
    const page = await otherPage();
    try {
      await page.route("http://evil.example/**", (route) =>
        route.fulfill({
          contentType: "text/html",
          body: "<title>evil</title><form method=post enctype=text/plain></form>",
        }),
      );
      await page.goto("http://evil.example/");
      const body = JSON.stringify({ name: "stolen" });
      const send = (options: string) =>
        page.evaluate(`fetch("${url}${root}/key-buckets", ${options}).then(({ status }) => status, () => "failed")`);
      const shared = `method: "POST", credentials: "include", body: ${JSON.stringify(body)}`;
      await send(`{ ${shared}, headers: { "content-type": "application/json" } }`);
      await send(`{ ${shared}, mode: "no-cors", headers: { "content-type": "text/plain" } }`);
      await page.evaluate(`document.forms[0].action = "${url}${root}/key-buckets"; document.forms[0].submit()`);
      await page.waitForURL(`${url}/**`);
    } finally {
      await page.close();
    }
    await eventually(async () => (await client.get(`${root}/key-buckets`)).body.total).toBe(before);
  });

  check("over plain HTTP, signing in explains itself", async () => {
    const page = await otherPage();
    try {
      await page.route("http://gateway.example/**", async (route) => {
        const request = route.request();
        const { pathname, search } = new URL(request.url());
        const headers = { ...request.headers(), host: "gateway.example" };
        await route.fulfill({ response: await route.fetch({ url: user.server.url + pathname + search, headers }) });
      });
      await page.goto("http://gateway.example/console/sign-in");
      await settled(page);
      await page.getByText("This page came over plain HTTP").waitFor();
      await page.getByText("ssh -L 8787:127.0.0.1:8787 gateway.example").waitFor();
      await page.getByLabel("Token").fill(adminToken);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("A session's cookie needs https").waitFor();
    } finally {
      await page.close();
    }
  });
});

describe("a server that cannot be reached", () => {
  check("keeps the console open during navigation, and shows the page when it responds again", async () => {
    const { page } = user;
    const context = await page
      .context()
      .browser()!
      .newContext({ storageState: await page.context().storageState() });
    const tab = await context.newPage();
    await tab.goto(`${user.server.url}/console/plans`);
    await settled(tab);
    await tab.route("**/*", (route) => route.abort("connectionrefused"));
    // Its code is in a file of its own, which is not loaded yet.
    await tab.getByRole("link", { name: "Settings" }).click();
    await tab.getByText("The server cannot be reached").first().waitFor();
    await eventually(() => tab.getByRole("link", { name: "Plans" }).count()).toBe(1);
    await tab.getByText("Connection lost. Reconnecting…").waitFor();
    await tab.unroute("**/*");
    await tab.getByRole("heading", { name: "Settings", exact: true }).waitFor();
    await context.close();
  });
});
