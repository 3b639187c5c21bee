import { expect } from "bun:test";
import { accessibilityProblemsOfThemes } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { deploy, openApi } from "../support/project.ts";
import { useRecordingUpstream } from "../support/recording-upstream.ts";
import { account } from "../support/server-settings.ts";
import { useConsole } from "../support/use-console.ts";

const { received, url: upstream } = useRecordingUpstream((path) => {
  if (path !== "/page") return Response.json({ received: received.length });
  const headers = {
    "content-type": "text/html",
    "set-cookie": "tollgate_session=stolen",
    location: "https://evil.example",
  };
  const body = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>";
  return new Response(body, { headers, status: 302 });
});

const user = useConsole({ environment: { TOLLGATE_EGRESS: "any" } });
const { check, see, press } = user;
const last = () => received.at(-1)!;
const response = () => user.page.getByRole("region", { name: "Response", exact: true });
let name: string;

check("a route is filled in with the examples of its document, and sent with a chosen key", async () => {
  const route = { "x-tollgate": { upstream, policies: ["key"] } };
  const { body: consumer } = await user.server.client.post(
    `/v1/accounts/${account}/key-buckets/main/consumers?with-api-key=true`,
    { name: "acme" },
  );
  const paths = {
    "POST /orders/{id}": {
      ...route,
      operationId: "changeOrder",
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "string" }, example: "a 7" },
        { name: "expand", in: "query", schema: { type: "string", enum: ["lines & more"] } },
        { name: "limit", in: "query", schema: { type: "integer" }, example: 20 },
        { $ref: "#/components/parameters/Trace" },
      ],
      requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } },
    },
    "/page": { operationId: "readPage", "x-tollgate": { upstream } },
    "POST /mcp": {
      "x-tollgate": { handler: "mcp", mcp: { tools: ["changeOrder"], title: "Shop" }, policies: ["key"] },
    },
    "x-tollgate-any /{path+}": route,
  };
  const components = {
    parameters: { Trace: { name: "x-trace", in: "header", schema: { type: "string", default: "on" } } },
    schemas: {
      Order: { type: "object", properties: { sku: { type: "string", example: "A-1" }, count: { type: "integer" } } },
    },
  };
  const files = {
    "openapi.json": openApi(paths, { components }),
    "tollgate.json": { policies: { key: { type: "api-key", options: { bucket: "main" } } } },
  };
  name = (await deploy(user.server, { project: "shop", branch: "main" }, files)).name;
  await user.visit(`/deployments/${name}?tab=routes&route=${encodeURIComponent("POST /orders/{id}")}`);
  await see("POST /orders/a%207?expand=lines+%26+more&limit=20");
  await user.expectAccessible();
  await press("Send");
  await response().getByText("401", { exact: true }).waitFor();
  await response().getByText("key_missing").waitFor();
  expect(received).toEqual([]);
  const select = user.page.getByLabel("Key", { exact: true });
  await select.getByRole("option", { name: /^acme/ }).waitFor({ state: "attached" });
  await select.selectOption({ index: 2 });
  await press("Send");
  await response().getByText("200", { exact: true }).waitFor();
  expect(last()).toMatchObject({ method: "POST", target: "/orders/a%207?expand=lines+%26+more&limit=20" });
  expect(JSON.parse(last().body)).toEqual({ sku: "A-1", count: 1 });
  expect(last().headers.get("x-trace")).toBe("on");
  expect(last().headers.get("content-type")).toBe("application/json");
  expect(last().headers.get("x-consumer-name")).toBe("acme");
  expect(await accessibilityProblemsOfThemes(user.page)).toEqual({ light: [], dark: [] });
  await select.selectOption("pasted");
  await user.type("Value of the key", consumer.apiKeys[0].key);
  await press("Send");
  await response().getByText('"received": 2').waitFor();
});

check("the record of the request is a click away", async () => {
  await response().getByRole("link").click();
  await user.page.waitForURL(/\/requests\?id=/);
  await see("/orders/a%207");
});

check("a hostile response is text, its cookies are removed and its redirect is not followed", async () => {
  await user.visit(`/deployments/${name}?tab=routes&route=${encodeURIComponent("GET /page")}`);
  await press("Send");
  await response().getByText("302", { exact: true }).waitFor();
  await response().getByText("<script>document.title='taken'</script>").waitFor();
  await response()
    .getByText(/\d+ headers/)
    .click();
  await response().getByText("https://evil.example").waitFor();
  await eventually(() => response().getByText("set-cookie").count()).toBe(0);
  expect(await user.page.title()).not.toBe("taken");
  expect(await user.page.context().cookies()).not.toContainEqual(expect.objectContaining({ value: "stolen" }));
});

check("a path parameter of several segments, another method, query and header can be typed", async () => {
  await user.visit(`/deployments/${name}?tab=routes&route=${encodeURIComponent("ANY /{path+}")}`);
  await user.page.getByRole("dialog").getByLabel("Method").selectOption("PUT");
  await user.page.getByLabel("path", { exact: true }).fill("a b/c");
  await press("Add query parameter");
  await user.page.getByLabel("Name of the query parameter").fill("q");
  await user.page.getByLabel("q (query parameter)").fill("é");
  await see("PUT /a%20b/c?q=%C3%A9");
  await press("Add header");
  await user.page.getByLabel("Name of the header").fill("Host");
  await user.page.getByLabel("Host (header)").fill("other.example");
  user.expectStatus(400);
  await press("Send");
  await see("is set by the server");
});

check("a reader sees that it is not allowed", async () => {
  const { body } = await user.server.client.post(`/v1/accounts/${account}/tokens`, { role: "reader" });
  await user.signIn(body.token);
  await user.visit(`/deployments/${name}?tab=routes&route=${encodeURIComponent("GET /page")}`);
  await see("Editors and admins can send a request from here.");
  await user.signIn();
});

check("narrow windows need no sideways scrolling", async () => {
  await user.expectNarrow([`/deployments/${name}?tab=routes&route=${encodeURIComponent("POST /orders/{id}")}`]);
});

check("tools are tried as an agent calls them, and others are chosen", async () => {
  const { page } = user;
  await user.visit(`/deployments/${name}?tab=settings`);
  await see("Offer tools to agents");
  await page
    .getByText(/^claude mcp add --transport http shop .+\/mcp --header "authorization: Bearer \$KEY"$/)
    .waitFor();
  await page.getByRole("tab", { name: "Codex" }).click();
  await page.getByText(/^\[mcp_servers\.shop\]/).waitFor();
  await page.getByLabel("readPage").check();
  await see(/^2 tools, about \d+ tokens/);
  await page.getByText('"readPage"').waitFor();
  await user.expectAccessible();
  await user.expectNarrow([`/deployments/${name}?tab=settings`]);
  await user.visit(`/deployments/${name}?tab=settings`);
  await press("Try changeOrder");
  const select = page.getByLabel("Key", { exact: true });
  await select.getByRole("option", { name: /^acme/ }).waitFor({ state: "attached" });
  await select.selectOption({ index: 2 });
  await user.type("Arguments", '{"id": "a 7", "sku": "A-2"}');
  await press("Call");
  await response().getByText("200", { exact: true }).waitFor();
  await response().getByText('"received"').first().waitFor();
  expect(last()).toMatchObject({ method: "POST", target: "/orders/a%207" });
  expect(JSON.parse(last().body)).toEqual({ sku: "A-2" });
  await user.expectAccessible();
});
