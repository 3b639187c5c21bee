import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { until } from "./support/until.ts";
import { type RawRequest, RawUpstream, responseText } from "./support/upstream.ts";

const host = "shop.localhost";

let gateway: TestGateway;
let raw: RawUpstream;

/** Raw responses by path. */
const handlers: Record<string, (request: RawRequest) => void> = {
  "/reject": ({ socket }) => socket.destroy(),
  "/hang": () => {},
  "/nothing": ({ socket }) => socket.write("HTTP/1.1 204 No Content\r\nx-a: 1\r\n\r\n"),
  "/unchanged": ({ socket }) => socket.write('HTTP/1.1 304 Not Modified\r\netag: "x"\r\n\r\n'),
  "/elsewhere": ({ socket }) =>
    socket.write("HTTP/1.1 302 Found\r\nlocation: https://other.example/x\r\ncontent-length: 0\r\n\r\n"),
  "/packed": ({ socket }) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nabcde"),
  "/head": ({ socket }) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1234\r\nx-a: 1\r\n\r\n"),
  "/hops": ({ socket }) =>
    socket.write(
      responseText("hi", [
        "connection: keep-alive, x-named",
        "keep-alive: timeout=5",
        "x-named: 1",
        "proxy-authenticate: Basic",
        "trailer: x-t",
        "upgrade: h2c",
        "set-cookie: a=1",
        "set-cookie: b=2",
        "x-stays: 1",
      ]),
    ),
};

beforeAll(async () => {
  raw = await RawUpstream.start((request) => {
    const handler = handlers[request.path.split("?")[0]!];
    if (handler) handler(request);
    else request.socket.write(responseText("ok"));
  });
  gateway = new TestGateway();
  const target = { upstream: raw.url };
  await gateway.deploy(
    "shop",
    artifactOf([
      ...Object.keys(handlers).map((path) => ({ path, target, ...(path === "/hang" && { timeoutSeconds: 0.3 }) })),
      { path: "/head", method: "HEAD", target },
      { path: "/things/{id}", target },
      { path: "/listed", target, forwardHeaders: ["x-http-method-override"] },
      { path: "/things/{id}", method: "POST", target },
      { path: "/things/{id}", method: "DELETE", target },
      { path: "/based/{id}", target: { upstream: `${raw.url}/base/path` } },
      { path: "/gone", target: { upstream: "http://127.0.0.1:1" } },
      { path: "/no-such-host", target: { upstream: "http://does-not-exist.invalid" } },
      { path: "/options", method: "OPTIONS", target },
    ]),
  );
});

afterAll(async () => {
  await gateway.stop();
  await raw.stop();
});

const lastRequest = () => raw.requests.at(-1)!;

describe("routing", () => {
  test("a host of no deployment gets the server's own routes", async () => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/things/1`);
    expect(response.status).toBe(418);
  });

  test("a host of a deployment that does not exist is 404", async () => {
    const response = await gateway.fetch("nobody", "/things/1");
    expect(await response.json()).toMatchObject({ status: 404, code: "deployment_not_found", instance: "/things/1" });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("x-request-id")).toBeTruthy();
  });

  test.each([
    ["/nowhere", 404, "no_such_route"],
    ["/things/%zz", 400, "malformed_path"],
    ["/things/..%2fgone", 400, "malformed_path"],
    ["/things/..%5Cgone", 400, "malformed_path"],
    ["/things/x%5c..%5C..", 400, "malformed_path"],
    ["/things/x%2F%2e%5Cy", 400, "malformed_path"],
    ["/gone", 502, "upstream_unavailable"],
    ["/no-such-host", 502, "upstream_unavailable"],
    ["/reject", 502, "upstream_unavailable"],
    ["/hang", 504, "upstream_timeout"],
  ])("GET %s is %d %s", async (path, status, code) => {
    const response = await gateway.fetch("shop", path);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      status,
      code,
      instance: path,
      trace: { requestId: response.headers.get("x-request-id") },
    });
  });

  test.each([
    ["/things/1", "/things/1"],
    ["/things/1?a=b&c=%20d", "/things/1?a=b&c=%20d"],
    ["/things/a%2Fb%20c", "/things/a%2Fb%20c"],
    ["/things/a%5Cb%20c", "/things/a%5Cb%20c"],
    ["/things/a..%5Cb...%2fc", "/things/a..%5Cb...%2fc"],
    ["/things/1/", "/things/1/"],
    ["/things/x/../1", "/things/1"],
    ["/things/x/%2e%2e/1", "/things/1"],
    ["/things/x/..\\1", "/things/1"],
    ["/things/1#/../../x", "/things/1"],
    ["/based/1?q", "/base/path/based/1?q"],
  ])("%s requests %s of the upstream", async (path, target) => {
    await talk(gateway.port, rawRequest("GET", host, path), (text) => text.endsWith("ok"));
    expect(lastRequest().path).toBe(target);
  });

  test("an upstream that the operator does not allow: 502, and it is not called", async () => {
    const careful = new TestGateway({ egress: "public" });
    try {
      await careful.deploy("shop", artifactOf([{ path: "/x", target: { upstream: raw.url } }]));
      const before = raw.requests.length;
      const response = await careful.fetch("shop", "/x");
      expect(await response.json()).toMatchObject({ status: 502, code: "upstream_not_allowed" });
      expect(raw.requests.length).toBe(before);
    } finally {
      await careful.stop();
    }
  });
});

test("lookups of unknown names while storage is unavailable are bounded", async () => {
  const away = new TestGateway();
  try {
    away.deployments.find = () => {
      throw new Error("storage does not respond");
    };
    for (let index = 0; index < 1_010; index++) expect((await away.fetch(`invented-${index}`, "/")).status).toBe(503);
    const lines = () => away.logLines.join("").split("\n");
    await until(() => lines().some((line) => line.includes("invented-1009")));
    const retried = lines().filter((line) => line.includes("does not start here"));
    expect(retried.some((line) => line.includes("invented-999"))).toBe(true);
    expect(retried.filter((line) => /invented-10\d\d/.test(line))).toEqual([]);
  } finally {
    await away.stop();
  }
});

describe("methods", () => {
  test("an undeclared method is 405 with Allow", async () => {
    const response = await gateway.fetch("shop", "/things/1", { method: "PUT" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, POST, DELETE, HEAD, OPTIONS");
    expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
  });

  test.each([["TRACE"], ["CONNECT"]])("%s is rejected", async (method) => {
    const before = raw.requests.length;
    const { text } = await talk(gateway.port, rawRequest(method, host, "/things/1"), (got) => got.includes("}}"));
    expect(text).toMatch(/^HTTP\/1\.1 40[45] /);
    expect(raw.requests.length).toBe(before);
  });

  test("HEAD is served by GET if not declared, and has the length", async () => {
    const response = await gateway.fetch("shop", "/head", { method: "HEAD" });
    expect(lastRequest().method).toBe("HEAD");
    expect(response.headers.get("content-length")).toBe("1234");
    await gateway.fetch("shop", "/things/1", { method: "HEAD" });
    expect(lastRequest()).toMatchObject({ method: "HEAD", path: "/things/1" });
  });

  test("OPTIONS: the declared operation, else 204 with Allow", async () => {
    await gateway.fetch("shop", "/options", { method: "OPTIONS" });
    expect(lastRequest().method).toBe("OPTIONS");
    const before = raw.requests.length;
    const response = await gateway.fetch("shop", "/things/1", { method: "OPTIONS" });
    expect(response.status).toBe(204);
    expect(response.headers.get("allow")).toBe("GET, POST, DELETE, HEAD, OPTIONS");
    expect(raw.requests.length).toBe(before);
  });
});

describe("headers", () => {
  test.each([
    ["authorization: Bearer x", "authorization", "Bearer x"],
    ["cookie: a=b", "cookie", "a=b"],
    ["accept-encoding: br", "accept-encoding", "br"],
    ["x-other: 1", "x-other", "1"],
    ["x-request-id: from-outside", "x-request-id", "from-outside"],
    ["x-consumer-name: forged", "x-consumer-name", undefined],
    ["X-Consumer-Anything: forged", "x-consumer-anything", undefined],
    ["x-tollgate-secret: forged", "x-tollgate-secret", undefined],
    ["X_Consumer_Name: forged", "x_consumer_name", undefined],
    ["X-Consumer_Id: forged", "x-consumer_id", undefined],
    ["x_tollgate-secret: forged", "x_tollgate-secret", undefined],
    ["X_Forwarded_For: 1.2.3.4", "x_forwarded_for", undefined],
    ["x-forwarded_host: evil.example", "x-forwarded_host", undefined],
    ["X_Request_Id: forged", "x_request_id", undefined],
    ["Transfer_Encoding: chunked", "transfer_encoding", undefined],
    ["Content_Length: 5", "content_length", undefined],
    ["Proxy_Connection: keep-alive", "proxy_connection", undefined],
    ["connection: x-named\r\nX_Named: 1", "x_named", undefined],
    ["x_other: 1", "x_other", "1"],
    ["te: trailers", "te", undefined],
    ["keep-alive: 5", "keep-alive", undefined],
    ["proxy-authorization: Basic x", "proxy-authorization", undefined],
    ["proxy-connection: keep-alive", "proxy-connection", undefined],
    ["upgrade: h2c", "upgrade", undefined],
    ["trailer: x", "trailer", undefined],
    ["connection: x-named\r\nx-named: 1", "x-named", undefined],
    ["connection: x named, (\r\nx-other: 1", "x-other", "1"],
    ["x-forwarded-for: 1.2.3.4", "x-forwarded-for", "127.0.0.1"],
    ["x-none: 1", "x-forwarded-for", "127.0.0.1"],
    ["x-forwarded-proto: https", "x-forwarded-proto", "http"],
    ["x-forwarded-host: evil.example", "x-forwarded-host", host],
    ["x-forwarded-port: 22", "x-forwarded-port", undefined],
    ["X-Forwarded-User: admin", "x-forwarded-user", undefined],
    ["Forwarded: for=1.2.3.4;host=evil.example", "forwarded", undefined],
    ["X-Real-IP: 1.2.3.4", "x-real-ip", undefined],
    ["X_Real-IP: 1.2.3.4", "x_real-ip", undefined],
    ["True-Client-IP: 1.2.3.4", "true-client-ip", undefined],
    ["CF_Connecting_IP: 1.2.3.4", "cf_connecting_ip", undefined],
    ["X-Cluster-Client-IP: 1.2.3.4", "x-cluster-client-ip", undefined],
    ["Proxy: http://evil.example", "proxy", undefined],
    ["X-Original-URL: /admin", "x-original-url", undefined],
    ["X_Rewrite_Url: /admin", "x_rewrite_url", undefined],
    ["X-HTTP-Method-Override: DELETE", "x-http-method-override", undefined],
    ["Remote_User: root", "remote_user", undefined],
  ])("%s reaches the upstream as %s: %p", async (sent, name, arrived) => {
    await talk(gateway.port, rawRequest("GET", host, "/things/1", [sent]), (text) => text.endsWith("ok"));
    expect(lastRequest().headers.get(name)).toBe(arrived);
  });

  test("a route that lists a header forwards it, in its usual spelling", async () => {
    const sent = ["X-HTTP-Method-Override: DELETE", "X_HTTP_Method_Override: PUT", "X-Method-Override: PUT"];
    await talk(gateway.port, rawRequest("GET", host, "/listed", sent), (text) => text.includes("\r\n\r\n"));
    expect(lastRequest().headers.get("x-http-method-override")).toBe("DELETE");
    expect(lastRequest().headers.get("x_http_method_override")).toBeUndefined();
    expect(lastRequest().headers.get("x-method-override")).toBeUndefined();
  });

  test("the upstream is called by its own name, and gets the request id that the client gets", async () => {
    const response = await gateway.fetch("shop", "/things/1");
    expect(lastRequest().headers.get("host")).toBe(new URL(raw.url).host);
    expect(lastRequest().headers.get("x-request-id")).toBe(response.headers.get("x-request-id")!);
  });

  test("an invalid request id is replaced", async () => {
    await gateway.fetch("shop", "/things/1", { headers: { "x-request-id": "{not sane}" } });
    expect(lastRequest().headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("hop-by-hop headers of a response are dropped and the rest is kept", async () => {
    const { text } = await talk(gateway.port, rawRequest("GET", host, "/hops"), (got) => got.endsWith("hi"));
    for (const name of ["x-named", "keep-alive", "proxy-authenticate", "trailer", "upgrade", "connection"])
      expect(text.toLowerCase()).not.toContain(`\n${name}:`);
    expect(text).toContain("set-cookie: a=1\r\nset-cookie: b=2");
    expect(text).toContain("x-stays: 1");
  });

  test("responses without a body, redirects and compressed bodies pass as they are", async () => {
    expect((await gateway.fetch("shop", "/nothing")).status).toBe(204);
    const unchanged = await gateway.fetch("shop", "/unchanged");
    expect(unchanged.status).toBe(304);
    expect(unchanged.headers.get("etag")).toBe('"x"');
    const redirect = await gateway.fetch("shop", "/elsewhere");
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get("location")).toBe("https://other.example/x");
    const { text } = await talk(gateway.port, rawRequest("GET", host, "/packed"), (got) => got.endsWith("abcde"));
    expect(text).toContain("content-encoding: gzip");
  });

  test("Expect: 100-continue gets one 100", async () => {
    const head = rawRequest("POST", host, "/things/1", ["content-length: 2", "expect: 100-continue"]);
    let text = "";
    const socket = connect(gateway.port, "127.0.0.1", () => socket.write(head));
    socket.on("data", (piece) => {
      text += piece;
      if (text.endsWith("100 Continue\r\n\r\n")) socket.write("hi");
    });
    await until(() => text.endsWith("ok"), { what: "the response" });
    socket.destroy();
    expect(text.match(/100 Continue/g)).toHaveLength(1);
    expect(lastRequest().headers.has("expect")).toBe(false);
  });
});

describe("logging of requests", () => {
  test("an access line, a line of the server's log and the metrics", async () => {
    await gateway.fetch("shop", "/things/77", { headers: { "x-request-id": "seen" } });
    expect(gateway.requests.find(({ requestId }) => requestId === "seen")).toMatchObject({
      method: "GET",
      path: "/things/77",
      route: "/things/{id}",
      status: 200,
      durationMs: expect.any(Number),
    });
    const line = await until(
      () =>
        gateway.logLines
          .join("")
          .split("\n")
          .find((text) => text.includes('"seen"')),
      {},
    );
    expect(JSON.parse(line)).toMatchObject({ msg: "request", deployment: "shop", status: 200, path: "/things/77" });
    const metrics = gateway.metrics.text({ withNames: true });
    expect(metrics).toMatch(
      /tollgate_gateway_requests_total\{deployment="shop",route="\/things\/\{id\}",status="200"\} \d+/,
    );
    expect(metrics).toMatch(/tollgate_gateway_request_duration_seconds_count\{deployment="shop"\} \d+/);
  });

  test("unknown paths are one series, and keys in them are not shown", async () => {
    const key = "tg_0123456789abcdef0123456789abcdef_12345678";
    for (const path of ["/nowhere/1", "/nowhere/2", `/nowhere/${key}`]) await gateway.fetch("shop", path);
    const series = gateway.metrics
      .text({ withNames: true })
      .split("\n")
      .filter((line) => line.includes('status="404"'));
    expect(series).toHaveLength(1);
    expect(series[0]).toContain('route="unknown"');
    expect(JSON.stringify(gateway.requests)).not.toContain(key);
    expect(gateway.logLines.join("")).not.toContain(key);
  });

  test("why an upstream failed is logged for the owner, not sent to the client", async () => {
    const response = await gateway.fetch("shop", "/gone", { headers: { "x-request-id": "why" } });
    expect(await response.text()).not.toContain("ECONN");
    expect(gateway.requests.find(({ requestId }) => requestId === "why")).toMatchObject({
      code: "upstream_unavailable",
      error: expect.stringContaining("connect"),
      target: { kind: "upstream", attempts: 1 },
    });
  });
});
