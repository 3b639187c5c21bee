import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { samplerOf } from "../src/platform/telemetry/sampler.ts";
import { formatTraceparent, parseTraceparent } from "../src/platform/telemetry/trace-context.ts";
import { eachEngine, sqlite } from "./support/engines.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number>;
  status: { code?: number; message?: string };
}

type Attributes = { key: string; value: { stringValue?: string; intValue?: string } }[];

/** The members of an OTLP export that the collector reads. */
interface OtlpBody {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: (Omit<ReceivedSpan, "attributes"> & { attributes: Attributes })[] }[];
  }[];
}

/** A collector that receives OTLP over HTTP on loopback and decodes it. */
class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly resources: Record<string, string | number>[] = [];
  readonly headers: Headers[] = [];
  status = 200;
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      if (request.method !== "POST" || new URL(request.url).pathname !== "/v1/traces")
        return new Response("no such path", { status: 404 });
      if (this.status !== 200) return new Response("not now", { status: this.status });
      this.headers.push(request.headers);
      const body = (await request.json()) as OtlpBody;
      for (const { resource, scopeSpans } of body.resourceSpans) {
        this.resources.push(valuesOf(resource.attributes));
        for (const { spans } of scopeSpans)
          for (const span of spans) this.spans.push({ ...span, attributes: valuesOf(span.attributes) });
      }
      return Response.json({});
    },
  });

  get url(): string {
    return this.#server.url.origin;
  }

  stop(): void {
    this.#server.stop(true);
  }
}

function valuesOf(attributes: Attributes) {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );
}

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => Response.json({ traceparent: request.headers.get("traceparent") }),
});
afterAll(() => upstream.stop(true));

/** Responds to the first request of its first connection, and closes that on the second. */
let closingConnections = 0;
const closing = Bun.listen<{ connection: number; requests: number }>({
  port: 0,
  hostname: "127.0.0.1",
  socket: {
    open(socket) {
      closingConnections += 1;
      socket.data = { connection: closingConnections, requests: 0 };
    },
    data(socket) {
      socket.data.requests += 1;
      if (socket.data.connection % 2 === 1 && socket.data.requests > 1) socket.end();
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    },
  },
});
afterAll(() => closing.stop(true));

const project = {
  "openapi.json": openApi({
    "/forwarded": { "x-tollgate": { policies: ["keys", "limit"] } },
    "/open": {},
    "/closing": { "x-tollgate": { upstream: `http://127.0.0.1:${closing.port}` } },
    "/gone": { "x-tollgate": { upstream: "http://127.0.0.1:1" } },
    "/handled": { "x-tollgate": { handler: "modules/trace.ts" } },
  }),
  "tollgate.json": {
    upstream: upstream.url.origin,
    policies: {
      keys: { type: "api-key", options: { bucket: "main" } },
      limit: { type: "rate-limit", options: { requests: 100, windowSeconds: 60 } },
    },
  },
  "modules/trace.ts": `export default (request, context) =>
    Response.json({ traceparent: context.traceparent, header: request.headers.get("traceparent") });`,
};

const traceId = "0af7651916cd43dd8448eb211c80319c";
const sampled = `00-${traceId}-b7ad6b7169203331-01`;

eachEngine((engine) => {
  const collector = new Collector();
  let server: TestServer;
  let deployed: Deployed;
  let key: string;
  beforeAll(async () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-token=a%20secret",
      OTEL_SERVICE_NAME: "gateway-of-the-tests",
    };
    server = await startServer(engine, { environment });
    deployed = await deploy(server, { project: "traced", branch: "main" }, project);
    const created = await server.client.post(`/v1/accounts/${account}/key-buckets/main/consumers?with-api-key=true`, {
      name: "acme",
    });
    key = created.body.apiKeys[0].key;
  });
  afterAll(async () => {
    await server.stop();
    collector.stop();
  });

  const spansOf = (id: string, count: number) =>
    until(
      async () => {
        await server.catchUp();
        const spans = collector.spans.filter((span) => span.traceId === id);
        return spans.length >= count ? spans : undefined;
      },
      {
        what: () => `${count} spans among ${JSON.stringify(collector.spans.map(({ name }) => name))}`,
      },
    );

  test("a trace continues through route, policies, storage and upstream, and is in the log and the request record", async () => {
    const response = await deployed.call("/forwarded", {
      headers: { traceparent: sampled, authorization: `Bearer ${key}`, "x-request-id": "traced" },
    });
    const { traceparent } = (await response.json()) as { traceparent: string };
    const spans = await spansOf(traceId, 5);
    const named = (name: string) => spans.find((span) => span.name === name)!;
    const own = named("GET /forwarded");
    expect(own).toMatchObject({
      kind: 2,
      parentSpanId: "b7ad6b7169203331",
      status: {},
      attributes: {
        "http.request.method": "GET",
        "http.route": "/forwarded",
        "http.response.status_code": 200,
        "tollgate.deployment": deployed.name,
        "tollgate.consumer": "acme",
        "tollgate.request_id": "traced",
      },
    });
    const children = ["policy keys", "policy limit", "upstream GET", "storage query"];
    for (const name of children) expect(named(name)).toMatchObject({ parentSpanId: own.spanId });
    expect(named("upstream GET").kind).toBe(3);
    expect(parseTraceparent(traceparent)).toEqual({ traceId, spanId: named("upstream GET").spanId, isSampled: true });
    for (const span of spans)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(JSON.stringify(spans)).not.toContain(key);

    expect(collector.resources[0]).toMatchObject({ "service.name": "gateway-of-the-tests" });
    expect(collector.headers[0]!.get("x-collector-token")).toBe("a secret");
    await server.catchUp();
    const [recorded] = (await server.client.get(`/v1/accounts/${account}/requests?requestId=traced`)).body.data;
    expect(recorded).toMatchObject({ traceId });
    await until(() => server.log.includes(`"traceId":"${traceId}"`));
  });

  test("each attempt to reach an upstream has its own span", async () => {
    const call = async (id: string) => {
      const response = await deployed.call("/closing", { headers: { traceparent: sampled.replace(traceId, id) } });
      expect(await response.text()).toBe("ok");
    };
    const [first, second] = ["7af7651916cd43dd8448eb211c80319c", "8af7651916cd43dd8448eb211c80319c"] as const;
    closingConnections = 0;
    await call(first);
    await call(second);
    const upstreamSpans = async (id: string, count: number) =>
      (await spansOf(id, count)).filter(({ name }) => name === "upstream GET");
    expect((await upstreamSpans(first, 2)).map(({ attributes }) => attributes)).toEqual([
      { "http.request.method": "GET", "url.path": "/closing", "http.response.status_code": 200 },
    ]);
    const [failed, succeeded] = await upstreamSpans(second, 3);
    expect(failed).toMatchObject({
      status: { code: 2, message: "connection_closed" },
      attributes: { "error.type": "connection_closed" },
    });
    expect(failed!.attributes).not.toHaveProperty("http.response.status_code");
    expect(succeeded).toMatchObject({
      status: {},
      parentSpanId: failed!.parentSpanId!,
      startTimeUnixNano: failed!.endTimeUnixNano,
      attributes: { "http.response.status_code": 200, "http.request.resend_count": 1 },
    });
  });

  test("a handler gets the trace in its context and its request", async () => {
    const id = "1af7651916cd43dd8448eb211c80319c";
    const response = await deployed.call("/handled", { headers: { traceparent: sampled.replace(traceId, id) } });
    const { traceparent, header } = (await response.json()) as Record<string, string>;
    const sandbox = (await spansOf(id, 2)).find(({ name }) => name === "sandbox")!;
    expect(parseTraceparent(traceparent!)).toEqual({ traceId: id, spanId: sandbox.spanId, isSampled: true });
    expect(header).toBe(traceparent!);
    expect(sandbox.attributes).toEqual({ "code.file.path": "modules/trace.ts" });
  });

  test("a request without a valid trace begins one; a failure is marked as an error", async () => {
    const response = await deployed.call("/open", { headers: { traceparent: "00-nonsense", tracestate: "a=b" } });
    const context = parseTraceparent(((await response.json()) as { traceparent: string }).traceparent)!;
    const [own] = await spansOf(context.traceId, 2);
    expect(own!.parentSpanId).toBeUndefined();
    const id = "2af7651916cd43dd8448eb211c80319c";
    await deployed.call("/gone", { headers: { traceparent: sampled.replace(traceId, id) } });
    const failed = await spansOf(id, 2);
    expect(failed.map(({ status }) => status)).toEqual([
      { code: 2, message: "upstream_unavailable" },
      { code: 2, message: "upstream_unavailable" },
    ]);
  });

  test("a request to the management API has a span with its operation, and one for each storage operation", async () => {
    const id = "5af7651916cd43dd8448eb211c80319c";
    const path = `/v1/accounts/${account}/key-buckets/main/consumers`;
    const headers = { traceparent: sampled.replace(traceId, id), "x-request-id": "managed" };
    expect((await server.client.post(path, { name: "traced-consumer" }, headers)).status).toBe(200);
    const spans = await spansOf(id, 2);
    const own = spans.find(({ kind }) => kind === 2)!;
    expect(own).toMatchObject({
      name: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers",
      parentSpanId: "b7ad6b7169203331",
      status: {},
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/accounts/{accountName}/key-buckets/{bucketName}/consumers",
        "http.response.status_code": 200,
        "tollgate.operation": "createConsumer",
        "tollgate.account": account,
        "tollgate.request_id": "managed",
      },
    });
    const storage = spans.filter(({ name }) => name.startsWith("storage "));
    expect(storage.length).toBeGreaterThan(0);
    for (const span of storage) expect(span.parentSpanId).toBe(own.spanId);
    await until(() => server.log.includes(`"requestId":"managed"`));
    const line = server.log.split("\n").find((text) => text.includes(`"requestId":"managed"`))!;
    expect(JSON.parse(line).traceId).toBe(id);

    const rejected = "6af7651916cd43dd8448eb211c80319c";
    const anonymous = await server.client
      .anonymous()
      .get(path, { traceparent: sampled.replace(traceId, rejected), "x-request-id": "nobody" });
    expect(anonymous.status).toBe(401);
    expect((await spansOf(rejected, 1))[0]).toMatchObject({
      status: {},
      attributes: { "http.response.status_code": 401 },
    });
  });

  test("a trace that its client does not sample is passed on, and not exported", async () => {
    const id = "3af7651916cd43dd8448eb211c80319c";
    const response = await deployed.call("/open", { headers: { traceparent: `00-${id}-b7ad6b7169203331-00` } });
    const { traceparent } = (await response.json()) as { traceparent: string };
    expect(parseTraceparent(traceparent)).toMatchObject({ traceId: id, isSampled: false });
    await deployed.call("/open", { headers: { traceparent: sampled.replace(traceId, id.replace("3", "4")) } });
    await spansOf(id.replace("3", "4"), 2);
    expect(collector.spans.filter((span) => span.traceId === id)).toEqual([]);
  });

  test("an unavailable collector loses spans and logs a warning, but fails no request", async () => {
    collector.status = 503;
    expect((await deployed.call("/open")).status).toBe(200);
    await until(() => server.log.includes("spans could not be exported"));
    collector.status = 200;
  });
});

describe("without a collector", () => {
  let server: TestServer | undefined;
  afterEach(() => server?.stop());

  test("the client's trace is passed on unchanged, and recorded", async () => {
    server = await startServer(sqlite);
    const deployed = await deploy(server, { project: "untraced", branch: "main" }, project);
    const response = await deployed.call("/open", { headers: { traceparent: sampled, "x-request-id": "passed" } });
    expect(((await response.json()) as { traceparent: string }).traceparent).toBe(sampled);
    expect(((await (await deployed.call("/open")).json()) as { traceparent: string | null }).traceparent).toBeNull();
    const { body } = await until(async () => {
      const found = await server!.client.get(`/v1/accounts/${account}/requests?requestId=passed`);
      return found.body.data.length > 0 ? found : undefined;
    });
    expect(body.data[0].traceId).toBe(traceId);
  });
});

test.each([
  ["", undefined],
  ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true],
  ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", false],
  ["cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-more", true],
  ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", undefined],
  ["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", undefined],
  ["00-00000000000000000000000000000000-b7ad6b7169203331-01", undefined],
  ["00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", undefined],
  ["00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", undefined],
])("traceparent %s", (header, isSampled) => {
  const parsed = parseTraceparent(header);
  expect(parsed?.isSampled).toBe(isSampled);
  if (parsed && header.startsWith("00")) expect(formatTraceparent(parsed)).toBe(header);
});

test("each sampler decides which requests are traced", () => {
  const parent = (isSampled: boolean) => ({ traceId, spanId: "b7ad6b7169203331", isSampled });
  expect(samplerOf("always_on", 1)(traceId, parent(false))).toBe(true);
  expect(samplerOf("always_off", 1)(traceId, parent(true))).toBe(false);
  expect(samplerOf("parentbased_always_on", 1)(traceId, parent(false))).toBe(false);
  expect(samplerOf("parentbased_always_off", 1)(traceId, parent(true))).toBe(true);
  expect(samplerOf("parentbased_always_off", 1)(traceId, undefined)).toBe(false);
  expect(samplerOf("traceidratio", 0)(traceId, undefined)).toBe(false);
  expect(samplerOf("traceidratio", 1)("f".repeat(32), undefined)).toBe(true);
  expect(samplerOf("traceidratio", 0.5)("8".repeat(32), undefined)).toBe(false);
  expect(samplerOf("traceidratio", 0.5)("7".repeat(32), undefined)).toBe(true);
});
