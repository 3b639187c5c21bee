import { afterAll, expect } from "bun:test";
import type { Locator } from "playwright-core";
import { proxyProject } from "../../src/client/index.ts";
import { accessibilityProblemsOfThemes } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { build, callHost, type Deployed, deploy, openApi } from "../support/project.ts";
import { useConsole } from "../support/use-console.ts";

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ from: "the upstream" }) });
afterAll(() => upstream.stop(true));

const user = useConsole({ environment: { TOLLGATE_EGRESS: "any" } });
const { check, see, press } = user;
const dialog = () => user.page.getByRole("dialog");
const shop = { project: "shop", branch: "main" };
const files = (quota?: { bucketId: string; meter: string }) =>
  proxyProject({ title: "shop", upstream: upstream.url.origin, quota });

/** `tollgate.json` of the live version, as it is downloaded. */
async function settingsOf(name: string) {
  const { client, url } = user.server;
  const { body } = await client.get(`/v1/deployments/${name}`);
  const source = `${url}/v1/deployments/${name}/versions/${body.activeVersion}/source`;
  const archive = await fetch(source, { headers: { authorization: `Bearer ${client.token}` } });
  const tar = Bun.spawn(["tar", "-xzOf", "-", "tollgate.json"], { stdin: await archive.bytes() });
  return { version: body.activeVersion, ...(await tar.stdout.json()) };
}

const limitOf = async (host: string, key: string) => {
  const { headers, status } = await callHost(user.server.url, host, "/", {
    headers: { authorization: `Bearer ${key}` },
  });
  return [status, headers.get("ratelimit-limit")];
};

check("a limit of a gateway that was made in the console is changed with 4 clicks, from Home", async () => {
  const { page } = user;
  await user.visit("/deployments?proxy=new");
  await page.getByLabel("URL of your API").fill(upstream.url.origin);
  await page.getByLabel("Name", { exact: true }).fill("made-here");
  await page.getByLabel("Requests count against").selectOption("none");
  await user.confirm("Create gateway");
  await see("The gateway is live");
  const line = await dialog().locator("pre, code").filter({ hasText: "curl" }).first().innerText();
  const key = /Bearer ([^'"]+)/.exec(line)![1]!;
  const host = new URL(/https?:[^'" ]+/.exec(line)![0]).host;
  await press("I have stored the key");
  expect(await limitOf(host, key)).toEqual([200, "60"]);

  await user.visit("/");
  let clicks = 0;
  const click = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  await click(page.locator(".frame > .sidebar .nav").getByRole("link", { name: "Deployments", exact: true }));
  await click(page.getByRole("link", { name: "made-here", exact: true }));
  await click(page.getByRole("button", { name: "Change limit" }));
  // The first field has the focus, and typing replaces its value.
  await page.getByLabel("Requests", { exact: true }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("120");
  await dialog().locator('.diff-line[data-kind="removed"]', { hasText: '"requests": 60' }).waitFor();
  await dialog().locator('.diff-line[data-kind="added"]', { hasText: '"requests": 120' }).waitFor();
  await eventually(() => dialog().locator(".diff-line[data-kind=added]").count()).toBe(1);
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await click(dialog().getByRole("button", { name: "Deploy change" }));
  await see("made-here is live");
  await eventually(() => limitOf(host, key)).toEqual([200, "120"]);
  await dialog().waitFor({ state: "detached" });
  await see("requests 120");
  expect(clicks).toBe(4);
});

let deployed: Deployed;

check("a policy is added in its place of the order, and removed, with what that means", async () => {
  deployed = await deploy(user.server, shop, files());
  await user.visit(`/deployments/${deployed.name}`);
  await press("Add policy");
  await user.menu(/^CORS/);
  await dialog().getByLabel("Origins").fill("https://shop.example, https://admin.shop.example");
  await dialog().getByText("More options").click();
  await dialog().getByLabel("Max age seconds").fill("60");
  await dialog().getByLabel("Credentials").check();
  await user.confirm("Deploy change");
  await see("shop is live");
  await dialog().waitFor({ state: "detached" });
  expect(await settingsOf(deployed.name)).toMatchObject({
    version: 2,
    defaultPolicies: ["cors", "key", "limit"],
    policies: {
      cors: {
        type: "cors",
        options: {
          origins: ["https://shop.example", "https://admin.shop.example"],
          maxAgeSeconds: 60,
          credentials: true,
        },
      },
    },
  });

  await press("Change key");
  await press("Remove key");
  await see(/are open to all\s+callers/);
  await user.confirm("Deploy without key");
  await dialog().waitFor({ state: "detached" });
  const { policies, defaultPolicies } = await settingsOf(deployed.name);
  expect([Object.keys(policies), defaultPolicies]).toEqual([
    ["limit", "cors"],
    ["cors", "limit"],
  ]);
  expect((await deployed.call("/")).status).toBe(200);
  await user.visit(`/deployments/${deployed.name}?tab=versions`);
  await see("Remove key");
});

check("what the build rejects is shown at its line, and nothing is deployed", async () => {
  await user.visit(`/deployments/${deployed.name}?policy=limit`);
  await dialog().getByLabel("Requests", { exact: true }).fill("0");
  await user.confirm("Deploy change");
  await see(/The previous version keeps serving/);
  await see(/must be at least 1|Too small|>=1/);
  expect((await settingsOf(deployed.name)).version).toBe(3);
  await dialog().getByLabel("Requests", { exact: true }).fill("30");
  await dialog()
    .getByLabel(/^Only observe/)
    .check();
  await user.confirm("Deploy change");
  await dialog().waitFor({ state: "detached" });
  expect((await settingsOf(deployed.name)).policies.limit).toEqual({
    type: "rate-limit",
    options: { by: "consumer", requests: 30, windowSeconds: 60 },
    mode: "observe",
  });
});

check("a version that was deployed meanwhile is shown, and not overwritten", async () => {
  await build(user.server.client, shop, files());
  await user.visit(`/deployments/${deployed.name}?policy=limit`);
  await dialog().getByLabel("Requests", { exact: true }).fill("500");
  const theirs = JSON.parse(files()["tollgate.json"]!);
  theirs.policies.limit.options.windowSeconds = 3600;
  const meanwhile = { ...files(), "tollgate.json": theirs };
  await build(user.server.client, { ...shop, note: "Limit by hour" }, meanwhile);
  const { version } = await settingsOf(deployed.name);
  // The page has not read the new version yet, or has: the server rejects the upload in any case.
  user.expectStatus(409);
  const submit = dialog().getByRole("button", { name: "Deploy change" });
  if (await submit.isEnabled()) await submit.click();
  await see(`Version ${version} became live while you were editing`);
  await see("Limit by hour");
  await see("has other options");
  await eventually(() => submit.isDisabled()).toBe(true);
  expect((await settingsOf(deployed.name)).version).toBe(version);
  expect(await accessibilityProblemsOfThemes(user.page)).toEqual({ light: [], dark: [] });
  await press(`Make my change to version ${version}`);
  await dialog().locator('.diff-line[data-kind="same"]', { hasText: '"windowSeconds": 3600' }).waitFor();
  await user.confirm("Deploy change");
  await dialog().waitFor({ state: "detached" });
  expect((await settingsOf(deployed.name)).policies.limit.options).toEqual({
    by: "consumer",
    requests: 500,
    windowSeconds: 3600,
  });
});

check("a quota has its meters as text, and options that are not shown stay", async () => {
  const { name } = await deploy(
    user.server,
    { ...shop, project: "counted" },
    files({ bucketId: "main", meter: "requests" }),
  );
  await user.visit(`/deployments/${name}?policy=quota`);
  await eventually(() => dialog().getByLabel("Meters").inputValue()).toBe("requests: 1");
  await dialog().getByLabel("Meters").fill("requests: 1, tokens: 5");
  await dialog().getByText("More options").click();
  await dialog().getByLabel("Statuses").fill("200, 4xx");
  await dialog().getByLabel("Over quota").selectOption("allow");
  await user.confirm("Deploy change");
  await dialog().waitFor({ state: "detached" });
  expect((await settingsOf(name)).policies.quota.options).toEqual({
    bucketId: "main",
    meters: { requests: 1, tokens: 5 },
    statuses: [200, "4xx"],
    overQuota: "allow",
  });
});

check("a project with modules is not changed here; its source and the commands are at hand", async () => {
  const { name } = await deploy(
    user.server,
    { ...shop, project: "coded" },
    {
      "openapi.json": openApi({ "/": { "x-tollgate": { handler: "modules/hello.ts", policies: [] } } }),
      "modules/hello.ts": 'export default () => new Response("hello");',
    },
  );
  await user.visit(`/deployments/${name}`);
  await see("Requests by outcome");
  await eventually(() => user.page.getByRole("region", { name: "Policies" }).count()).toBe(0);
  await user.visit(`/deployments/${name}?policy=%2Bcors`);
  await see("This project has modules");
  await user.visit(`/deployments/${name}`);
  await press("More actions");
  await user.menu("Continue with the CLI…");
  await see(`tollgate deployments source ${name}`);
  await see("tollgate deploy coded --project coded --branch main");
  await user.expectAccessible();
  const downloading = user.page.waitForEvent("download");
  await user.confirm("Download source");
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("coded.tar.gz");
  const tar = Bun.spawn(["tar", "-tzf", await download.path()]);
  expect((await tar.stdout.text()).trim().split("\n").sort()).toEqual(["modules/hello.ts", "openapi.json"]);
});

check("narrow windows need no sideways scrolling", async () => {
  await user.expectNarrow([`/deployments/${deployed.name}`, `/deployments/${deployed.name}?policy=limit`]);
});
