import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sqlite } from "./support/engines.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

/** What the suite may find, with the reason. Anything else that fails, and an exception that passes, fails the test. */
const exceptions: Record<string, string[]> = {
  "completions, resources, prompts and logs are not advertised": [
    ...["completion-complete", "logging-set-level", "tools-call-with-logging"],
    ...["resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read"],
    ...["resources-subscribe", "resources-unsubscribe", "sep-2164-resource-not-found"],
    ...["prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource"],
    ...["prompts-get-with-image", "input-required-result-non-tool-request"],
    "caching:sep-2549-prompts-list-caching-hints",
    "caching:sep-2549-resources-list-caching-hints",
    "caching:sep-2549-resources-templates-list-caching-hints",
    "caching:sep-2549-resources-read-caching-hints",
  ],
  "an operation never asks the client: no elicitation, sampling or roots, and no tool that needs them": [
    ...["tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
    ...["input-required-result-basic-elicitation", "input-required-result-basic-sampling"],
    ...["input-required-result-basic-list-roots", "input-required-result-request-state"],
    ...["input-required-result-multiple-input-requests", "input-required-result-multi-round"],
    ...["input-required-result-missing-input-response", "input-required-result-result-type"],
    ...["input-required-result-tampered-state", "input-required-result-capability-check"],
    "input-required-result-ignore-extra-params",
    "server-stateless:sep-2575-server-rejects-undeclared-capability",
    "server-stateless:sep-2575-missing-capability-http-400",
  ],
  "the response of an operation is one body, so it is one content": ["tools-call-mixed-content"],
  "an operation reports no progress, which servers may": ["tools-call-with-progress"],
};

/** Needs a session, which servers need not have; in 2026-07-28 it passes. */
const ofSessions = { "2025-11-25": ["server-sse-multiple-streams"] } as Record<string, string[]>;

const types: Record<string, string> = {
  test_image_content: "image/png",
  test_audio_content: "audio/wav",
  test_embedded_resource: "application/octet-stream",
};

/** The tools that scenarios call by name. */
const tools = [
  ...["test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource", "test_error_handling"],
  ...["test_logging_tool", "test_streaming_elicitation", "test_tool_with_progress"],
];

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => {
    const tool = new URL(url).pathname.slice(1);
    if (tool === "test_error_handling")
      return new Response("This tool intentionally returns an error for testing", { status: 500 });
    const type = types[tool] ?? "text/plain";
    return new Response("This is a simple text response for testing.", { headers: { "content-type": type } });
  },
});

const server = useServer(sqlite, { environment: { TOLLGATE_EGRESS: "any" } });
let deployed: Deployed;
let folder: TemporaryFolder;

/** The suite wants a server on localhost: this one stands for its deployment, and passes other hosts on. */
const local = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { host, pathname } = new URL(request.url);
    const headers = new Headers(request.headers);
    const own = new URL(deployed.url).hostname;
    if (headers.get("host") === `127.0.0.1:${local.port}`) headers.set("host", own);
    if (headers.get("origin") === `http://${host}`) headers.set("origin", `http://${own}`);
    const response = await fetch(server.url + pathname, {
      method: request.method,
      headers,
      body: await request.text(),
    });
    return new Response(response.body, response);
  },
});

beforeAll(async () => {
  const operations = tools.map((operationId) => [`/${operationId}`, { operationId, summary: "A tool." }]);
  const mcp = { "x-tollgate": { handler: "mcp", mcp: { tools } } };
  const files = {
    "openapi.json": openApi({ ...Object.fromEntries(operations), "POST /mcp": mcp }),
    "tollgate.json": { upstream: upstream.url.origin },
  };
  deployed = await deploy(server, { project: "conformance", branch: "main" }, files);
  folder = await temporaryFolder("conformance");
});

afterAll(async () => {
  await Promise.all([upstream.stop(true), local.stop(true), folder?.remove()]);
});

test.each(["2026-07-28", "2025-11-25"])("the conformance suite of MCP passes for the revision %s", async (revision) => {
  const expected = join(folder.path, `${revision}.yaml`);
  writeFileSync(
    expected,
    JSON.stringify({ server: [...Object.values(exceptions).flat(), ...(ofSessions[revision] ?? [])] }),
  );
  const url = `${local.url.origin}/mcp`;
  const options = ["--url", url, "--requirements", revision, "--expected-failures", expected];
  const run = Bun.spawn([process.execPath, suite, "server", ...options, "--output-dir", folder.path], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [text, errors, status] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  expect(status === 0 ? "" : `${text}\n${errors}`).toBe("");
});
