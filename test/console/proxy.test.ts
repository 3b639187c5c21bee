import { afterAll, expect } from "bun:test";
import { accessibilityProblemsOfThemes } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { useConsole } from "../support/use-console.ts";

const received: string[] = [];
const hosts: string[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ method, url, headers }) => {
    hosts.push(headers.get("host") ?? "");
    received.push(`${method} ${new URL(url).pathname}`);
    return Response.json({ from: "the upstream" });
  },
});
afterAll(() => upstream.stop(true));

const user = useConsole({ environment: { TOLLGATE_EGRESS: "any" } });
const { check, see, press, type, confirm } = user;
const deployments = async () => (await user.server.client.get("/v1/deployments?accountName=default")).body.data;
const usageOf = async (bucket: string, customerKey: string) => {
  const { data } = (await user.server.client.get(`/v1/metering/${bucket}/usage`)).body;
  const its = data.find((usage: { customerKey: string }) => usage.customerKey === customerKey);
  return Object.values<{ used: number }>(its?.meters ?? {})[0]?.used;
};
const url = () => user.page.getByLabel("URL of your API");
const name = () => user.page.getByLabel("Name", { exact: true });

check("an empty server offers it on the pages where a new user lands, and in the palette", async () => {
  await user.show("/");
  await user.page.getByRole("link", { name: "Put it in front of a URL" }).click();
  await url().waitFor();
  await user.page.keyboard.press("Escape");
  await user.show("/deployments");
  await see("Nothing is deployed yet");
  await user.expectAccessible();
  await user.page.getByRole("button", { name: "Put a gateway in front of a URL", exact: true }).click();
  await url().waitFor();
  await user.show("/consumers");
  await user.page.keyboard.press("Control+k");
  await user.page.getByRole("combobox", { name: "Search pages" }).fill("front of");
  await user.page.keyboard.press("Enter");
  await url().waitFor();
});

check("a URL that cannot be an upstream is an error at its field, and nothing is deployed", async () => {
  await user.show("/deployments?proxy=new");
  for (const [text, error] of [
    ["api.acme.example", "must be a whole URL"],
    ["ftp://api.acme.example", "must begin with https://"],
    ["https://ada:secret@api.acme.example", "must not contain a user name"],
    ["https://api.acme.example/?a=b", "must not contain a query"],
  ] as const) {
    await url().fill(text);
    await name().fill("shop");
    await confirm("Create gateway");
    await see(error);
  }
  expect(await accessibilityProblemsOfThemes(user.page)).toEqual({ light: [], dark: [] });
  expect(await deployments()).toEqual([]);
});

check("a URL is enough for a gateway; the shown command reaches the API", async () => {
  await user.show("/deployments?proxy=new");
  // With the keyboard alone: the first field has the focus, and Enter sends the form.
  await url().and(user.page.locator(":focus")).waitFor();
  await user.page.keyboard.type(upstream.url.origin);
  await user.until(async () => (await name().inputValue()) === "my-api", "a name");
  await user.page.keyboard.press("Enter");
  await see("The gateway is live");
  expect(await accessibilityProblemsOfThemes(user.page)).toEqual({ light: [], dark: [] });
  const line = (
    await user.page.getByRole("dialog").locator("pre, code").filter({ hasText: "curl" }).first().innerText()
  ).trim();
  const curl = Bun.spawn(["sh", "-c", `${line} -sS`]);
  expect(await curl.stdout.text()).toBe('{"from":"the upstream"}');
  // The plan did not exist before.
  const { data: buckets } = (await user.server.client.get("/v1/metering")).body;
  expect(buckets).toMatchObject([{ name: "main", keyBucket: "main" }]);
  const { data: subscriptions } = (await user.server.client.get("/v1/metering/main/subscriptions")).body;
  expect(subscriptions).toMatchObject([{ customerKey: "my-api-first", planExternalIds: ["free"], status: "active" }]);
  await user.until(async () => (await usageOf("main", "my-api-first")) === 1, "the request to be counted");
  expect(await curl.exited).toBe(0);
  expect(received).toEqual(["GET /"]);
  const [deployment] = await deployments();
  expect(deployment).toMatchObject({ projectName: "my-api", state: "STARTED", environmentType: "PRODUCTION" });
  const unguarded = await fetch(user.server.url, { headers: { host: new URL(deployment.url).host } });
  expect(unguarded.status).toBe(401);
  await user.page.getByRole("link", { name: "Show its routes" }).click();
  await user.page.waitForURL(/\/deployments\/my-api-main-[0-9a-f]{7}\?tab=routes/);
  await see("/{path+}");
});

check("requests count against the plan and open with the key of a consumer of another bucket", async () => {
  const { client } = user.server;
  await client.post("/v1/accounts/default/key-buckets", { name: "partners" });
  const { id } = (await client.post("/v1/metering", { name: "shop", keyBucket: "partners" })).body;
  await client.post("/v1/accounts/default/key-buckets/partners/consumers", { name: "acme" });
  const meters = { calls: { max: 10 } };
  const price = { currency: "EUR", amount: "9.00", interval: "month" };
  await client.post(`/v1/metering/${id}/plans`, { label: "Pro", planExternalId: "pro", meters, price });
  await client.post(`/v1/metering/${id}/plans`, { label: "Trial", planExternalId: "trial", meters });
  await user.show("/deployments?proxy=new");
  await url().fill(upstream.url.origin);
  await name().fill("partner-api");
  await user.page.getByLabel("Key bucket").selectOption("partners");
  await user.page.getByLabel("Consumer", { exact: true }).fill("acme");
  await user.page.getByLabel("Requests count against").locator("option", { hasText: "1 of calls each" }).waitFor({
    state: "attached",
  });
  const plan = user.page.getByLabel("Subscribe acme to");
  await plan.waitFor();
  // What costs nothing is proposed, and the fee of the other plan is shown.
  await eventually(() => plan.locator("option").allInnerTexts()).toEqual([
    "Trial: free",
    "Pro: €9.00 per month, from now on",
  ]);
  expect(await accessibilityProblemsOfThemes(user.page)).toEqual({ light: [], dark: [] });
  await confirm("Create gateway");
  await see("The gateway is live");
  const line = await user.page.getByRole("dialog").locator("pre").filter({ hasText: "curl" }).innerText();
  const curl = Bun.spawn(["sh", "-c", `${line.trim()} -sS -w %{http_code}`]);
  expect(await curl.stdout.text()).toEndWith("200");
  await user.until(async () => (await usageOf("shop", "acme")) === 1, "the request to be counted");
  const consumers = (await client.get("/v1/accounts/default/key-buckets/partners/consumers")).body;
  expect(consumers.data.map((consumer: { name: string }) => consumer.name)).toEqual(["acme"]);
  const made = (await deployments()).find(({ projectName }: { projectName: string }) => projectName === "partner-api");
  await client.delete(`/v1/deployments/${made.name}`);
  await client.delete(`/v1/metering/${id}?force=true`);
});

check("the API gets the client's Host header if that is chosen", async () => {
  await user.show("/deployments?proxy=new");
  await url().fill(upstream.url.origin);
  await name().fill("kept-host");
  await user.page.getByLabel("Send the client's Host header").check();
  await confirm("Create gateway");
  await see("The gateway is live");
  const line = (
    await user.page.getByRole("dialog").locator("pre, code").filter({ hasText: "curl" }).first().innerText()
  ).trim();
  expect(await Bun.spawn(["sh", "-c", `${line} -sS`]).exited).toBe(0);
  const kept = (await deployments()).find(({ projectName }: { projectName: string }) => projectName === "kept-host");
  expect([hosts.at(-1)]).toEqual([new URL(kept.url).host]);
  await user.server.client.delete(`/v1/deployments/${kept.name}`);
});

check("the name of another project is rejected at its field, and its gateway is not replaced", async () => {
  const [{ name: taken }] = await deployments();
  const versions = async () => (await user.server.client.get(`/v1/deployments/${taken}/versions`)).body.total;
  const before = await versions();
  await user.show("/deployments?proxy=new");
  await url().fill("https://api.acme.example");
  await name().fill("my-api");
  await confirm("Create gateway");
  await see("is the name of another project");
  expect((await deployments()).length).toBe(1);
  expect(await versions()).toBe(before);
  await name().fill("No Name");
  user.expectStatus(400);
  // The field still has the error before.
  const rejected = user.page.waitForResponse((response) => response.status() === 400);
  await confirm("Create gateway");
  await rejected;
  await user.until(async () => (await name().getAttribute("aria-invalid")) === "true", "the error at its field");
});

check("a URL that the egress rules reject is reported with the gateway", async () => {
  await user.show("/deployments?proxy=new");
  await type("URL of your API", "http://169.254.169.254");
  await name().fill("metadata");
  await press("Create gateway");
  await see("requests to 169.254.169.254 will get 502");
});

check("narrow windows need no sideways scrolling", async () => {
  await user.expectNarrow(["/deployments", "/deployments?proxy=new"]);
});
