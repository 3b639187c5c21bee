import { afterAll, beforeAll, expect } from "bun:test";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { proxyProject } from "../../src/client/deploy/proxy-project.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { accessibilityProblemsOfThemes, desktop, misfits, settled } from "../support/console.ts";
import { sqlite } from "../support/engines.ts";
import { layoutShift } from "../support/layout-shift.ts";
import { portalPath, setPortal } from "../support/portal.ts";
import { portalCheck } from "../support/portal-check.ts";
import { deploy } from "../support/project.ts";
import { useServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { patiently } from "../support/slowdown.ts";

const patienceMs = patiently(120_000);
/** Shown as it is, and never as markup. */
const hostile = '<img src=x onerror="document.title=1">';

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) =>
    new URL(request.url).pathname === "/hostile"
      ? new Response(`<script>document.title = "taken"</script>${hostile}`, {
          headers: { "content-type": "text/html", "set-cookie": "tollgate-portal=stolen" },
        })
      : Response.json({ city: "Zürich", degrees: 21.5 }),
});
afterAll(() => upstream.stop(true));

const forecast = {
  type: "object",
  description: "The weather of one day.",
  required: ["city", "degrees"],
  properties: {
    city: { type: "string", description: "The name of the city.", example: "Zürich" },
    degrees: {
      type: "number",
      minimum: -90,
      maximum: 60,
      description: "The highest temperature, in °C.",
      example: 21.5,
    },
    sky: { enum: ["clear", "clouds", "rain", "snow"], description: "What one sees when one looks up." },
    wind: {
      type: "object",
      description: "At 10 m above the ground.",
      properties: {
        kilometersPerHour: { type: "number", minimum: 0 },
        from: {
          oneOf: [
            { type: "string", enum: ["N", "E", "S", "W"] },
            { type: "integer", minimum: 0, maximum: 359 },
          ],
        },
      },
    },
    tomorrow: { $ref: "#/components/schemas/Forecast" },
  },
};

const problem = { description: "The request is not valid, and the body says why." };

function files(url: string) {
  const guarded = { upstream: url, policies: ["key"] };
  return {
    "openapi.json": {
      openapi: "3.1.0",
      info: {
        title: "Weather",
        version: "2.1.0",
        description: "Forecasts for **every place on earth**, updated each hour.",
      },
      tags: [{ name: "Forecasts" }, { name: "Stations" }],
      "x-tollgate": { upstream: url },
      paths: {
        "/forecasts/{city}": {
          get: {
            operationId: "getForecast",
            summary: "Read a forecast",
            description: `Returns the forecast of a city for one day. Days in the past have the measured values. ${hostile}`,
            tags: ["Forecasts"],
            "x-tollgate": guarded,
            parameters: [
              {
                name: "city",
                in: "path",
                required: true,
                description: "The name of a city.",
                schema: { type: "string" },
                example: "Zürich",
              },
              {
                name: "from",
                in: "query",
                required: true,
                schema: { type: "string", format: "date" },
              },
              {
                name: "day",
                in: "query",
                description: "Today by default.",
                schema: { type: "string", format: "date" },
              },
              {
                name: "units",
                in: "query",
                schema: { type: "string", enum: ["metric", "imperial"], default: "metric" },
              },
            ],
            responses: {
              200: {
                description: "The forecast.",
                content: { "application/json": { schema: { $ref: "#/components/schemas/Forecast" } } },
              },
              404: problem,
            },
          },
        },
        "/alerts": {
          post: {
            operationId: "createAlert",
            summary: "Create an alert",
            description: "Sends a message when a forecast crosses a limit.",
            tags: ["Forecasts"],
            "x-tollgate": guarded,
            requestBody: {
              required: true,
              content: {
                "application/json": {
                  schema: {
                    type: "object",
                    required: ["city", "below"],
                    properties: { city: { type: "string", example: "Bern" }, below: { type: "number", example: 0 } },
                  },
                },
              },
            },
            responses: { 200: { description: "The alert." }, 400: problem },
          },
        },
        "/stations": {
          get: {
            operationId: "listStations",
            summary: "List stations",
            tags: ["Stations"],
            deprecated: true,
            responses: { 200: { description: "All stations." } },
          },
        },
        "/hostile": {
          get: { operationId: "hostile", summary: "Respond with markup", tags: ["Stations"], responses: {} },
        },
      },
      components: { schemas: { Forecast: forecast } },
    },
    "tollgate.json": { policies: { key: { type: "api-key", options: { bucket: "main" } } } },
    "docs/index.md": [
      "---",
      "title: First steps",
      "description: From a key to the first forecast in two minutes.",
      "order: 1",
      "---",
      "",
      "Weather tells you what the sky will do. You need a key and one request.",
      "",
      "## Get a key",
      "",
      "Create it under [Keys](/keys), and keep it **secret**: who has it acts in your name.",
      "",
      "## Send a request",
      "",
      "```js",
      'const response = await fetch("{{url}}/forecasts/Z%C3%BCrich", {',
      "  headers: { authorization: `Bearer ` + process.env.API_KEY }, // never in a browser",
      "});",
      "```",
      "",
      "> The first request of a day may take a moment longer.",
      "",
      "| status | meaning |",
      "|---|---|",
      "| 200 | the forecast |",
      "| 429 | too many requests, see [Limits](limits.md) |",
      "",
      `## What next ${hostile}`,
      "",
      "1. Read about [limits](limits.md).",
      "2. Create an alert.",
      "",
    ].join("\n"),
    "docs/limits.md":
      "# Limits\n\nEach plan has a number of requests per month.\n\n## What happens at the limit\n\nRequests get the status 429.\n",
  };
}

// Before the server starts, which reads it once.
await buildWebIfOutdated(["portal"]);
// The pages do not depend on the engine.
const server = useServer(sqlite, { environment: { TOLLGATE_EGRESS: "any" } });
const { client } = server;
let opened: OpenPage;
let url: string;

const phone = { width: 360, height: 740 };
const heading = (name: string | RegExp) => opened.page.getByRole("heading", { name, level: 1 });
const side = () => opened.page.locator(".docs-side");

const check = portalCheck(() => ({ opened, origins: [url] }));

/** `PICTURES=folder` keeps a picture of each page in both themes and two widths, to be looked at. */
async function picture(name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (!folder) return;
  const { page } = opened;
  for (const theme of ["light", "dark"] as const)
    for (const [width, size] of [
      ["wide", { width: 1280, height: 900 }],
      ["narrow", { width: 390, height: 844 }],
    ] as const) {
      await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
      await page.setViewportSize(size);
      await settled(page);
      await page.screenshot({ path: `${folder}/${name}-${theme}-${width}.png`, fullPage: true });
    }
  await page.setViewportSize(desktop);
}

beforeAll(async () => {
  server.clock.set(new Date().toISOString());
  await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, {
    name: "acme",
    apiKeys: [
      { description: "production" },
      { description: "expired", expiresOn: new Date(Date.now() + 1000).toISOString() },
      { description: "disabled", isEnabled: false },
    ],
  });
  server.clock.set(new Date(Date.now() + 2000).toISOString());
  const { name } = await deploy(server, { project: "weather", branch: "main" }, files(upstream.url.origin));
  const settings = {
    title: "Acme Weather",
    description: "Forecasts for every place on earth, as an API.",
    accentColor: "#2456d6",
    deployments: [name],
    isReferencePublic: true,
    links: [{ label: "Status", url: "https://status.acme.example/" }],
  };
  url = (await setPortal(client, settings)).url;
  opened = await openPage(`${url}/docs/weather/operations/getForecast`);
  await heading("Read a forecast").waitFor();
}, patienceMs);
afterAll(() => opened?.close());

check("a signed-out visitor reads an operation, with samples and without Try it", async () => {
  const { page } = opened;
  expect(await page.title()).toBe("Read a forecast · Acme Weather");
  await page.getByText(hostile).first().waitFor();
  await page.getByRole("button", { name: "Python" }).click();
  await page.locator(".samples pre").getByText("import requests").waitFor();
  expect(await page.locator(".samples pre").first().innerText()).toContain("Bearer YOUR_API_KEY");
  await page.getByRole("button", { name: "curl" }).click();
  expect(await page.getByRole("button", { name: "Try it" }).count()).toBe(0);
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await picture("operation-signed-out");
});

check("search finds an operation by its path, and opens it", async () => {
  const { page } = opened;
  await side().getByRole("searchbox").fill("alerts");
  await side()
    .getByRole("link", { name: /Create an alert/ })
    .click();
  await heading("Create an alert").waitFor();
  expect(new URL(page.url()).pathname).toBe("/docs/weather/operations/createAlert");
  expect(await page.title()).toBe("Create an alert · Acme Weather");
});

check("guides have highlighted code, links to other pages and a list of headings", async () => {
  const { page } = opened;
  await side().getByRole("link", { name: "First steps" }).click();
  await heading("First steps").waitFor();
  await page.locator(".code-keyword", { hasText: "const" }).first().waitFor();
  await page.getByRole("complementary", { name: "On this page" }).getByText("Send a request").waitFor();
  const article = page.getByRole("article");
  await article.getByText(/"https?:\/\/[^"]+\/forecasts\/Z%C3%BCrich"/).waitFor();
  expect(await article.innerText()).not.toContain("{{");
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await picture("guide");
  await page.getByRole("article").getByRole("link", { name: "Limits", exact: true }).click();
  await heading("Limits").waitFor();
});

check("the overview and a schema", async () => {
  const { page } = opened;
  await side().getByRole("link", { name: "Overview" }).click();
  await heading("Weather").waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await picture("overview");
  await page.goto(`${url}/docs/weather/schemas/Forecast`);
  await heading("Forecast").waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await picture("schema");
});

check("a customer tries an operation as a key: response, time, and why it was rejected", async () => {
  const { page } = opened;
  const scopes = ["keys:read", "keys:write", "usage:read", "requests:read"];
  const { body } = await client.post(`${portalPath()}/sessions`, { consumerName: "acme", subject: "jo", scopes });
  await page.goto(body.url);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.goto(`${url}/docs/weather/operations/getForecast`);
  await heading("Read a forecast").waitFor();
  expect((await layoutShift(page)).score).toBeLessThan(0.05);
  // The samples have the examples, the responses are all there, and no part of a line is hidden.
  const samples = page.getByRole("complementary", { name: "Samples" });
  await samples.getByText("/forecasts/Z%C3%BCrich?from=2026-01-15").first().waitFor();
  await samples.getByRole("button", { name: "404" }).click();
  await samples.getByText("The request is not valid, and the body says why.").waitFor();
  expect(await samples.locator("pre").evaluateAll((all) => all.some((pre) => pre.scrollWidth > pre.clientWidth))).toBe(
    false,
  );
  await page.getByRole("button", { name: "Try it" }).click();
  expect(await page.getByLabel("city").inputValue()).toBe("Zürich");
  // A required parameter without an example has one of its format.
  expect(await page.getByLabel("from").inputValue()).toBe("2026-01-15");
  expect(await page.getByLabel("from").getAttribute("required")).not.toBeNull();
  expect(await page.getByLabel("units").locator("option").allInnerTexts()).toEqual(["Not sent", "metric", "imperial"]);
  expect(await page.getByLabel("Key").locator("option").allInnerTexts()).toEqual([
    expect.stringContaining("production"),
  ]);
  await page.getByRole("button", { name: "Send request" }).click();
  await page.locator(".try-result").getByText("200", { exact: true }).waitFor();
  await page.locator(".try-result pre").getByText('"degrees"').waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await picture("try-it");
  await page.goto(`${url}/docs/weather/operations/hostile`);
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Send request" }).click();
  await page.locator(".try-result pre").getByText("<script>").waitFor();
  expect(await page.title()).toBe("Respond with markup · Acme Weather");
  expect(await page.locator("main img").count()).toBe(0);
});

check("a key that is created here is in all samples until the page is loaded again", async () => {
  const { page } = opened;
  await page.getByRole("navigation", { name: "Portal" }).getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog").last();
  await dialog.getByRole("button", { name: "Create key" }).click();
  const value = (await dialog.locator(".key-value pre").innerText()).trim();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("link", { name: "Start", exact: true }).click();
  await page.locator(".quick-start pre").getByText(value).waitFor();
  await page.getByRole("navigation", { name: "Portal" }).getByRole("link", { name: "Documentation" }).click();
  await side()
    .getByRole("link", { name: /Create an alert/ })
    .click();
  await page.locator(".samples pre").first().getByText(value).waitFor();
  const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])");
  expect(kept).not.toContain(value);
  await page.reload();
  await page.locator(".samples pre").first().getByText("YOUR_API_KEY").waitFor();
});

check("a proxy without a document explains how to call it", async () => {
  const { page } = opened;
  const { body: before } = await client.get(portalPath());
  const project = proxyProject({ title: "Forward", upstream: upstream.url.origin });
  const { name } = await deploy(server, { project: "forward", branch: "main" }, project);
  await setPortal(client, { title: "Acme Weather", deployments: [name], isReferencePublic: true });
  await page.goto(`${url}/docs/forward`);
  await page.getByText("Requests to every path below the address are forwarded").waitFor();
  const article = page.getByRole("article");
  expect(await article.locator("pre").innerText()).toMatch(
    /^curl 'http.*\/' \\\n\s+-H 'Authorization: Bearer YOUR_API_KEY'/,
  );
  expect(await page.locator("main").innerText()).not.toContain("path+");
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  const { title, description, accentColor, deployments, isReferencePublic } = before;
  await setPortal(client, { title, description, accentColor, deployments, isReferencePublic });
});

check("nothing overflows in a window of 360 px", async () => {
  const { page } = opened;
  await page.setViewportSize(phone);
  try {
    for (const path of [
      "",
      "/operations/getForecast",
      "/operations/createAlert",
      "/schemas/Forecast",
      "/guides/index",
    ]) {
      await page.goto(`${url}/docs/weather${path}`);
      await page.getByRole("article").waitFor();
      await settled(page);
      expect({ path, misfits: await misfits(page) }).toEqual({ path, misfits: [] });
    }
  } finally {
    await page.setViewportSize(desktop);
  }
});

check("a portal without deployments says so, and a private reference is for customers", async () => {
  const { page } = opened;
  await setPortal(client, { title: "Acme Weather", isReferencePublic: true });
  await page.goto(`${url}/docs`);
  await page.getByText("No documentation yet").waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await picture("empty");
  await setPortal(client, { title: "Acme Weather" });
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are not signed in").waitFor();
  await page.goto(`${url}/docs`);
  await page.getByText("You are not signed in").waitFor();
  expect(await page.getByRole("link", { name: "Documentation" }).count()).toBe(0);
  await picture("private");
});
