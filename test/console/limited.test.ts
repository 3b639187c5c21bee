import { beforeAll, expect } from "bun:test";
import { settled } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { invite } from "../support/people.ts";
import { type Deployed, deploy, openApi } from "../support/project.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

// A person whose role is limited to projects: pages show what the role may read, and explain the rest without a request.

const user = useConsole();
const { check, see, press } = user;
let deployed: Deployed;

beforeAll(async () => {
  const { client } = user.server;
  deployed = await deploy(
    user.server,
    { project: "orders", branch: "main" },
    {
      "tollgate.json": { policies: { keys: { type: "api-key", options: { bucket: "main" } } } },
      "openapi.json": openApi({ "/hello": { "x-tollgate": { handler: "modules/hello.ts", policies: ["keys"] } } }),
      "modules/hello.ts": `export default () => new Response("hello");`,
    },
  );
  const acme = { name: "acme", apiKeys: [{}] };
  const { body } = await client.post("/v1/accounts/default/key-buckets/main/consumers", acme);
  await deployed.call("/hello", { headers: { authorization: `Bearer ${body.apiKeys[0].key}` } });
  const projects = [{ project: "orders", role: "editor" }];
  const { invitation } = await invite(client, { email: "bo@acme.example", role: "editor", projects });
  await user.page.context().clearCookies();
  await user.page.goto("about:blank");
  await user.page.goto(`${user.server.url}/console/join#${invitation}`);
  await press("Accept the invitation");
  await user.page.waitForSelector(".sidebar");
  user.takeErrors();
}, patienceMs);

const tabs = () => user.page.getByRole("tab").allInnerTexts();

check("every tab of the settings and of a deployment shows something, without a rejected request", async () => {
  await user.visit("/settings");
  await eventually(tabs).toEqual(["Sessions", "System"]);
  await user.visit(`/deployments/${deployed.name}`);
  for (const path of ["/settings", `/deployments/${deployed.name}`]) {
    await user.visit(path);
    for (const name of await tabs()) {
      await user.page.getByRole("tab", { name, exact: true }).click();
      await settled(user.page);
      const failures = () => user.page.locator("[role=alert]").allInnerTexts();
      await eventually(async () => ({ name, failures: await failures() })).toEqual({ name, failures: [] });
    }
  }
});

check("a request names its consumer, without a link to a page that the role cannot read", async () => {
  await user.visit(`/deployments/${deployed.name}?tab=requests`);
  await user.page.getByRole("link", { name: /GET.*\/hello/ }).click();
  const panel = user.page.getByRole("dialog");
  await panel.getByText("acme").first().waitFor();
  await settled(user.page);
  await eventually(() => panel.getByRole("link", { name: "acme" }).count()).toBe(0);
});

check("the address of a customer, a list or a search explains the limit, and leads to the deployments", async () => {
  await user.page.goto("about:blank");
  user.requests.length = 0;
  for (const path of ["/consumers/main/acme?tab=billing", "/requests", "/plans", "/plans/simulations"]) {
    await user.show(path);
    await see("Your role is limited to projects");
    expect(user.requests.filter((url) => /key-buckets|metering|\/requests\?/.test(url))).toEqual([]);
  }
  await user.page.getByRole("link", { name: "Show deployments" }).click();
  await see("orders");
});
