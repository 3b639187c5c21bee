import { afterAll, beforeAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { eachEngine } from "../support/engines.ts";
import { exampleProject } from "../support/example-project.ts";
import { createPlan, subscribe } from "../support/metering.ts";
import { ModelProvider } from "../support/model-provider.ts";
import { handOff, PortalBrowser, setPortal } from "../support/portal.ts";
import { type Deployed, deploy } from "../support/project.ts";
import { useServer } from "../support/server.ts";
import { holdText, tableContent, tableNames } from "../support/table-content.ts";
import { until } from "../support/until.ts";

let traces = "";
const collector = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    traces += await request.text();
    return Response.json({});
  },
});
afterAll(() => collector.stop(true));

const canary = "sk-canary-7f3a9c2e5b1d";

eachEngine((engine) => {
  let provider: ModelProvider;
  beforeAll(() => {
    provider = new ModelProvider();
  });
  afterAll(() => provider.stop());
  const server = useServer(engine, { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin } });
  const { client } = server;
  let deployed: Deployed;
  let key: string;
  let subscription: { id: string };
  const account = "/v1/accounts/default";

  beforeAll(async () => {
    await client.post("/v1/metering", { name: "models" });
    const plan = await createPlan(client, "/v1/metering/models", {
      meters: { usd: { max: 5 } },
      price: { currency: "USD", amount: "0", interval: "month" },
      rates: await Bun.file("examples/models/rates.json").json(),
    });
    subscription = await subscribe(client, "/v1/metering/models", [plan], { customerKey: "acme" });
    const consumer = { name: "acme", apiKeys: [{ permissions: ["models:claude"] }] };
    key = (await client.post(`${account}/key-buckets/main/consumers`, consumer)).body.apiKeys[0].key;
    for (const name of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"])
      await client.raw(
        "PUT",
        `${account}/projects/models/variables/${name}`,
        JSON.stringify({ value: canary, isSecret: true }),
      );
    const files = await exampleProject("models", {
      "https://api.openai.com/v1": provider.url,
      "https://api.anthropic.com/v1": provider.url,
    });
    deployed = await deploy(server, { project: "models", branch: "main" }, files);
  });

  const connection = (prefix: string) => ({
    apiKey: key,
    maxRetries: 0,
    baseURL: `http://models.test${prefix}`,
    fetch: ((url: string | URL | Request, init?: RequestInit) => {
      const { pathname, search } = new URL(String(url));
      return deployed.call(pathname + search, init);
    }) as typeof fetch,
  });

  test("the example serves both clients, and counts cost plus 20 %", async () => {
    const openAi = new OpenAI(connection("/v1"));
    const messages = [{ role: "user" as const, content: "Hi" }];
    const completion = await openAi.chat.completions.create({ model: "small", messages });
    expect(completion.choices[0]!.message.content).toBe("A toll gate.");
    expect(provider.last.headers.get("authorization")).toBe(`Bearer ${canary}`);
    const anthropic = new Anthropic(connection(""));
    const message = await anthropic.messages.stream({ model: "claude", max_tokens: 50, messages }).finalMessage();
    expect(message.content).toMatchObject([{ type: "text", text: "A toll gate." }]);
    expect(provider.last.headers.get("x-api-key")).toBe(canary);
    const listed: string[] = [];
    for await (const { id } of openAi.models.list()) listed.push(id);
    expect(listed).toEqual(["small", "embed", "claude"]);
    // 8 input, 3 cached and 5 output tokens of `small`; 11 input, 3 cached and 5 output tokens of `claude`.
    const millionths = 8 * 0.15 + 3 * 0.075 + 5 * 0.6 + 11 * 3 + 3 * 0.3 + 5 * 15;
    const expected = Number(((millionths * 1.2) / 1e6).toFixed(9));
    const used = async () =>
      (await client.get(`/v1/metering/models/subscriptions/${subscription.id}/usage`)).body.meters.usd.used as number;
    await until(async () => Math.abs((await used()) - expected) < 2e-9, { what: () => `${expected} to be counted` });
  });

  test("beyond 5 USD, requests are served and billed at cost plus 20 %", async () => {
    const send = (output: number) => {
      provider.respond = () =>
        Response.json({
          model: "claude-sonnet-4-5",
          content: [{ type: "text", text: "A toll gate." }],
          usage: { input_tokens: 0, output_tokens: output },
        });
      return new Anthropic(connection("")).messages.create({
        model: "claude",
        max_tokens: 50,
        messages: [{ role: "user", content: "Hi" }],
      });
    };
    const overage = async () => {
      await server.catchUp();
      const path = `/v1/metering/models/subscriptions/${subscription.id}/upcoming-invoice`;
      const { status, body } = await client.get(path);
      if (status !== 200) return { status };
      return (body.lines as { meter?: string; amount: string }[]).map(({ meter, amount }) => ({ meter, amount }));
    };
    // No fee, and nothing beyond what is included.
    expect(await overage()).toEqual({ status: 404 });
    // 15 USD cost 18 USD, 5 of which are included; what the test above has used rounds to nothing.
    await send(1_000_000);
    expect(await overage()).toEqual([{ meter: "usd", amount: "13.00" }]);
    await send(100_000);
    expect(await overage()).toEqual([{ meter: "usd", amount: "14.80" }]);
    provider.reset();
  });

  test("the credential is found nowhere", async () => {
    const send = async (status: number, body: string, stream = false) => {
      provider.respond = () =>
        new Response(body, { status, headers: { "x-echo": canary, "content-type": "application/json" } });
      const response = await deployed.call("/v1/chat/completions", {
        method: "POST",
        body: JSON.stringify({ model: "small", stream }),
        headers: { authorization: `Bearer ${key}` },
      });
      return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
    };
    const error = JSON.stringify({ error: { message: `Incorrect API key provided: ${canary}` } });
    const responses: string[] = [];
    for (const status of [400, 401, 403, 429, 500]) responses.push(await send(status, error));
    responses.push(await send(200, "{}"));
    provider.reset();
    const read = async (path: string) => {
      const { status, text } = await client.get(path);
      expect([path, status]).toEqual([path, 200]);
      return text;
    };
    const { name } = deployed;
    await until(
      async () => (await read(`/v1/deployments/${deployed.name}/requests?limit=50`)).includes("model_provider_failed"),
      {
        what: () => "the requests to be recorded",
      },
    );
    const places = await Promise.all(
      [
        `/v1/deployments/${deployed.name}/requests?limit=50`,
        `${account}/audit-log?limit=100`,
        `${account}/configuration`,
        `${account}/projects/models/variables`,
        `/v1/deployments/${name}`,
        `/v1/deployments/${name}/routes`,
        `/v1/deployments/${name}/upstreams`,
        `/v1/deployments/${name}/versions`,
        `/v1/deployments/${name}/versions/1`,
        `/v1/deployments/${name}/changes`,
        `/v1/deployments/${name}/logs`,
      ].map(read),
    );
    const pages = await Promise.all(
      ["/openapi.json", "/portal/openapi.json", "/metrics"].map(async (path) =>
        (await fetch(server.url + path)).text(),
      ),
    );
    for (const text of [...responses, ...places, ...pages, server.log]) expect(text).not.toContain(canary);
    await until(() => traces.includes("gen_ai.") && traces.includes(name), { what: () => "traces of models" });
    expect(traces).not.toContain(canary);

    const { url } = await setPortal(client, { deployments: [name] });
    const browser = new PortalBrowser(server, url);
    await browser.signIn(await handOff(client, "acme"));
    const portal = await Promise.all(
      ["/site", "/apis", "/docs", "/usage", "/requests", "/keys", "/plans"].map(async (path) => {
        const { status, text } = await browser.get(path);
        expect([path, status]).toEqual([path, 200]);
        return text;
      }),
    );
    const { slug, reference } = (await browser.get("/docs")).body.data[0];
    for (const { page } of reference.flatMap(({ entries }: { entries: { page: string }[] }) => entries))
      portal.push(
        (await browser.get(`/docs/page?path=${slug}/${page}`)).text,
        await (await browser.fetch(`/docs/${slug}/${page}.md`)).text(),
      );
    portal.push(await (await browser.fetch("/llms.txt")).text());
    expect(portal.join("\n")).toContain("/v1/chat/completions");
    expect(portal.join("\n")).not.toContain(canary);

    const found: string[] = [];
    let hasVariable = false;
    for (const table of await tableNames(server.database)) {
      const rows = await tableContent(server.database, `"${table}"`);
      if (holdText(rows, canary)) found.push(table);
      hasVariable ||= holdText(rows, "OPENAI_API_KEY");
    }
    expect([hasVariable, found]).toEqual([true, []]);
  });

  test("the API never returns a literal credential", async () => {
    const literal = "sk-literal-4e8d1b7c9a2f";
    const files = await exampleProject("models", {
      "https://api.openai.com/v1": provider.url,
      "https://api.anthropic.com/v1": provider.url,
      "${OPENAI_API_KEY}": literal,
      "${ANTHROPIC_API_KEY}": literal,
    });
    const { name, statusId, call } = await deploy(server, { project: "models", branch: "literal" }, files);
    const sent = {
      method: "POST",
      body: JSON.stringify({ model: "small" }),
      headers: { authorization: `Bearer ${key}` },
    };
    expect((await call("/v1/chat/completions", sent)).status).toBe(200);
    expect(provider.last.headers.get("authorization")).toBe(`Bearer ${literal}`);
    for (const path of [
      `/v1/deployments/${name}`,
      `/v1/deployments/${name}/routes`,
      `/v1/deployments/${name}/upstreams`,
      `/v1/deployments/${name}/versions/1`,
      `/v1/deployments/${name}/changes`,
      `${account}/projects/models/deployment-status/${statusId}`,
      `${account}/configuration`,
      `${account}/audit-log?limit=100`,
    ]) {
      const { status, text } = await client.get(path);
      expect([path, status, text.includes(literal)]).toEqual([path, 200, false]);
    }
    expect(server.log).not.toContain(literal);
  });
});
