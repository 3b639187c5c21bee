import { afterAll, beforeAll, expect, test } from "bun:test";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { rated, setProfile } from "../support/billing.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { useMailServer } from "../support/mail-server.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { OAuthPortal } from "../support/oauth.ts";
import { checkPage } from "../support/portal-page.ts";
import { deploy, openApi } from "../support/project.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { until } from "../support/until.ts";

const patienceMs = 120_000;
const email = "jo@acme.example";
const { server: smtp, environment: mail } = useMailServer();
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => Response.json({ city: new URL(url).pathname.split("/").at(-1), degrees: 21 }),
});

// The pages do not depend on the engine.
let server: TestServer;
let opened: OpenPage;
let portal: OAuthPortal;
let subscription: string;
let address: string;

beforeAll(async () => {
  await buildWebIfOutdated(["portal"]);
  const environment = {
    TOLLGATE_EGRESS: "any",
    ...mail(),
  };
  server = await startServer(sqlite, { environment });
  server.clock.set(new Date().toISOString());
  const { client } = server;
  await setProfile(client);
  const metering = await newMeteringBucket(client);
  const plan = await createPlan(client, metering, rated("0.50", { max: 0 }));
  const { id } = await subscribe(client, metering, [plan], { customerKey: "acme" });
  subscription = `${metering}/subscriptions/${id}`;
  portal = new OAuthPortal(server);
  await portal.newCustomer("acme", { permissions: ["forecast:read"] });
  const consumer = `/v1/accounts/${account}/key-buckets/main/consumers/acme`;
  await client.post(`${consumer}/managers`, { sub: "jo", email });
  const { name, url } = await deploy(
    server,
    { project: "weather", branch: "main" },
    {
      "openapi.json": openApi({
        "/forecasts/{city}": {
          operationId: "getForecast",
          summary: "The forecast of a city",
          parameters: [{ name: "city", in: "path", required: true, schema: { type: "string" } }],
          "x-tollgate": { policies: ["key", "read", "usage"] },
        },
        "POST /mcp": {
          "x-tollgate": {
            handler: "mcp",
            mcp: { tools: ["getForecast"], title: "Acme Weather" },
            policies: ["key"],
          },
        },
      }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          key: { type: "api-key", options: { bucket: "main", oauth: true } },
          read: { type: "permission", options: { permission: "forecast:read" } },
          usage: { type: "quota", options: { bucketId: metering.split("/").at(-1), meters: { requests: 1 } } },
        },
      },
    },
  );
  address = new URL("/mcp", url).href;
  portal.deployment = name;
  const settings = { title: "Acme Weather", meteringBucket: metering.split("/").at(-1) };
  await portal.set({ registration: "open" }, settings);
  opened = await openPage(portal.url);
}, patienceMs);
afterAll(async () => {
  await opened?.close();
  await server?.stop();
  await upstream.stop(true);
});

const heading = (name: string | RegExp) => opened.page.getByRole("heading", { name });
const button = (name: string) => opened.page.getByRole("button", { name, exact: true });

/** An agent that knows nothing but the address: it registers itself, and asks for sign-in. */
class Agent implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly callback: Bun.Server<undefined>;
  readonly code = Promise.withResolvers<string>();
  askedAt: URL | undefined;
  #client: OAuthClientInformationFull | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = "";

  constructor() {
    this.callback = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        this.code.resolve(new URL(url).searchParams.get("code") ?? "");
        return new Response("You can close this page.");
      },
    });
    this.redirectUrl = `http://127.0.0.1:${this.callback.port}/callback`;
  }

  get clientMetadata() {
    return { client_name: "Forecast agent", redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none" };
  }

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationFull) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens;
  }
  codeVerifier() {
    return this.#verifier;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  invalidateCredentials() {
    this.#tokens = undefined;
  }
  redirectToAuthorization(url: URL) {
    this.askedAt = url;
  }
}

test(
  "an agent without registration signs the customer in, calls a tool that is charged, and is ended",
  async () => {
    const { page } = opened;
    const agent = new Agent();
    const connect = () => new StreamableHTTPClientTransport(new URL(address), { authProvider: agent });
    const first = connect();
    await expect(new Client({ name: "forecast-agent", version: "1" }).connect(first)).rejects.toThrow("Unauthorized");
    await page.goto(agent.askedAt!.href);
    await page.getByLabel("Email").fill(email);
    await button("Continue").click();
    await page.getByLabel("Code").waitFor();
    await server.catchUp();
    await page.getByLabel("Code").fill(smtp.to(email).at(-1)!.code!);
    await heading("Authorize Forecast agent?").waitFor();
    await page.getByText("has not checked this program").waitFor();
    await button("Authorize").click();
    await page.getByText("You can close this page.").waitFor();
    await first.finishAuth(await agent.code.promise);
    await agent.callback.stop(true);

    const client = new Client({ name: "forecast-agent", version: "1" });
    const transport = connect();
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["getForecast"]);
    const called = await client.callTool({ name: "getForecast", arguments: { city: "Paris" } });
    expect(called).toMatchObject({ structuredContent: { city: "Paris", degrees: 21 } });

    await page.goto(`${portal.url}/usage`);
    await page.getByText("requests", { exact: false }).first().waitFor();
    const operator = server.client;
    const charged = async () => {
      const { body } = await operator.get(`${subscription}/upcoming-invoice`);
      return body.lines.filter(({ meter }: { meter?: string }) => meter === "requests");
    };
    const [line] = await until(async () => (await charged()).length > 0 && charged(), {
      what: "the charge of one call",
    });
    expect(line).toMatchObject({ quantity: 1, unitAmount: "0.50", amount: "0.50" });
    const ofTool = await until(
      async () => {
        const { body } = await operator.get(`/v1/accounts/${account}/requests?consumer=acme&limit=10`);
        return body.data.find(({ path }: { path: string }) => path === "/forecasts/Paris");
      },
      { what: "the record of the call" },
    );
    expect(ofTool).toMatchObject({ client: "Forecast agent", parent: { tool: "getForecast" } });

    await page.goto(`${portal.url}/programs`);
    await button("End Forecast agent").click();
    await button("End authorization").click();
    await eventually(() => button("End Forecast agent").count()).toBe(0);
    agent.askedAt = undefined;
    const headers = { authorization: `Bearer ${agent.tokens()!.access_token}` };
    // The dialog hides the button before the request has ended the authorization.
    await eventually(async () => (await fetch(address, { method: "POST", headers, body: "{}" })).status).toBe(401);
    await expect(client.callTool({ name: "getForecast", arguments: { city: "Rome" } })).rejects.toThrow();
    // It cannot refresh its token either, so it asks for sign-in again.
    expect(agent.askedAt).toBeDefined();
    expect(await charged()).toEqual([line]);
    await client.close();
    expect(opened.errors.take()).toEqual([]);
  },
  patienceMs,
);

test(
  "the portal tells how to connect common clients, by signing in or with a key",
  async () => {
    const { page } = opened;
    await page.goto(portal.url);
    await page.getByRole("navigation").getByRole("link", { name: "Agents", exact: true }).first().click();
    await heading("Agents").waitFor();
    await page.getByText(`claude mcp add --transport http acme-weather ${address}`, { exact: true }).waitFor();
    await checkPage(page, "agents");
    await page.getByText("With a key", { exact: true }).click();
    await page.getByText('--header "Authorization: Bearer $KEY"').waitFor();
    const texts: Record<string, string> = {
      "Claude Desktop": "mcp-remote",
      Cursor: '"Authorization": "Bearer YOUR_KEY"',
      "VS Code": "input:acme-weather-key",
      Codex: 'bearer_token_env_var = "KEY"',
      Other: "Authorization: Bearer YOUR_KEY",
    };
    for (const [name, text] of Object.entries(texts)) {
      await page.getByRole("tab", { name, exact: true }).click();
      await page.getByText(text).first().waitFor();
    }
    await page.getByRole("tab", { name: "VS Code" }).click();
    await checkPage(page, "agents-with-key");
    await portal.set({ registration: "closed" }, { title: "Acme Weather" });
    await page.reload();
    await heading("Agents").waitFor();
    await page.getByText('--header "Authorization: Bearer $KEY"').waitFor();
    expect(await page.getByText("With a key", { exact: true }).count()).toBe(0);
    expect(opened.errors.take()).toEqual([]);
  },
  patienceMs,
);
