import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "./support/engines.ts";
import { build, type Deployed, deploy } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

let received: (string | null)[] = [];
const json = (text: string, headers: Record<string, string> = {}, status = 200) =>
  new Response(text, { status, headers: { "content-type": "application/json", ...headers } });

const good = '{"id":1,"next":{"id":2}}';
const bad = '{"id":"one","secret":1}';
const responses: Record<string, () => Response> = {
  good: () => json(good),
  bad: () => json(bad),
  "not-json": () => json("{"),
  html: () => new Response("<p>", { headers: { "content-type": "text/html" } }),
  compressed: () =>
    new Response(Bun.gzipSync(good), { headers: { "content-type": "application/json", "content-encoding": "gzip" } }),
  costly: () => json(`{"id":1,"list":[${Array(20_000).fill("true").join(",")}]}`),
  large: () => json(`{"id":1,"note":"${"x".repeat(1024 * 1024)}"}`),
  problem: () => json('{"code":7}', { "content-type": "application/problem+json" }, 418),
  undescribed: () => json("[]", {}, 302),
  empty: () => new Response(null, { status: 204 }),
};

/** Responds as the last segment of the path says. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    received = ["accept-encoding", "range"].map((name) => request.headers.get(name));
    const kind = new URL(request.url).pathname.split("/").at(-1)!;
    if (kind === "unfinished") {
      const stream = new ReadableStream({ start: (controller) => controller.enqueue('{"id":') });
      return new Response(stream, { headers: { "content-type": "application/json" } });
    }
    if (kind === "streamed") return new Response(inPieces(bad), { headers: { "content-type": "application/json" } });
    return responses[kind]?.() ?? Response.json({ method: request.method });
  },
});
afterAll(() => upstream.stop(true));

async function* inPieces(text: string) {
  for (const character of text) yield character;
}

const project = {
  "openapi.yaml": `openapi: 3.2.0
$self: https://api.example.com/openapi.yaml
info: { title: Files, version: "1" }
paths:
  /reported/{kind}: { $ref: "paths/order.yaml#/reported" }
  /enforced/{kind}: { $ref: "./paths/order.yaml#/enforced" }
  /impatient/{kind}: { $ref: "./paths/order.yaml#/impatient" }
  /methods:
    query: {}
    additionalOperations:
      LINK: { x-tollgate: { policies: [no-body] } }
components:
  parameters:
    Kind: { name: kind, in: path, required: true, schema: { type: string } }
`,
  "paths/order.yaml": `reported: &item
  parameters: [{ $ref: "../openapi.yaml#/components/parameters/Kind" }]
  x-tollgate: { policies: [report] }
  get: &operation
    responses:
      2XX: { content: { application/json: { schema: { $ref: "../schemas/order.json#/$defs/Order" } } } }
      default: { $ref: "../schemas/problem.yaml" }
      "302": {}
enforced:
  parameters: [{ $ref: "https://api.example.com/openapi.yaml#/components/parameters/Kind" }]
  x-tollgate: { policies: [enforce] }
  get: *operation
impatient:
  parameters: [{ $ref: "../openapi.yaml#/components/parameters/Kind" }]
  x-tollgate: { policies: [enforce], timeoutSeconds: 1 }
  get: *operation
`,
  "schemas/order.json": {
    $defs: {
      Order: {
        type: "object",
        required: ["id", "password"],
        properties: {
          id: { type: "integer" },
          next: { $ref: "#/$defs/Order" },
          note: { type: "string" },
          list: {
            type: "array",
            items: { anyOf: [...Array.from({ length: 20 }, (_, index) => ({ const: index })), { type: "boolean" }] },
          },
          password: { type: "string", writeOnly: true },
        },
        additionalProperties: false,
      },
    },
  },
  "schemas/problem.yaml": `content: { application/problem+json: { schema: { properties: { code: { type: string } } } } }\n`,
  "tollgate.json": {
    upstream: upstream.url.origin,
    policies: {
      report: { type: "validate", options: { response: "report" } },
      enforce: { type: "validate", options: { response: "enforce" } },
      "no-body": { type: "validate" },
    },
  },
};

const invalid = {
  reason: "response_invalid",
  errors: [
    { pointer: "/secret", detail: "is not allowed here" },
    { pointer: "/id", detail: "must be integer" },
  ],
};
const otherType = {
  reason: "response_invalid",
  errors: [{ pointer: "content-type", detail: "must be one of application/json" }],
};

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let deployed: Deployed;
  let count = 0;

  beforeAll(async () => {
    deployed = await deploy(server, { project: "documents", branch: "main" }, project);
  });

  /** The response, and what the record of the request has of the policy. */
  const call = async (path: string, init: RequestInit = {}) => {
    const requestId = `documents-${++count}`;
    const response = await deployed.call(path, { ...init, headers: { ...init.headers, "x-request-id": requestId } });
    const text = await response.text();
    const record = await until(async () => {
      await server.catchUp();
      return (await client.get(`/v1/accounts/${account}/requests?requestId=${requestId}`)).body.data[0];
    });
    return { status: response.status, text, record, detail: record.decisions[0]?.detail };
  };

  test.each<[string, number, object | undefined, string | undefined]>([
    ["good", 200, undefined, undefined],
    ["bad", 200, invalid, "response_invalid"],
    ["streamed", 200, invalid, "response_invalid"],
    [
      "not-json",
      200,
      { reason: "response_invalid", errors: [{ pointer: "", detail: "is not valid JSON" }] },
      "response_invalid",
    ],
    ["html", 200, otherType, "response_invalid"],
    ["compressed", 200, { reason: "compressed" }, "response_unreadable"],
    ["costly", 200, { reason: "too_costly" }, "response_unreadable"],
    ["large", 200, expect.objectContaining({ reason: "response_too_large" }), "response_too_large"],
    [
      "problem",
      418,
      { reason: "response_invalid", errors: [{ pointer: "/code", detail: "must be string" }] },
      "response_invalid",
    ],
    ["undescribed", 302, undefined, undefined],
    ["empty", 204, undefined, undefined],
  ])("a response that is %s, reported and enforced", async (kind, status, detail, code) => {
    const direct = await (await fetch(`${upstream.url.origin}/${kind}`, { redirect: "manual" })).text();
    const reported = await call(`/reported/${kind}`, { redirect: "manual" });
    expect([reported.status, reported.text, reported.detail]).toEqual([status, direct, detail]);
    const enforced = await call(`/enforced/${kind}`, { redirect: "manual" });
    if (code === undefined) {
      expect([enforced.status, enforced.text, enforced.detail]).toEqual([status, direct, undefined]);
      return;
    }
    expect([enforced.status, JSON.parse(enforced.text).code, enforced.record.code]).toEqual([502, code, code]);
    expect(enforced.detail).toEqual(detail);
    expect(enforced.text).not.toContain("secret");
  });

  test("a response that does not end in time is a timeout", async () => {
    const { status, text, detail } = await call("/impatient/unfinished");
    expect([status, JSON.parse(text).code, detail]).toEqual([504, "upstream_timeout", { reason: "timeout" }]);
  });

  test("with report, errors are in the log of the deployment; with enforce they are not", async () => {
    const { record } = await call("/reported/bad");
    await call("/reported/costly");
    await call("/enforced/bad");
    await server.catchUp();
    const { body } = await client.get(`/v1/deployments/${deployed.name}/logs`);
    const lines = body.data.filter(({ message }: { message: string }) => message.startsWith("The response to"));
    const reported = "The response to GET /reported/{kind}";
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "warn",
        requestId: record.requestId,
        message: `${reported} does not match the document: /secret is not allowed here; /id must be integer`,
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ message: `${reported} could not be validated: too_costly` }),
    );
    expect(lines.filter(({ message }: { message: string }) => !message.startsWith(reported))).toEqual([]);
  });

  test("the upstream is asked for a whole body without compression", async () => {
    const headers = { "accept-encoding": "gzip", range: "bytes=0-1" };
    for (const path of ["/reported/good", "/enforced/good"]) {
      expect((await call(path, { headers })).text).toBe(good);
      expect(received).toEqual(["identity", null]);
    }
  });

  test("methods of OpenAPI 3.2 are routes", async () => {
    for (const method of ["QUERY", "LINK"]) {
      const { status, text } = await call("/methods", { method });
      expect([status, text]).toEqual([200, JSON.stringify({ method })]);
    }
    const other = await deployed.call("/methods", { method: "UNLINK" });
    expect([other.status, other.headers.get("allow")]).toEqual([405, "QUERY, LINK, OPTIONS"]);
  });

  test("the version's document is self-contained: it builds to the same routes", async () => {
    const contentsOf = async ({ name }: Deployed) =>
      (await client.get(`/v1/deployments/${name}/versions/1?accountName=${account}`)).body.contents;
    const contents = await contentsOf(deployed);
    expect(contents.document.file).toBe("openapi.yaml");
    const alone = { "openapi.yaml": contents.document.text, "tollgate.json": project["tollgate.json"] };
    const rebuilt = await contentsOf(await deploy(server, { project: "documents-alone", branch: "main" }, alone));
    expect(rebuilt.routes).toEqual(contents.routes);
    expect(rebuilt.document).toEqual(contents.document);
    expect(contents.routes).toHaveLength(5);
  });

  test("an error in a file that is referred to has its position there", async () => {
    const broken = {
      ...project,
      "schemas/problem.yaml": "content:\n  text/html:\n    $ref: https://evil.test/x.yaml\n",
    };
    const { status } = await build(client, { project: "documents", branch: "broken" }, broken);
    expect(JSON.stringify(status)).toContain("schemas/problem.yaml:3:11");
  });
});
