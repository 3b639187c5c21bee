import { afterAll, beforeAll, describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { type Deployed, deploy, openApi } from "../support/project.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see, press } = user;
const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
afterAll(() => upstream.stop(true));

let deployed: Deployed;
let key: string;
let keyId: string;
const hostile = "<img src=x onerror=document.title='hacked'>";

const send = async (path: string, headers: Record<string, string> = {}) => {
  const response = await deployed.call(path, { headers: { "x-request-id": crypto.randomUUID(), ...headers } });
  await response.arrayBuffer();
};
const asAcme = () => ({ authorization: `Bearer ${key}` });
const rows = () => user.page.locator(".table-box tbody tr");
const listed = (filter: string) => user.server.client.get(`/v1/accounts/default/requests?${filter}`);

beforeAll(async () => {
  const { client } = user.server;
  const consumers = "/v1/accounts/default/key-buckets/main/consumers";
  const { body } = await client.post(consumers, { name: "acme", apiKeys: [{}] });
  ({ key, id: keyId } = body.apiKeys[0]);
  const bucket = await newMeteringBucket(client);
  const gold = await createPlan(client, bucket, { meters: { requests: { max: 2 } } });
  await subscribe(client, bucket, [gold], { customerKey: "acme" });
  const bucketId = bucket.split("/").at(-1)!;
  deployed = await deploy(
    user.server,
    { project: "orders", branch: "main" },
    {
      "openapi.json": openApi({
        "/orders": { "x-tollgate": { policies: ["keys", "plan"] } },
        "post /things": {
          "x-tollgate": { policies: ["valid"] },
          requestBody: { content: { "application/json": { schema: { additionalProperties: false } } } },
        },
        "post /gone": { "x-tollgate": { upstream: "http://127.0.0.1:1" } },
      }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          keys: { type: "api-key", options: { bucket: "main" } },
          valid: { type: "validate" },
          plan: { type: "quota", options: { bucketId, meters: { requests: 1 } } },
        },
      },
    },
  );
}, patienceMs);

describe("requests", () => {
  check("an account without requests explains what will be here", async () => {
    await user.show("/requests");
    await see("No requests yet");
    await user.expectAccessible();
  });

  check("appear live, each with its reason", async () => {
    for (const _ of [1, 2, 3]) await send("/orders", asAcme());
    await send("/orders");
    await see("Quota of requests used up");
    await see("Consumer acme has used 2 of 2 requests of plan Gold");
    await see("No key");
    await see("The request had no API key");
    await user.until(async () => (await rows().count()) === 4, "four requests");
    await user.expectAccessible();
  });

  check("arrow keys move through them while one is open, and the list stays usable", async () => {
    const { page } = user;
    const title = page.locator(".panel h2");
    const selected = async () => {
      const marks = await Promise.all((await rows().all()).map((row) => row.getAttribute("data-selected")));
      return marks.indexOf("true");
    };
    await rows().nth(0).locator("a").click();
    await title.waitFor();
    await page.keyboard.press("ArrowDown");
    await eventually(selected).toBe(1);
    await page.keyboard.press("ArrowDown");
    await eventually(selected).toBe(2);
    await page.keyboard.press("ArrowUp");
    await eventually(selected).toBe(1);
    await rows()
      .nth(3)
      .locator("td")
      .first()
      .click({ position: { x: 4, y: 20 } });
    await eventually(selected).toBe(3);
    await page.keyboard.press("Escape");
    await eventually(() => title.count()).toBe(0);
    const counted = page.getByRole("table", { name: "Requests over time" }).locator("tbody td");
    await user.until(
      async () => (await counted.allInnerTexts()).reduce((sum, text) => sum + Number(text), 0) === 4,
      "four requests in the histogram",
    );
  });

  check("do not move under the pointer, and do not appear while paused", async () => {
    await rows().first().hover();
    await send("/nothing");
    await see("Live, 1 more waiting");
    await eventually(() => rows().count()).toBe(4);
    await user.page.getByRole("heading", { name: "Requests" }).hover();
    await user.until(async () => (await rows().count()) === 5, "the one that waited");
    await press("Pause");
    await see("Paused");
    await send("/nothing-more");
    await user.until(async () => (await listed("q=nothing-more")).body.data.length === 1, "the server to keep it");
    await eventually(() => rows().count()).toBe(5);
    await press("Follow");
    await see("/nothing-more");
  });

  check("one that was rejected is explained in a sentence, with its decisions and numbers", async () => {
    await user.page
      .getByRole("row", { name: /has used 2 of 2/ })
      .getByRole("link", { name: "GET /orders" })
      .click();
    await see(/^429: consumer acme has used 2 of 2 requests of plan Gold in this period/);
    const panel = user.page.getByRole("dialog");
    await eventually(() => panel.getByText("Passed").count()).toBe(1);
    await eventually(() => panel.getByText("Rejected").count()).toBe(1);
    await panel.getByText("2 of 2 · at the limit").waitFor();
    await panel.getByText("Quota of requests used up").waitFor();
    await panel.getByRole("link", { name: "acme" }).waitFor();
    await eventually(() => panel.getByRole("link", { name: keyId }).getAttribute("href")).toBe(
      `/console/consumers/main/acme?tab=keys&key=${keyId}`,
    );
    await panel.getByRole("button", { name: "Copy as curl" }).waitFor();
    await user.expectAccessible();
    await panel.getByRole("button", { name: "As command" }).click();
    await see(/tollgate explain req_/);
    await user.page.keyboard.press("Escape");
    await user.page.keyboard.press("Escape");
    await user.until(() => !user.path.includes("request="), "the panel to close");
  });

  check("requests to a failed target show its error", async () => {
    const response = await deployed.call("/gone", { method: "POST" });
    expect(response.status).toBe(502);
    await user.show("/requests?status=5xx");
    await user.page.getByRole("link", { name: "POST /gone" }).click();
    await see(/^502: the upstream http:\/\/127.0.0.1:1\/gone could not be reached/);
    await see("Underlying error");
  });

  check("are filtered by the address", async () => {
    await user.show("/requests?status=429");
    await eventually(() => rows().count()).toBe(1);
    await press("Remove the filter 429 over a limit");
    await user.filter("Path", "nothing");
    await user.until(async () => (await rows().count()) === 2, "those with the path");
    await eventually(() => user.path).toBe("/console/requests?q=nothing");
    await press("Remove the filter nothing");
    await user.filter("Method", "POST");
    await user.until(async () => (await rows().count()) === 1, "the one POST");
    for (const [name, count] of [
      ["consumer=acme", 3],
      ["route=%2Forders", 4],
      [`deployment=${deployed.name}`, 7],
      ["range=1h", 7],
    ] as const) {
      await user.show(`/requests?${name}`);
      await eventually(async () => ({ name, count: await rows().count() })).toEqual({ name, count });
    }
    await user.show("/requests?to=2020-01-01T00%3A00%3A00Z");
    await see("No request matches");
    await eventually(() => user.page.getByRole("button", { name: "Follow" }).isDisabled()).toBe(true);
    await press("Clear filters");
    await user.until(async () => (await rows().count()) === 7, "all of them");
  });

  check("are found by either id", async () => {
    const { body } = await listed("status=401");
    const [{ id, requestId }] = body.data;
    await user.show("/requests");
    await user.filter("Id", requestId);
    await user.until(async () => (await rows().count()) === 1, "the one with the id");
    await press(`Remove the filter ${requestId}`);
    await user.filter("Id", id);
    await see(/^401: the request had no API key/);
  });

  check("requests that are no longer stored are reported as such", async () => {
    user.expectStatus(404);
    await user.show("/requests?request=req_000000000000000000000000");
    await see("This request is no longer stored");
  });

  check("with a disabled key have its consumer, and the end of the key without asterisks", async () => {
    const consumers = "/v1/accounts/default/key-buckets/main/consumers";
    const { body } = await user.server.client.post(consumers, { name: "paused", apiKeys: [{ isEnabled: false }] });
    const disabled = body.apiKeys[0].key;
    await send("/orders", { authorization: `Bearer ${disabled}` });
    await user.show("/requests?consumer=paused");
    await see("Key disabled");
    await user.page.locator("tbody a").first().click();
    const panel = user.page.getByRole("dialog");
    await panel.getByText(`401: the key …${disabled.slice(-8)} (${body.apiKeys[0].id}) of consumer paused`).waitFor();
    await panel.getByRole("link", { name: "paused" }).waitFor();
    await eventually(() => panel.getByText("****").count()).toBe(0);
  });

  check("show hostile data as text", async () => {
    const headers = { "content-type": "application/json" };
    await deployed.call("/things", { method: "POST", body: JSON.stringify({ [hostile]: 1 }), headers });
    await user.show("/requests?status=400");
    await see(hostile);
    await user.page.locator("tbody a").first().click();
    await user.page.getByRole("dialog").getByText(hostile).first().waitFor();
    expect(await user.page.title()).not.toContain("hacked");
  });

  check("of one deployment are a tab of its page", async () => {
    await user.show(`/deployments/${deployed.name}?tab=requests&status=429`);
    await eventually(() => rows().count()).toBe(1);
    await user.page.locator("tbody a").first().click();
    await see(/^429: consumer acme/);
    await eventually(() => user.path).toContain(`/deployments/${deployed.name}?tab=requests&status=429&request=req_`);
  });

  check("fit a narrow window", () =>
    user.expectNarrow(["/requests", "/requests?status=429", `/deployments/${deployed.name}?tab=requests`]),
  );
});
