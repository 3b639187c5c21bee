import { beforeAll, describe, expect } from "bun:test";
import { deploy, openApi } from "../support/project.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, see, press } = user;
const root = "/v1/accounts/default";

beforeAll(async () => {
  const { client } = user.server;
  await client.post(`${root}/key-buckets`, { name: "payments" });
  await client.post(`${root}/key-buckets/payments/consumers`, { name: "acme" });
  await deploy(
    user.server,
    { project: "orders", branch: "main" },
    {
      "openapi.json": openApi({
        "/hello": { "x-tollgate": { handler: "modules/hello.ts" } },
        "/parcels/{id}": {
          "x-tollgate": { handler: "modules/hello.ts", policies: ["keys", "valid"] },
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^P-" }, example: "P-7" },
            { name: "grams", in: "query", required: true, schema: { type: "integer", minimum: 1, examples: [250] } },
          ],
        },
      }),
      "tollgate.json": {
        policies: {
          keys: { type: "api-key", options: { bucket: "payments", header: "x-api-key", scheme: "" } },
          valid: { type: "validate" },
        },
      },
      "modules/hello.ts": 'export default () => new Response("hello");',
    },
  );
}, patienceMs);

describe("a key's value", () => {
  check("is shown with a request that works", async () => {
    await user.visit("/consumers/payments/acme?tab=keys");
    await press("New key");
    await user.confirm("Create key");
    const shown = user.page.getByRole("dialog").locator("code, pre").filter({ hasText: "curl " }).first();
    await shown.waitFor();
    const pasted = Bun.spawn(["sh", "-c", `${await shown.innerText()} -s`], { stdout: "pipe" });
    expect(await new Response(pasted.stdout).text()).toBe("hello");
    await press("I have stored it");
  });

  check("is shown with a request to a route that accepts it, from a document in YAML", async () => {
    const { client } = user.server;
    await client.post(`${root}/key-buckets`, { name: "yaml" });
    await client.post(`${root}/key-buckets/yaml/consumers`, { name: "acme" });
    await deploy(
      user.server,
      { project: "yaml", branch: "main" },
      {
        "openapi.yaml": [
          "openapi: 3.1.0",
          "info: { title: Parcels, version: '1' }",
          "paths:",
          "  /status: { get: { responses: {}, x-tollgate: { handler: modules/say.ts, policies: [keys, staff] } } }",
          "  /parcels/{id}:",
          "    parameters: [{ $ref: '#/components/parameters/id' }]",
          "    post:",
          "      responses: {}",
          "      x-tollgate: { handler: modules/say.ts, policies: [keys, writers, valid] }",
          "      parameters:",
          "        - { name: region, in: header, required: true, schema: { type: string, enum: [eu] } }",
          "      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/parcel' } } } }",
          "components:",
          "  parameters:",
          "    id: { name: id, in: path, required: true, schema: { type: string, pattern: ^P- }, example: P-7 }",
          "  schemas:",
          "    parcel: { type: object, required: [grams], properties: { grams: { type: integer, minimum: 5 } } }",
        ].join("\n"),
        "tollgate.json": {
          policies: {
            keys: { type: "api-key", options: { bucket: "yaml" } },
            staff: { type: "permission", options: { permission: "staff" } },
            writers: { type: "permission", options: { permission: "parcels:write" } },
            valid: { type: "validate" },
          },
        },
        "modules/say.ts":
          'export default async (request: Request) => new Response(request.method + " " + await request.text());',
      },
    );
    await user.visit("/consumers/yaml/acme?tab=keys");
    await press("New key");
    await user.page.getByText("Permissions, addresses, limit and metadata").click();
    await user.type("Permissions", "parcels:*");
    await user.confirm("Create key");
    const shown = user.page.getByRole("dialog").locator("code, pre").filter({ hasText: "curl " }).first();
    await shown.waitFor();
    const pasted = Bun.spawn(["sh", "-c", `${await shown.innerText()} -s`], { stdout: "pipe" });
    expect(await new Response(pasted.stdout).text()).toMatch(/^POST \{\s*"grams":\s*5\s*\}$/);
    await press("I have stored it");
    await press("New key");
    await user.confirm("Create key");
    await see("No live route accepts this key yet");
    await press("I have stored it");
  });

  check("blocks closing the dialog until it arrives", async () => {
    const { page } = user;
    await user.visit("/consumers/payments/acme?tab=keys");
    const held = Promise.withResolvers<void>();
    await page.route("**/consumers/acme/keys", async (route) => {
      await held.promise;
      await route.continue();
    });
    await press("New key");
    // In one task: the page has not rendered that the request is in progress.
    await page.evaluate(`
      const form = document.querySelector("[role=dialog] form");
      form.requestSubmit();
      form.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));`);
    await user.confirm("Cancel");
    held.resolve();
    await see("I have stored it");
    await page.unroute("**/consumers/acme/keys");
    await press("I have stored it");
  });
});
