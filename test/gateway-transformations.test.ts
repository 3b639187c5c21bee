import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { explainRequest } from "../src/client/index.ts";
import { eachEngine } from "./support/engines.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
let heldStreams: (() => void)[] = [];

/** Ends the responses that wait. */
function releaseStreams() {
  for (const release of heldStreams) release();
  heldStreams = [];
}

/** An upstream that returns the request that it received, or a response selected by the path. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const json = (text: string, headers = {}) =>
      new Response(text, { headers: { "content-type": "application/json", etag: '"1"', ...headers } });
    switch (pathname) {
      case "/base/large-declared":
        return new Response("x".repeat(200));
      case "/base/large-streamed":
        return new Response(repeated("x".repeat(60), 5));
      case "/base/held":
        return new Response(held());
      case "/base/json":
        return json('{"id":12345678901234567890,"price":1.10,"secret":{"cost":1,"kept":2},"old":[1,2]}');
      case "/base/not-json":
        return json("{");
      case "/base/text":
        return new Response("plain");
      case "/base/encoded":
        return json("{}", { "content-encoding": "br" });
    }
    const body = await request.text();
    return Response.json({ url: pathname + search, headers: Object.fromEntries(request.headers), body });
  },
});
afterAll(() => upstream.stop(true));

async function* repeated(text: string, count: number) {
  for (let i = 0; i < count; i++) {
    yield text;
    await Bun.sleep(5);
  }
}

async function* held() {
  yield "first";
  await new Promise<void>((resolve) => heldStreams.push(resolve));
  yield "second";
}

const order = {
  type: "object",
  required: ["id", "total"],
  properties: {
    id: { type: "string", format: "uuid" },
    total: { type: "number", exclusiveMinimum: 0, maximum: 0.5 },
    lines: { type: "array", minItems: 2, items: { $ref: "#/components/schemas/Line" } },
  },
};

function project() {
  const guarded = (...policies: string[]) => ({ "x-tollgate": { policies } });
  const id = { parameters: [{ name: "id", in: "path", required: true, schema: {} }] };
  const large = ["large-declared", "large-streamed"];
  const json = (schema: object) => ({ "application/json": { schema } });
  return {
    "openapi.json": openApi(
      {
        "/local": guarded("local"),
        "/elsewhere": guarded("elsewhere"),
        "/denied": guarded("denied"),
        ...Object.fromEntries(large.map((path) => [`/${path}`, guarded("small")])),
        "post /echo": guarded("small-request"),
        "/held": guarded("one-at-once"),
        "/held-by-consumer": guarded("key", "one-of-consumer", "to-held"),
        "/held-by-key": guarded("key", "one-of-key", "to-held"),
        "/basic": guarded("basic"),
        "/rewritten/{id}": { ...id, ...guarded("rewrite") },
        "/named/{id}.json": { ...id, ...guarded("rewrite") },
        "/moved/{id}": { ...id, ...guarded("moved") },
        "/moved-far/{id}": { ...id, ...guarded("moved-far") },
        "post /changed": guarded("change-request"),
        ...Object.fromEntries(
          ["json", "not-json", "text", "encoded"].map((path) => [`/${path}`, guarded("change-response")]),
        ),
        "/mocked": {
          ...guarded("mock"),
          responses: {
            "404": { description: "", content: { "application/json": { example: { code: "missing" } } } },
            "200": {
              description: "",
              headers: { "x-page": { schema: { type: "integer", minimum: 3 } } },
              content: json(order),
            },
            "5XX": { description: "", content: { "text/plain": { example: "down" } } },
          },
        },
        "/mocked-late": { ...guarded("mock-late"), responses: { default: { description: "" } } },
      },
      {
        components: {
          schemas: {
            Line: {
              type: "object",
              required: ["sku"],
              properties: { sku: { enum: ["A-1", "B-2"] }, next: { $ref: "#/components/schemas/Line" } },
            },
          },
        },
      },
    ),
    "tollgate.json": {
      upstream: `${upstream.url.origin}/base`,
      policies: {
        local: { type: "ip-filter", options: { allow: ["127.0.0.0/8", "::1"] } },
        elsewhere: { type: "ip-filter", options: { allow: ["192.0.2.0/24"] } },
        denied: { type: "ip-filter", options: { allow: ["127.0.0.1"], deny: ["127.0.0.0/8"] } },
        small: { type: "size-limit", options: { responseBytes: 150 } },
        "small-request": { type: "size-limit", options: { requestBytes: 100 } },
        "one-at-once": { type: "concurrency", options: { by: "ip", requests: 1 } },
        "one-of-consumer": { type: "concurrency", options: { by: "consumer", requests: 1 } },
        "one-of-key": { type: "concurrency", options: { by: "key", requests: 1 } },
        "to-held": { type: "rewrite", options: { path: "/held" } },
        key: { type: "api-key", options: { bucket: "main" } },
        basic: { type: "basic-auth", options: { bucket: "main" } },
        rewrite: {
          type: "rewrite",
          options: { path: "/v2/items/{id}/all", query: { set: { from: "{id}" }, remove: ["debug"] } },
        },
        moved: { type: "redirect", options: { to: "/new/{id}" } },
        "moved-far": { type: "redirect", options: { to: "https://b.example/{id}?x=1", status: 308 } },
        "change-request": {
          type: "json-body",
          options: {
            request: { set: { "/added/deep": [1], "/list/-": 3 }, remove: ["/secret"], rename: { "/a": "/b" } },
          },
        },
        "change-response": {
          type: "json-body",
          options: { response: { remove: ["/secret/cost"], rename: { "/old/0": "/first" } } },
        },
        mock: { type: "mock" },
        "mock-late": { type: "mock", options: { delayMs: 30, status: 202 } },
      },
    },
  };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let deployed: Deployed;
  let count = 0;

  beforeAll(async () => {
    deployed = await deploy(server, { project: "transformations", branch: "main" }, project());
  });

  const call = async (path: string, init: RequestInit = {}) => {
    const requestId = `transformed-${++count}`;
    const headers = new Headers(init.headers);
    headers.set("x-request-id", requestId);
    const response = await deployed.call(path, { ...init, headers });
    return { response, requestId };
  };
  const kept = (requestId: string) =>
    until(async () => {
      await server.catchUp();
      return (await client.get(`/v1/accounts/${account}/requests?requestId=${requestId}`)).body.data[0];
    });
  /** Status, code and explanation of a rejected request. */
  const rejected = async (path: string, init: RequestInit = {}) => {
    const { response, requestId } = await call(path, init);
    const { code } = (await response.json()) as { code: string };
    return [response.status, code, explainRequest(await kept(requestId))];
  };
  const sent = async (path: string, init: RequestInit = {}) => {
    const { response } = await call(path, init);
    return (await response.json()) as { url: string; headers: Record<string, string>; body: string };
  };

  test("ip-filter: allowed, not allowed, denied", async () => {
    expect((await call("/local")).response.status).toBe(200);
    expect(await rejected("/elsewhere")).toEqual([403, "ip_not_allowed", "403: the route does not allow 127.0.0.1."]);
    expect(await rejected("/denied")).toEqual([
      403,
      "ip_not_allowed",
      "403: the route denies 127.0.0.1, which is in 127.0.0.0/8.",
    ]);
  });

  describe("size-limit", () => {
    const post = (body: string | ReadableStream) => ({ method: "POST", body });

    test("passes bodies within the limit, with or without Content-Length", async () => {
      for (const body of ["x".repeat(100), new Response(repeated("x".repeat(50), 2)).body!])
        expect((await sent("/echo", post(body))).body).toHaveLength(100);
    });

    test("rejects a declared length before the target gets anything", async () => {
      expect(await rejected("/echo", post("x".repeat(101)))).toEqual([
        413,
        "body_too_large",
        "413: the body is larger than 100 bytes.",
      ]);
    });

    test("aborts a body of unknown length at the first byte too many", async () => {
      const { response, requestId } = await call("/echo", post(new Response(repeated("x".repeat(60), 3)).body!));
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, "body_too_large"]);
      const { decisions } = await kept(requestId);
      expect(decisions[0]).toMatchObject({ outcome: "rejected", detail: { reason: "request_too_large", limit: 100 } });
    });

    test("rejects a response of a declared length, and aborts one without", async () => {
      const { response, requestId } = await call("/large-declared");
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
        502,
        "response_too_large",
      ]);
      expect(explainRequest(await kept(requestId))).toBe("502: the response is larger than 150 bytes.");
      const streamed = await call("/large-streamed");
      expect(streamed.response.status).toBe(200);
      expect(await streamed.response.text().catch(() => "broken off")).toBe("broken off");
      expect((await kept(streamed.requestId)).decisions[0].detail).toEqual({
        reason: "response_too_large",
        limit: 150,
      });
    });
  });

  test("concurrency counts a request until its last byte", async () => {
    const first = await call("/held");
    expect(first.response.status).toBe(200);
    expect(await rejected("/held")).toEqual([
      429,
      "concurrency_exceeded",
      "429: the client's address has 1 request in progress, which is the limit.",
    ]);
    releaseStreams();
    expect(await first.response.text()).toBe("firstsecond");
    const second = await until(async () => {
      const { response } = await call("/held");
      return response.status === 200 ? response : undefined;
    });
    releaseStreams();
    await second.text();
  });

  test("concurrency by consumer and by key", async () => {
    const keyOf = async (name: string) => (await client.post(`${consumers}/${name}/keys`, {})).body.key as string;
    for (const name of ["busy", "calm"]) await client.post(consumers, { name });
    const [first, second, other] = [await keyOf("busy"), await keyOf("busy"), await keyOf("calm")];
    const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
    const statusOf = async (path: string, key: string) => (await call(path, as(key))).response.status;

    expect(await statusOf("/held-by-consumer", first)).toBe(200);
    expect(await rejected("/held-by-consumer", as(second))).toEqual([
      429,
      "concurrency_exceeded",
      "429: consumer busy has 1 request in progress, which is the limit.",
    ]);
    expect(await statusOf("/held-by-consumer", other)).toBe(200);

    expect(await statusOf("/held-by-key", first)).toBe(200);
    expect((await rejected("/held-by-key", as(first)))[1]).toBe("concurrency_exceeded");
    expect(await statusOf("/held-by-key", second)).toBe(200);
    releaseStreams();
  });

  test("basic-auth takes a key as the password, and never passes it on", async () => {
    const created = await client.post(`${consumers}?with-api-key=true`, { name: "acme" });
    const [{ key }] = created.body.apiKeys;
    const basic = (text: string) => ({ headers: { authorization: `Basic ${btoa(text)}` } });
    const { headers } = await sent("/basic", basic(`anyone:${key}`));
    expect(headers["x-consumer-name"]).toBe("acme");
    expect(JSON.stringify(headers)).not.toContain(btoa(`anyone:${key}`));
    const missing = await call("/basic");
    expect(missing.response.headers.get("www-authenticate")).toStartWith("Basic realm=");
    expect(explainRequest(await kept(missing.requestId))).toBe(
      "401: the request had no password that is an API key; send it with Basic authentication.",
    );
    for (const bad of [
      basic("nocolon"),
      { headers: { authorization: "Basic %%%" } },
      { headers: { authorization: `Bearer ${key}` } },
    ])
      expect((await rejected("/basic", bad)).slice(0, 2)).toEqual([401, "key_missing"]);
    const [status, code, why] = await rejected("/basic", basic("acme:wrong-wrong-wrong-wrong"));
    expect([status, code]).toEqual([401, "key_invalid"]);
    expect(why).toContain("is not in bucket main");
  });

  describe("rewrite", () => {
    test("fills in parameters, encoded, and changes the query", async () => {
      expect((await sent("/rewritten/7?a=1&debug=1&de%62ug=2&from=x")).url).toBe("/base/v2/items/7/all?a=1&from=7");
      expect((await sent("/rewritten/a%2Fb%20%3Fc")).url).toBe("/base/v2/items/a%2Fb%20%3Fc/all?from=a%2Fb%20%3Fc");
    });

    test("does not let a parameter add dot segments", async () => {
      expect((await sent("/named/x.json")).url).toStartWith("/base/v2/items/x/all");
      expect(await rejected("/named/...json")).toEqual([
        400,
        "malformed_path",
        "400: a parameter of the path would lead the request to another path of the upstream.",
      ]);
    });
  });

  test("redirect responds with the location and the query", async () => {
    const moved = await call("/moved/a%2Fb?q=1");
    expect([moved.response.status, moved.response.headers.get("location")]).toEqual([302, "/new/a%2Fb?q=1"]);
    const far = await call("/moved-far/7?q=1", { method: "GET" });
    expect([far.response.status, far.response.headers.get("location")]).toEqual([308, "https://b.example/7?x=1"]);
    const { decisions, target } = await kept(far.requestId);
    expect([decisions[0].outcome, target]).toEqual(["answered", undefined]);
  });

  describe("json-body", () => {
    const json = (body: string, headers = {}) => ({
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    });

    test("changes requests, and keeps the digits of numbers", async () => {
      const { body, headers } = await sent(
        "/changed",
        json('{"a":1.50,"secret":"x","id":98765432109876543210,"list":[1]}'),
      );
      expect(body).toBe('{"id":98765432109876543210,"list":[1,3],"b":1.50,"added":{"deep":[1]}}');
      expect(headers["content-length"]).toBe(String(body.length));
      expect((await sent("/changed", json('{"__proto__":{"x":1}}'))).body).toBe(
        '{"__proto__":{"x":1},"added":{"deep":[1]},"list":[3]}',
      );
      expect((await sent("/changed", { method: "POST", body: "{}" })).body).toBe("{}");
    });

    test("rejects bodies that it cannot change", async () => {
      expect(await rejected("/changed", json("{"))).toEqual([
        400,
        "invalid_json",
        "400: the body is not valid JSON, and it has to be changed.",
      ]);
      expect((await rejected("/changed", json("[".repeat(500))))[1]).toBe("invalid_json");
      expect((await rejected("/changed", json("{}", { "content-encoding": "gzip" }))).slice(0, 2)).toEqual([
        415,
        "unsupported_media_type",
      ]);
      expect((await rejected("/changed", json(`"${"x".repeat(1024 * 1024)}"`))).slice(0, 2)).toEqual([
        413,
        "body_too_large",
      ]);
    });

    test("changes responses, or sends none that it cannot change", async () => {
      const { response } = await call("/json");
      expect(response.headers.get("etag")).toBeNull();
      expect(await response.text()).toBe(
        '{"id":12345678901234567890,"price":1.10,"secret":{"kept":2},"old":[2],"first":1}',
      );
      const head = await call("/json", { method: "HEAD" });
      expect(head.response.headers.get("content-length")).toBeNull();
      expect(await (await call("/text")).response.text()).toBe("plain");
      for (const path of ["/not-json", "/encoded"])
        expect((await rejected(path)).slice(0, 2)).toEqual([502, "response_unreadable"]);
    });
  });

  describe("mock", () => {
    test("responds with a value that fits the schema, and its headers", async () => {
      const { response } = await call("/mocked");
      expect([response.status, response.headers.get("x-page")]).toEqual([200, "3"]);
      const value = (await response.json()) as { id: string; total: number; lines: { sku: string }[] };
      expect(value.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(value.total).toBeGreaterThan(0);
      expect(value.total).toBeLessThanOrEqual(0.5);
      expect(value.lines.map(({ sku }) => sku)).toEqual(["A-1", "A-1"]);
    });

    test.each([
      ["code=404", 404, '{"code":"missing"}', "code=404"],
      ["return=minimal, code=503", 503, "down", "code=503"],
      ["code=418", 200, undefined, null],
    ])("Prefer: %s selects a response", async (prefer, status, body, applied) => {
      const { response } = await call("/mocked", { headers: { prefer } });
      expect([response.status, response.headers.get("preference-applied")]).toEqual([status, applied]);
      const text = await response.text();
      if (body !== undefined) expect(text).toBe(body);
    });

    test("takes its time, with the status of the options", async () => {
      const started = performance.now();
      expect((await call("/mocked-late")).response.status).toBe(202);
      expect(performance.now() - started).toBeGreaterThanOrEqual(29);
    });
  });
});
