import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sqlite } from "./support/engines.ts";
import { createPlan, subscribe } from "./support/metering.ts";
import { type Deployed, deploy } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { until } from "./support/until.ts";

const examples = join(import.meta.dir, "../examples");

/** The project of an example, as `tollgate deploy` packs it. */
async function projectOf(name: string): Promise<Record<string, string>> {
  const names = [...new Bun.Glob("{openapi,tollgate}.json").scanSync(join(examples, name))];
  const texts = names.map(async (file) => [file, await Bun.file(join(examples, name, file)).text()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

const server = useServer(sqlite);

describe("mock", () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deploy(server, { project: "parcels", branch: "main" }, await projectOf("mock"));
  });

  const send = async (path: string, init?: RequestInit) => {
    const response = await deployed.call(path, init);
    return [response.status, await response.json()];
  };
  const post = (body: string) => ({ method: "POST", body, headers: { "content-type": "application/json" } });

  test("responds as documented in its README", async () => {
    const parcel = { id: "par_1", weightKg: 1, status: "waiting", sentOn: "2026-01-15T10:00:00Z" };
    expect(await send("/parcels")).toEqual([200, [parcel, parcel]]);
    expect(await send("/parcels/par_1")).toEqual([200, { id: "par_1", weightKg: 2.5, status: "delivered" }]);
    expect(await send("/parcels/par_1", { headers: { prefer: "code=404" } })).toEqual([404, { error: "not_found" }]);
    expect(await send("/parcels", post('{"weightKg":2.5}'))).toEqual([201, parcel]);
    expect(await send("/parcels", post('{"weightKg":31}'))).toMatchObject([400, { code: "request_invalid" }]);
  });
});

describe("language-model", () => {
  const usage = { total_tokens: 12 };
  const model = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { stream } = (await request.json()) as { stream?: boolean };
      if (!stream) return Response.json({ choices: [], usage });
      const events = `data: {"choices":[]}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
      return new Response(events, { headers: { "content-type": "text/event-stream" } });
    },
  });
  afterAll(() => model.stop(true));

  test("counts the tokens of completions and of streams, and ends with the budget", async () => {
    const { client } = server;
    const bucket = "/v1/metering/models";
    await client.post("/v1/metering", { name: "models" });
    const plan = await createPlan(client, bucket, { meters: { tokens: { max: 50 } } });
    const subscription = await subscribe(client, bucket, [plan], { customerKey: "acme" });
    const created = await client.post("/v1/accounts/default/key-buckets/main/consumers?with-api-key=true", {
      name: "acme",
    });
    const files = await projectOf("language-model");
    const settings = files["tollgate.json"]!.replace("http://127.0.0.1:9100", model.url.origin);
    const deployed = await deploy(
      server,
      { project: "models", branch: "main" },
      { ...files, "tollgate.json": settings },
    );
    const ask = async (body: object) => {
      const response = await deployed.call("/v1/chat/completions", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${created.body.apiKeys[0].key}`, "content-type": "application/json" },
      });
      await response.text();
      return response.status;
    };
    const used = async () =>
      (await client.get(`${bucket}/subscriptions/${subscription.id}/usage`)).body.meters.tokens.used;
    expect(await ask({ max_tokens: 20 })).toBe(200);
    expect(await ask({ max_tokens: 20, stream: true })).toBe(200);
    await until(async () => (await used()) === 24);
    expect(await ask({ max_tokens: 27 })).toBe(429);
    // Without `max_tokens`, 4,000 tokens are reserved.
    expect(await ask({})).toBe(429);
    expect(await ask({ max_tokens: 26 })).toBe(200);
    await until(async () => (await used()) === 36);
  });
});
