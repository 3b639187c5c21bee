import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HttpHeaders } from "../src/platform/http1/message/headers.ts";
import { HttpResponse } from "../src/platform/http1/message/http-response.ts";
import { HttpServer } from "../src/platform/http1/server/http-server.ts";
import { TrustedProxies } from "../src/platform/http1/server/trusted-proxies.ts";
import { sqlite } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { Proxies } from "./support/proxies.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { startServer } from "./support/server.ts";

/** Responds with the client address and protocol that it determined. */
function serverTrusting(trusted: string[], proxyProtocol = false): HttpServer {
  return new HttpServer({
    address: { hostname: "127.0.0.1", port: 0 },
    now: () => 0,
    trustedProxies: new TrustedProxies(trusted),
    proxyProtocol,
    handle: ({ ip, forwarder }) =>
      new HttpResponse(200, new HttpHeaders(), JSON.stringify({ ip, protocol: forwarder?.protocol ?? null })),
    reject: ({ status, message }) => new HttpResponse(status, new HttpHeaders(), message),
    onError: () => new HttpResponse(500),
  });
}

let proxies: Proxies;
const servers: HttpServer[] = [];

beforeAll(async () => {
  proxies = await Proxies.open();
});
afterAll(async () => {
  await proxies.close();
  for (const server of servers) await server.stop(0);
});

function serve(trusted: string[], proxyProtocol = false): number {
  const server = serverTrusting(trusted, proxyProtocol);
  servers.push(server);
  return server.port;
}

const forged = { "x-forwarded-for": "198.51.100.1", "x-forwarded-proto": "https" };
const get = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`, { headers: forged }).then((response) => response.json());

describe("x-forwarded-for", () => {
  test("is ignored from a client", async () => {
    expect(await get(serve([]))).toEqual({ ip: "127.0.0.1", protocol: null });
    expect(await get(serve(["10.0.0.0/8"]))).toEqual({ ip: "127.0.0.1", protocol: null });
  });

  test("is trusted from nginx, read from the right: the client's entries are not", async () => {
    const replacing = await proxies.nginx(serve(["127.0.0.2"]), "$remote_addr");
    expect(await get(replacing)).toEqual({ ip: "127.0.0.1", protocol: null });
    // nginx, at 127.0.0.1, appends the address of its client, also 127.0.0.1, which is trusted: the next entry is the
    // client.
    const appending = await proxies.nginx(serve(["127.0.0.1"]), "$proxy_add_x_forwarded_for");
    expect(await get(appending)).toEqual({ ip: "198.51.100.1", protocol: "https" });
    const trusting = await proxies.nginx(serve(["127.0.0.1"]), "'198.51.100.1, 203.0.113.9'");
    expect(await get(trusting)).toEqual({ ip: "203.0.113.9", protocol: "https" });
  });
});

describe("the PROXY protocol", () => {
  test.each(["send-proxy", "send-proxy-v2"])("the PROXY protocol of HAProxy is read, by %s", async (send) => {
    const port = await proxies.haproxy(serve(["loopback"], true), send);
    const { text } = await talk(port, rawRequest("GET", "x", "/", ["connection: close"]), () => false);
    expect(text).toStartWith("HTTP/1.1 200");
    expect(text).toEndWith('{"ip":"127.0.0.1","protocol":null}');
  });

  const header = "PROXY TCP4 203.0.113.5 10.0.0.1 4711 80\r\n";
  const request = rawRequest("GET", "x", "/", ["x-forwarded-for: 198.51.100.1", "connection: close"]);

  test("names the client, whose own headers are ignored", async () => {
    const { text } = await talk(serve(["loopback"], true), header + request, () => false);
    expect(text).toEndWith('{"ip":"203.0.113.5","protocol":null}');
  });

  test("is required from trusted proxies and rejected from others", async () => {
    expect((await talk(serve(["loopback"], true), request, () => false)).text).toStartWith("HTTP/1.1 400");
    const strangers = serve(["10.0.0.0/8"], true);
    expect((await talk(strangers, header + request, () => false)).text).toStartWith("HTTP/1.1 400");
    expect((await talk(strangers, request, () => false)).text).toEndWith('{"ip":"127.0.0.1","protocol":null}');
    expect((await talk(serve(["loopback"]), header + request, () => false)).text).toStartWith("HTTP/1.1 400");
  });
});

describe("a listener for deployments, and a token for metrics", () => {
  test("each serves its own hosts, and both serve probes", async () => {
    const metricsToken = "metrics-token-of-the-tests-1a2b3c";
    const gatewayPort = await freePort();
    const environment = { TOLLGATE_GATEWAY_PORT: String(gatewayPort), TOLLGATE_METRICS_TOKEN: metricsToken };
    const server = await startServer(sqlite, { environment });
    const gateway = `http://127.0.0.1:${gatewayPort}`;
    const status = (url: string, headers = {}) => fetch(url, { headers }).then((response) => response.status);
    for (const url of [server.url, gateway])
      for (const path of ["/healthz", "/readyz"]) expect(await status(url + path)).toBe(200);
    expect(await status(`${server.url}/openapi.json`)).toBe(200);
    expect(await status(`${gateway}/openapi.json`)).toBe(404);
    expect(await status(`${gateway}/v1/accounts`)).toBe(404);
    const missing = await fetch(gateway, { headers: { host: "nothing.localhost" } });
    expect(await missing.json()).toMatchObject({ code: "deployment_not_found" });
    const elsewhere = await fetch(`${server.url}/v1/x`, { headers: { host: "nothing.localhost" } });
    expect(await elsewhere.json()).not.toMatchObject({ code: "deployment_not_found" });
    expect(await status(`${server.url}/metrics`)).toBe(200);
    const unauthenticated = await fetch(`${server.url}/metrics`, { headers: { authorization: "Bearer wrong" } });
    expect(unauthenticated.status).toBe(401);
    expect(await unauthenticated.json()).toMatchObject({ detail: expect.stringContaining("TOLLGATE_METRICS_TOKEN") });
    expect(await status(`${server.url}/metrics`, { authorization: `Bearer ${metricsToken}` })).toBe(200);
    expect(await status(`${gateway}/metrics`, { authorization: `Bearer ${metricsToken}` })).toBe(404);
    await talk(Number(new URL(server.url).port), "not HTTP\r\n\r\n", () => false);
    const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    expect(await metrics.text()).toContain('tollgate_invalid_requests_total{status="400"} 1');
    await server.stop();
    await eventually(() => server.log).toContain('"msg":"invalid request"');
  });
});
