import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "./support/engines.ts";
import { keyCustomer } from "./support/key-customer.ts";
import { type McpOptions, sendMessage } from "./support/mcp.ts";
import { OAuthPortal } from "./support/oauth.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

interface Received {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string;
}
const received: Received[] = [];

const png = Buffer.from("iVBORw0KGgo=", "base64");

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    received.push({
      method,
      target: pathname + search,
      headers: Object.fromEntries(headers),
      body: await request.text(),
    });
    if (pathname === "/report") return Response.json({ units: 7 });
    if (pathname === "/image") return new Response(png, { headers: { "content-type": "image/png" } });
    if (pathname === "/large") return Response.json({ text: "x".repeat(300 * 1024) });
    if (pathname === "/text")
      return new Response("x".repeat(300 * 1024), { headers: { "content-type": "text/plain" } });
    if (pathname === "/endless")
      return new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65536)) }), {
        headers: { "content-type": "application/octet-stream" },
      });
    if (pathname === "/broken")
      return Response.json({ title: "Not today" }, { status: 503, headers: { "retry-after": "9" } });
    return Response.json({ target: pathname + search, sent: received.at(-1)!.body });
  },
});
afterAll(() => upstream.stop(true));

const string = { type: "string" };
const id = { name: "id", in: "path", required: true, schema: string };

const names = ["listThings", "getThing", "changeThing", "secretThing", "image", "large", "text", "endless", "broken"];

function project(bucketId: string) {
  const open = (operationId: string) => ({ operationId, "x-tollgate": { policies: [] } });
  const mcp = (tools: string[], more: object = {}) => ({
    "x-tollgate": { handler: "mcp", mcp: { tools, ...more }, policies: ["key", "quota"] },
  });
  return {
    "openapi.json": openApi({
      "/things": {
        operationId: "listThings",
        summary: "List things",
        parameters: [
          { name: "tag", in: "query", schema: { type: "array", items: string } },
          { name: "x-trace", in: "header", schema: string },
          { name: "x-other", in: "header", schema: string },
        ],
      },
      "/things/{id}": { operationId: "getThing", parameters: [id] },
      "/things/me": { operationId: "myThing" },
      "PUT /things/{id}/name": {
        operationId: "changeThing",
        parameters: [id],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", required: ["name"], properties: { name: { type: "string", maxLength: 5 } } },
            },
          },
        },
        "x-tollgate": { policies: ["key", "limit"] },
      },
      "/secret": { operationId: "secretThing", "x-tollgate": { policies: ["key", "write"] } },
      "/image": open("image"),
      "/large": open("large"),
      "/text": open("text"),
      "/endless": open("endless"),
      "/broken": open("broken"),
      "POST /mcp": mcp(names, { title: "Things", instructions: "Use them." }),
      "POST /search": mcp(["listThings", "getThing", "secretThing"], { mode: "search" }),
      "POST /limited": {
        "x-tollgate": { handler: "mcp", mcp: { tools: ["changeThing"] }, policies: ["key", "limit", "quota"] },
      },
      "/report": { operationId: "report", "x-tollgate": { policies: ["key", "units", "one"] } },
      "POST /metered": {
        "x-tollgate": { handler: "mcp", mcp: { tools: ["report"] }, policies: ["key", "units", "one"] },
      },
      "POST /open": { "x-tollgate": { handler: "mcp", mcp: { tools: ["listThings", "image"] }, policies: [] } },
      "POST /browsers": { "x-tollgate": { handler: "mcp", mcp: { tools: ["image"] }, policies: ["cors"] } },
    }),
    "tollgate.json": {
      upstream: upstream.url.origin,
      policies: {
        key: { type: "api-key", options: { bucket: "main", oauth: true } },
        write: { type: "permission", options: { permission: "things:write" } },
        limit: { type: "rate-limit", options: { by: "consumer", requests: 3, windowSeconds: 3600 } },
        quota: { type: "quota", options: { bucketId, meters: { requests: 1 } } },
        units: { type: "usage", options: { bucketId, meters: { requests: { pointer: "/units", default: 100 } } } },
        one: { type: "concurrency", options: { by: "consumer", requests: 1 } },
        cors: { type: "cors", options: { origins: ["https://page.example"] } },
      },
      defaultPolicies: ["key", "quota"],
    },
  };
}

describe("operations as tools", () => {
  const server = useServer(sqlite, { environment: { TOLLGATE_EGRESS: "any" } });
  const { client } = server;
  let deployed: Deployed;
  let bucket: string;
  let plan: { key: string; subscription: string; name: string };
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  beforeAll(async () => {
    const customer = await keyCustomer(client, { meters: { requests: { max: 1000 } }, rules: { permissions: ["a"] } });
    plan = customer;
    bucket = customer.bucket;
    deployed = await deploy(server, { project: "things", branch: "main" }, project(customer.bucketId));
  });

  /** A customer of its own: limits count per consumer. */
  const newCustomer = (rules: object = {}, max = 1000) =>
    keyCustomer(client, { bucket, rules, meters: { requests: { max } } });
  const send = (method: string, params = {}, options: McpOptions = {}) =>
    sendMessage(deployed, method, params, { ...options, headers: { ...bearer(plan.key), ...options.headers } });
  const callTool = async (name: string, given: object = {}, options?: McpOptions) => {
    const { body } = await send("tools/call", { name, arguments: given }, options);
    return body.result ?? body.error;
  };
  const records = (query: string, count: number) =>
    until(async () => {
      await server.catchUp();
      const { body } = await client.get(`/v1/accounts/${account}/requests?${query}`);
      return body.data.length >= count && body.data;
    });
  const used = async (subscription: string) => {
    await server.catchUp();
    const { body } = await client.get(`${subscription}/usage`);
    return body.meters?.requests?.used ?? body;
  };

  test("lists the tools that the caller may call", async () => {
    const { body, status } = await send("tools/list");
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ resultType: "complete", cacheScope: "private" });
    const listed = body.result.tools.map(({ name }: { name: string }) => name);
    expect(listed).toEqual(names.filter((name) => name !== "secretThing"));
    const writer = await newCustomer({ permissions: ["things:write"] });
    const ofWriter = await send("tools/list", {}, { headers: bearer(writer.key) });
    expect(ofWriter.body.result.tools.map(({ name }: { name: string }) => name)).toEqual(names);
    const anonymous = await sendMessage(deployed, "tools/list", {}, { path: "/open" });
    expect(anonymous.body.result.tools.map(({ name }: { name: string }) => name)).toEqual(["image"]);
  });

  test("describes the server", async () => {
    const { body } = await send("server/discover");
    expect(body.result).toMatchObject({
      instructions: "Use them.",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: deployed.name, title: "Things", version: "1" } },
    });
    for (const revision of ["2025-11-25", "2025-06-18"]) {
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "a", version: "1" } };
      const older = await send("initialize", params, { revision });
      expect(older.body.result).toMatchObject({ protocolVersion: revision, serverInfo: { title: "Things" } });
      expect((await send("tools/list", {}, { revision })).body.result.tools).toHaveLength(names.length - 1);
    }
  });

  test("calls an operation with its arguments and nothing else of the message", async () => {
    const headers = { "x-other": "of the message", cookie: "a=b" };
    const listed = await callTool("listThings", { tag: ["a b", "c"], "x-trace": "t" }, { headers });
    expect(listed).toMatchObject({ structuredContent: { target: "/things?tag=a%20b&tag=c" } });
    const last = received.at(-1)!;
    expect(last.headers).toMatchObject({ "x-trace": "t", "x-consumer-name": plan.name });
    for (const name of ["x-other", "cookie", "authorization", "mcp-method", "mcp-name", "content-type"])
      expect(last.headers).not.toHaveProperty([name]);
    const changed = await callTool("changeThing", { id: "7/8", name: "new" });
    expect(changed.structuredContent ?? changed).toMatchObject({ sent: '{"name":"new"}' });
    expect(received.at(-1)).toMatchObject({ method: "PUT" });
  });

  test("rejects arguments that do not match, or lead elsewhere", async () => {
    const before = received.length;
    for (const [name, given] of [
      ["getThing", {}],
      ["getThing", { id: "a", other: 1 }],
      ["getThing", { id: ".." }],
      ["getThing", { id: "../secret" }],
      ["getThing", { id: "me" }],
      ["getThing", { id: "" }],
      ["changeThing", { id: "a", name: "too long" }],
      ["listThings", { "x-trace": "a\r\nx-other: b" }],
    ] as const)
      expect({ given, ...(await callTool(name, given)) }).toMatchObject({ isError: true });
    expect(received).toHaveLength(before);
    for (const value of ["%2e%2e%2fsecret", "a\nb", "?x=1#y"]) {
      const result = await callTool("getThing", { id: value });
      if (result.isError) continue;
      const [path, segment] = /^\/things\/([^/?#]+)$/.exec(received.at(-1)!.target) ?? [];
      expect(path).toBeDefined();
      expect(decodeURIComponent(segment!)).toBe(value);
    }
  });

  test("a denied tool is like an unknown one, and nothing is called", async () => {
    const before = received.length;
    const unknown = await callTool("other");
    expect(unknown).toEqual({ code: -32602, message: "Unknown tool: other" });
    expect(await callTool("secretThing")).toEqual({ code: -32602, message: "Unknown tool: secretThing" });
    expect(received).toHaveLength(before);
    const anonymous = await sendMessage(deployed, "tools/call", { name: "listThings" }, { path: "/open" });
    expect(anonymous).toMatchObject({ status: 401, body: { code: "key_missing" } });
    expect(anonymous.headers.get("www-authenticate")).toContain("Bearer");
  });

  test("the agents of a suspended consumer are rejected, whatever they send, until it is resumed", async () => {
    const { name, key } = await newCustomer();
    const consumer = `/v1/accounts/${account}/key-buckets/main/consumers/${name}`;
    const statuses = async () => {
      const calls = [
        ["server/discover"],
        ["tools/list"],
        ["tools/call", { name: "listThings", arguments: {} }],
      ] as const;
      const sent = calls.map(([method, params]) => send(method, params, { headers: bearer(key) }));
      return (await Promise.all(sent)).map(({ status, body }) => body.code ?? status);
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    await client.patch(consumer, { isSuspended: true });
    const before = received.length;
    expect(await statuses()).toEqual(Array(3).fill("consumer_suspended"));
    expect(received).toHaveLength(before);
    await client.patch(consumer, { isSuspended: false });
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  test("an access token that lacks a permission gets 403 with the scope to ask for", async () => {
    const portal = new OAuthPortal(server);
    portal.deployment = deployed.name;
    await portal.newCustomer("acme", {
      permissions: ["things:read", "things:write"],
      rateLimit: { requests: 3, windowSeconds: 3600 },
    });
    await portal.set({}, { deployments: [deployed.name] });
    const issued = await portal.tokens(await portal.browser("acme"), { resource: deployed.url, scope: "things:read" });
    const headers = bearer(issued.access_token);
    const denied = await send("tools/call", { name: "secretThing" }, { headers });
    expect(denied.status).toBe(403);
    expect(denied.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="things:write"');
    // Counts once, though two policies verify the token: the third message is the last.
    expect((await send("tools/call", { name: "image" }, { headers })).body.result.isError).toBeUndefined();
    expect((await send("tools/call", { name: "image" }, { headers })).status).toBe(200);
    expect((await send("tools/call", { name: "image" }, { headers })).status).toBe(429);
  });

  test("a call counts once against the limit of its key, and its quota is that of the tool", async () => {
    const limited = await newCustomer({ rateLimit: { requests: 3, windowSeconds: 3600 } });
    const headers = bearer(limited.key);
    for (let round = 0; round < 3; round++)
      expect(await callTool("listThings", {}, { headers })).toHaveProperty("structuredContent");
    expect((await send("tools/call", { name: "listThings" }, { headers })).status).toBe(429);
    expect(await used(limited.subscription)).toBe(3);
    // The quota of the route counts other messages; `image` has none.
    const other = await newCustomer();
    await callTool("image", {}, { headers: bearer(other.key) });
    expect(await used(other.subscription)).toBe(0);
    await send("tools/list", {}, { headers: bearer(other.key) });
    expect(await used(other.subscription)).toBe(1);
  });

  test("usage and concurrency of a call are those of the tool, and of other messages those of the route", async () => {
    const customer = await newCustomer();
    const options = { path: "/metered", headers: bearer(customer.key) };
    // With a limit of one, a message that was counted too would have its own call rejected.
    expect(await callTool("report", {}, options)).toMatchObject({ structuredContent: { units: 7 } });
    expect(await used(customer.subscription)).toBe(7);
    await send("tools/list", {}, options);
    expect(await used(customer.subscription)).toBe(107);
  });

  test("a policy rate-limit that the message and the tool have counts once", async () => {
    const customer = await newCustomer();
    const options = { headers: bearer(customer.key), path: "/limited" };
    for (let round = 0; round < 3; round++)
      expect(await callTool("changeThing", { id: "1", name: "a" }, options)).toHaveProperty("structuredContent");
    const rejected = await callTool("changeThing", { id: "1", name: "a" }, options);
    expect(rejected.isError).toBe(true);
    expect(rejected.content[0].text).toMatch(/status 429[\s\S]*rate_limited[\s\S]*Try again after \d+ seconds/);
  });

  test("errors of the API are results with the time to wait, also those of quotas", async () => {
    expect(await callTool("broken")).toMatchObject({
      isError: true,
      content: [{ text: 'The API responded with the status 503.\n{"title":"Not today"}\nTry again after 9 seconds.' }],
    });
    const poor = await newCustomer({}, 1);
    const headers = bearer(poor.key);
    await callTool("listThings", {}, { headers });
    const rejected = await callTool("listThings", {}, { headers });
    expect(rejected.isError).toBe(true);
    expect(rejected.content[0].text).toContain("quota_exceeded");
  });

  test("converts and limits results", async () => {
    expect((await callTool("image")).content).toEqual([
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
    ]);
    expect(await callTool("large")).toMatchObject({ isError: true });
    const long = await callTool("text");
    expect(long.isError).toBeUndefined();
    expect(long.content[0].text).toContain("cut here");
    expect(await callTool("endless")).toMatchObject({ isError: true });
  });

  test("finds and calls operations in the mode search", async () => {
    const options = { path: "/search" };
    const { body } = await send("tools/list", {}, options);
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(["search", "call"]);
    const found = await callTool("search", { query: "list things" }, options);
    const ids = JSON.parse(found.content[0].text).operations.map(
      ({ operationId }: { operationId: string }) => operationId,
    );
    expect(ids[0]).toBe("listThings");
    expect(ids).not.toContain("secretThing");
    const called = await callTool("call", { operationId: "getThing", arguments: { id: "5" } }, options);
    expect(called.structuredContent.target).toBe("/things/5");
    for (const operationId of ["secretThing", "image"])
      expect(await callTool("call", { operationId }, options)).toMatchObject({ code: -32602 });
  });

  test("rejects what is not a message", async () => {
    const headers = { ...bearer(plan.key), "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
    const post = (body: string, more: Record<string, string> = {}) =>
      deployed.call("/mcp", { method: "POST", headers: { ...headers, ...more }, body });
    expect((await post("[]")).status).toBe(400);
    expect((await post("{")).status).toBe(400);
    expect((await post("{}", { "content-encoding": "gzip" })).status).toBe(415);
    expect((await post(JSON.stringify({ x: "x".repeat(1024 * 1024) }))).status).toBe(413);
    expect((await deployed.call("/mcp", { headers })).status).toBe(405);
    expect((await deployed.call("/mcp", { method: "DELETE", headers })).status).toBe(405);
    expect((await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202);
    expect((await post("{}", { authorization: "Bearer wrong" })).status).toBe(401);
  });

  test("rejects pages of other origins, except those that a policy cors allows", async () => {
    const from = (origin: string, path: string) =>
      sendMessage(deployed, "tools/list", {}, { path, headers: { origin } }).then(({ status }) => status);
    expect(await from("https://page.example", "/browsers")).toBe(200);
    expect(await from("https://evil.example", "/browsers")).toBe(403);
    expect(await from("https://page.example", "/open")).toBe(403);
    expect(await from(`http://${new URL(deployed.url).hostname}`, "/open")).toBe(200);
  });

  test("records a call as one request with its parent", async () => {
    const customer = await newCustomer();
    const requestId = crypto.randomUUID();
    const headers = { ...bearer(customer.key), "x-request-id": requestId };
    await callTool("getThing", { id: "9" }, { headers });
    const [outer] = await records(`requestId=${requestId}`, 1);
    expect(outer).toMatchObject({
      route: "/mcp",
      consumer: customer.name,
      mcp: { method: "tools/call", tool: "getThing", client: "test-agent" },
    });
    const all = await records(`consumer=${customer.name}`, 2);
    expect(all).toHaveLength(2);
    const inner = all.find(({ route }: { route: string }) => route === "/things/{id}");
    expect(inner).toMatchObject({
      path: "/things/9",
      keyId: customer.keyId,
      parent: { requestId, tool: "getThing", client: "test-agent" },
    });
    expect(inner.requestId).not.toBe(requestId);
    expect(inner).not.toHaveProperty("mcp");
    await send("tools/call", { name: "secretThing" }, { headers });
    const [denied] = await records(`requestId=${requestId}`, 2);
    expect(denied.mcp).toEqual({ method: "tools/call", tool: "secretThing", client: "test-agent", error: -32602 });
    await deployed.call("/things/9", { headers: bearer(customer.key) });
    const counted = (by: string) =>
      until(async () => {
        await server.catchUp();
        const query = `by=${by}&consumer=${customer.name}`;
        const { body } = await client.get(`/v1/deployments/${deployed.name}/analytics?${query}`);
        const requestsOf = (key: string | null) =>
          body.series.find((each: { key: unknown }) => each.key === key)?.totals.requests;
        return requestsOf(null) === (by === "tool" ? 3 : 1) ? requestsOf : undefined;
      });
    // The call of the operation counts by tool; two messages and a request to the operation do not.
    expect((await counted("tool"))("getThing")).toBe(1);
    expect((await counted("client"))("test-agent")).toBe(3);
  });

  test("the routes of a version show the tools and their sizes", async () => {
    const { body } = await client.get(`/v1/deployments/${deployed.name}/routes`);
    const { target } = body.data.find(({ path }: { path: string }) => path === "/mcp");
    expect(target).toMatchObject({ handler: "mcp", mcp: { mode: "tools", title: "Things" } });
    expect(target.mcp.tools[0]).toMatchObject({
      name: "listThings",
      title: "List things",
      method: "GET",
      path: "/things",
    });
    expect(target.mcp.tools[0].bytes).toBeGreaterThan(100);
    const possible = (await client.get(`/v1/deployments/${deployed.name}/routes?tools=true`)).body.data;
    const toolAt = (at: string) => possible.find(({ path }: { path: string }) => path === at).tool;
    expect(toolAt("/things")).toEqual({ bytes: expect.any(Number), tokens: expect.any(Number) });
    expect(toolAt("/mcp")).toEqual({ problem: "It has the handler mcp." });
    const { data } = (await client.get(`/v1/deployments/${deployed.name}/versions`)).body;
    const { body: status } = await client.get(
      `/v1/accounts/${account}/projects/things/deployment-status/${data[0].statusId}`,
    );
    const { name, bytes, tokens } = target.mcp.tools[0];
    expect(status.buildResult.tools[0]).toEqual({ path: "/mcp", name, bytes, tokens });
    const { body: contents } = await client.get(`/v1/deployments/${deployed.name}/versions/${data[0].number}`);
    const route = contents.contents.routes.find(({ path }: { path: string }) => path === "/mcp");
    expect(route.target).toEqual(target);
    expect(target.mcp.tools[0].tokens).toBe(Math.ceil(target.mcp.tools[0].bytes / 4));
  });
});
