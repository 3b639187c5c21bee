import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { makeCertificate } from "./support/certificates.ts";
import { sqlite } from "./support/engines.ts";
import { deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";

/** The clients of both packages, over TLS, with two workers: each message may reach another one. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url, headers }) => Response.json({ path: new URL(url).pathname, consumer: headers.get("x-consumer-name") }),
});
let server: TestServer;
let folder: TemporaryFolder;
let host: string;
let key: string;

beforeAll(async () => {
  folder = await temporaryFolder("mcp-clients");
  server = await startServer(sqlite, {
    workers: 2,
    environment: { TOLLGATE_GATEWAY_URL: "https://{name}.api.example.com", TOLLGATE_EGRESS: "any" },
  });
  const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
  key = (await server.client.post(consumers, { name: "acme", apiKeys: [{}] })).body.apiKeys[0].key;
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const tools = ["getThing", "secretThing"];
  const deployed = await deploy(
    server,
    { project: "things", branch: "main" },
    {
      "openapi.json": openApi({
        "/things/{id}": { operationId: "getThing", parameters: [id] },
        "/secret": { operationId: "secretThing", "x-tollgate": { policies: ["key", "secret"] } },
        "POST /mcp": { "x-tollgate": { handler: "mcp", mcp: { tools, instructions: "Use them." } } },
        "POST /search": { "x-tollgate": { handler: "mcp", mcp: { tools, mode: "search" } } },
      }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          key: { type: "api-key", options: { bucket: "main" } },
          secret: { type: "permission", options: { permission: "secret" } },
        },
        defaultPolicies: ["key"],
      },
    },
  );
  host = `${deployed.name}.api.example.com`;
  const { certificate, key: privateKey } = makeCertificate(["127.0.0.1", "*.api.example.com"]);
  const [certificateFile, keyFile] = [join(folder.path, "tls.crt"), join(folder.path, "tls.key")];
  writeFileSync(certificateFile, certificate);
  writeFileSync(keyFile, privateKey);
  await server.restart({ TOLLGATE_TLS_CERT: certificateFile, TOLLGATE_TLS_KEY: keyFile });
  // The server's clock is fixed, and certificates are valid from the second of their creation.
  server.clock.set(new Date().toISOString());
});

afterAll(async () => {
  await server?.stop();
  await Promise.all([upstream.stop(true), folder.remove()]);
});

const revisionsSent: (string | null)[] = [];

/** Sends requests to the deployment. `initialize` of the earlier client asks for the revision. */
function options(revision?: string) {
  return {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url: string | URL, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      revisionsSent.push(headers.get("mcp-protocol-version"));
      headers.set("host", host);
      const body =
        revision === undefined || typeof init.body !== "string"
          ? init.body
          : init.body.replace(/"protocolVersion":"[\d-]+"/, `"protocolVersion":"${revision}"`);
      return fetch(url, { ...init, headers, ...(body != null && { body }), tls: { rejectUnauthorized: false } });
    },
  };
}

interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

async function use(mcp: Connected): Promise<void> {
  expect(mcp.getInstructions()).toBe("Use them.");
  for (let round = 0; round < 5; round++) {
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["getThing"]);
    const result = await mcp.callTool({ name: "getThing", arguments: { id: `a ${round}` } });
    expect(result).toMatchObject({ structuredContent: { path: `/things/a%20${round}`, consumer: "acme" } });
  }
  expect(await mcp.callTool({ name: "getThing", arguments: { id: ".." } })).toMatchObject({ isError: true });
  await expect(mcp.callTool({ name: "secretThing", arguments: {} })).rejects.toMatchObject({ code: -32602 });
  await mcp.close();
}

const info = { name: "test", version: "1.0.0" };
const address = (path = "/mcp") => new URL(server.url + path);

test.each([
  ["2026-07-28", { pin: "2026-07-28" }],
  ["2026-07-28", "auto"],
  ["2025-11-25", "legacy"],
] as const)("the client of version 2 uses the revision %s (%p)", async (revision, mode) => {
  revisionsSent.length = 0;
  const mcp = new Client(info, { versionNegotiation: { mode } });
  await mcp.connect(new StreamableHTTPClientTransport(address(), options()));
  await use(mcp as unknown as Connected);
  expect(revisionsSent.at(-1)).toBe(revision);
});

test.each(["2025-11-25", "2025-06-18"])("the client of version 1 uses the revision %s", async (revision) => {
  revisionsSent.length = 0;
  const mcp = new EarlierClient(info);
  const transport = new EarlierTransport(address(), options(revision));
  await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
  await use(mcp as unknown as Connected);
  expect(revisionsSent.at(-1)).toBe(revision);
});

test("clients search and call operations", async () => {
  const mcp = new Client(info, { versionNegotiation: { mode: "auto" } });
  await mcp.connect(new StreamableHTTPClientTransport(address("/search"), options()));
  const found = await mcp.callTool({ name: "search", arguments: { query: "thing" } });
  const [{ text: foundText }] = found.content as unknown as [{ text: string }];
  expect(JSON.parse(foundText)).toMatchObject({ operations: [{ operationId: "getThing" }], total: 1 });
  const called = await mcp.callTool({ name: "call", arguments: { operationId: "getThing", arguments: { id: "5" } } });
  expect(called).toMatchObject({ structuredContent: { path: "/things/5" } });
  await mcp.close();
});
