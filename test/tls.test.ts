import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { makeCertificate } from "./support/certificates.ts";
import { sqlite } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const tls = { rejectUnauthorized: false };
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request, own) => (own.upgrade(request) ? undefined : Response.json({ headers: request.headers })),
  websocket: { message: (socket, message) => void socket.send(message) },
});
let folder: TemporaryFolder;
let server: TestServer;
let httpPort: number;
let deploymentName: string;

const file = (name: string) => join(folder.path, name);

/** The server's clock is fixed, and certificates are valid from the second of their creation. */
const setClockToNow = () => server.clock.set(new Date().toISOString());

/** Replaces the files like certificate managers: each atomically, one after the other. */
function install(name: string, names: string[]): void {
  const { certificate, key } = makeCertificate(names);
  for (const [path, text] of [
    [file(`${name}.crt`), certificate],
    [file(`${name}.key`), key],
  ] as const) {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }
}

beforeAll(async () => {
  folder = await temporaryFolder("tls");
  install("main", ["manage.example.com", "127.0.0.1"]);
  install("wildcard", ["*.api.example.com"]);
  install("exact", ["own.api.example.com"]);
  httpPort = await freePort();
  server = await startServer(sqlite, {
    environment: {
      TOLLGATE_PUBLIC_URL: "https://manage.example.com",
      TOLLGATE_GATEWAY_URL: "https://{name}.api.example.com:8443",
      TOLLGATE_EGRESS: "any",
    },
  });
  const files = { "openapi.json": openApi({ "/echo": { "x-tollgate": { upstream: upstream.url.origin } } }) };
  ({ name: deploymentName } = await deploy(server, { project: "shop", branch: "main" }, files));
  await server.restart({
    TOLLGATE_TLS_CERT: ["main.crt", "wildcard.crt", "exact.crt"].map(file).join(", "),
    TOLLGATE_TLS_KEY: ["main.key", "wildcard.key", "exact.key"].map(file).join(", "),
    TOLLGATE_HTTP_PORT: String(httpPort),
  });
});
afterAll(async () => {
  await server?.stop();
  upstream.stop(true);
  await folder.remove();
});

const call = (host: string, path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { ...init, redirect: "manual", tls, headers: { host, ...init.headers } });

/** The name in the certificate that a client gets for a name. */
function presented(servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const port = Number(new URL(server.url).port);
    const socket = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subjectaltname));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

/** The status of a request with different hosts in the handshake and in the Host header. */
function statusOf(servername: string, host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const port = Number(new URL(server.url).port);
    const socket = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false }, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`),
    );
    let text = "";
    socket.on("data", (piece) => (text += piece));
    socket.on("close", () => resolve(Number(text.split(" ")[1])));
    socket.on("error", reject);
  });
}

describe("the names of the handshake and of the Host header", () => {
  const deployed = () => `${deploymentName}.api.example.com`;
  const ports = ":8443";

  test("must be the same host if both are ours", async () => {
    expect(await statusOf("manage.example.com", deployed(), "/echo")).toBe(421);
    expect(await statusOf(deployed(), "manage.example.com", "/healthz")).toBe(421);
    expect(await statusOf(deployed(), "127.0.0.1", "/healthz")).toBe(421);
    expect(await statusOf("other.api.example.com", deployed(), "/echo")).toBe(421);
  });

  test("may differ in case, dot and port, and by names that are not ours", async () => {
    expect(await statusOf(deployed(), `${deployed().toUpperCase()}.${ports}`, "/echo")).toBe(200);
    expect(await statusOf("", deployed(), "/echo")).toBe(200);
    expect(await statusOf("balancer.internal", deployed(), "/echo")).toBe(200);
  });

  test("may differ behind a trusted proxy, which uses its own name", async () => {
    await server.restart({ TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" });
    try {
      expect(await statusOf("manage.example.com", deployed(), "/echo")).toBe(200);
      expect(await statusOf(deployed(), "manage.example.com", "/healthz")).toBe(200);
    } finally {
      await server.restart({ TOLLGATE_TRUSTED_PROXIES: "" });
    }
    expect(await statusOf("manage.example.com", deployed(), "/echo")).toBe(421);
  });
});

describe("certificates from files", () => {
  test.each([
    ["manage.example.com", "DNS:manage.example.com, IP Address:127.0.0.1"],
    ["shop.api.example.com", "DNS:*.api.example.com"],
    ["own.api.example.com", "DNS:own.api.example.com"],
    ["elsewhere.example.com", "DNS:manage.example.com, IP Address:127.0.0.1"],
    ["", "DNS:manage.example.com, IP Address:127.0.0.1"],
  ])("%p gets that of %p", async (name, expected) => {
    expect(await presented(name)).toBe(expected);
  });

  test("are reloaded when they change, and open connections are kept", async () => {
    const port = Number(new URL(server.url).port);
    const servername = `${deploymentName}.api.example.com`;
    const kept = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false });
    await new Promise((resolve) => kept.once("secureConnect", resolve));
    install("wildcard", ["*.api.example.com", "*.new.example.com"]);
    setClockToNow();
    await until(
      async () => (await presented("x.new.example.com")) === "DNS:*.api.example.com, DNS:*.new.example.com",
      {},
    );
    expect(await presented("manage.example.com")).toStartWith("DNS:manage.example.com");
    kept.write(`GET /echo HTTP/1.1\r\nhost: ${servername}\r\nconnection: close\r\n\r\n`);
    let text = "";
    kept.on("data", (piece) => (text += piece));
    await new Promise((resolve) => kept.once("close", resolve));
    expect(text).toStartWith("HTTP/1.1 200");
    await until(() => server.log.includes('"msg":"certificate loaded"'), { what: "the log line" });
  });

  test("are not replaced by files that do not match", async () => {
    const before = await presented("a.new.example.com");
    const { certificate } = makeCertificate(["*.new.example.com"]);
    writeFileSync(file("wildcard.crt"), certificate);
    const reason = `${file("wildcard.key")} does not match the certificate of *.new.example.com`;
    await until(() => server.log.includes(reason));
    await eventually(() => server.log).toContain("the certificate was not replaced");
    expect(await presented("a.new.example.com")).toBe(before);
    install("wildcard", ["*.api.example.com"]);
    setClockToNow();
    await until(async () => (await presented("b.api.example.com")) === "DNS:*.api.example.com");
  });

  test("are not replaced by a certificate that has expired", async () => {
    const expired = makeCertificate(["*.api.example.com", "expired.example.com"], -1);
    writeFileSync(file("wildcard.key"), expired.key);
    writeFileSync(file("wildcard.crt"), expired.certificate);
    await until(() => server.log.includes(`${file("wildcard.crt")} expired on `));
    expect(await presented("b.api.example.com")).toBe("DNS:*.api.example.com");
    install("wildcard", ["*.api.example.com"]);
    setClockToNow();
  });

  test("are not replaced by a certificate that is not valid yet until it is", async () => {
    const names = ["*.api.example.com", "next.example.com"];
    server.clock.set(new Date(Date.now() - 24 * 60 * 60_000).toISOString());
    install("wildcard", names);
    await until(() => server.log.includes(`${file("wildcard.crt")} is not valid before `), { what: "the log line" });
    expect(await presented("b.api.example.com")).toBe("DNS:*.api.example.com");
    setClockToNow();
    await until(async () => (await presented("b.api.example.com")) === "DNS:*.api.example.com, DNS:next.example.com");
  });

  test("are in the metrics, with handshakes", async () => {
    await expect(presentedWith("TLSv1.1")).rejects.toThrow();
    const text = await (await call("manage.example.com", "/metrics")).text();
    expect(text).toMatch(/tollgate_certificate_expiry_timestamp_seconds \d{10}/);
    expect(text).not.toContain("manage.example.com");
    expect(text).toMatch(/tollgate_tls_handshakes_total\{outcome="completed"\} [1-9]/);
    expect(text).toMatch(/tollgate_tls_handshakes_total\{outcome="failed"\} [1-9]/);
  });
});

function presentedWith(maxVersion: "TLSv1.1"): Promise<void> {
  return new Promise((resolve, reject) => {
    const port = Number(new URL(server.url).port);
    connect({ port, host: "127.0.0.1", rejectUnauthorized: false, minVersion: maxVersion, maxVersion }, resolve).on(
      "error",
      reject,
    );
  });
}

describe("behind TLS", () => {
  test("upstreams get the protocol https, whatever the client's headers claim", async () => {
    const response = await call(`${deploymentName}.api.example.com`, "/echo", {
      headers: { "x-forwarded-proto": "http" },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ headers: { "x-forwarded-proto": "https" } });
  });

  test("HSTS is set only for the management API, and not for loopback names", async () => {
    const hsts = async (host: string, path: string) =>
      (await call(host, path)).headers.get("strict-transport-security");
    expect(await hsts("manage.example.com", "/healthz")).toBe("max-age=31536000");
    expect(await hsts("manage.example.com", "/v1/who-am-i")).toBe("max-age=31536000");
    expect(await hsts("manage.example.com", "/console")).toBe("max-age=31536000");
    expect(await hsts("localhost", "/healthz")).toBeNull();
    expect(await hsts(`${deploymentName}.api.example.com`, "/echo")).toBeNull();
    expect(await hsts(`${deploymentName}.api.example.com`, "/missing")).toBeNull();
  });

  test("WebSockets pass", async () => {
    const socket = new WebSocket(`${server.url.replace("https", "wss")}/echo`, {
      headers: { host: `${deploymentName}.api.example.com` },
      tls,
    });
    const large = "message".repeat(100_000);
    const received = new Promise((resolve, reject) => {
      socket.onopen = () => socket.send(large);
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = reject;
    });
    expect(await received).toBe(large);
    socket.close();
  });

  test("sessions have a Secure cookie", async () => {
    const response = await call("manage.example.com", "/v1/sessions", {
      method: "POST",
      headers: { origin: "https://manage.example.com", "content-type": "application/json" },
      body: JSON.stringify({ token: adminToken }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("set-cookie")).toMatch(/^__Host-tollgate=.*; Secure/);
  });

  test("plain HTTP at the TLS port gets an error that names https", async () => {
    const response = await fetch(server.url.replace("https:", "http:"));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: "Invalid HTTP request: this port requires TLS: use https." });
  });
});

describe("the plain HTTP port", () => {
  const plain = (host: string, path: string, method = "GET") =>
    fetch(`http://127.0.0.1:${httpPort}${path}`, { method, headers: { host }, redirect: "manual" });

  test.each([
    ["manage.example.com", "/console?a=1", "https://manage.example.com/console?a=1"],
    ["MANAGE.example.com:80", "/", "https://manage.example.com/"],
    ["shop.api.example.com", "/a", "https://shop.api.example.com:8443/a"],
    ["own.customer.com", "/a", "https://own.customer.com:8443/a"],
  ])("redirects %s%s", async (host, path, location) => {
    for (const method of ["GET", "POST"]) {
      const response = await plain(host, path, method);
      expect(response.status).toBe(308);
      expect(response.headers.get("location")).toBe(location);
      expect(response.headers.get("strict-transport-security")).toBeNull();
    }
  });

  test("serves probes, returns 404 for unknown challenges, and does not redirect to an invalid host", async () => {
    expect((await plain("x", "/healthz")).status).toBe(200);
    expect((await plain("x", "/readyz")).status).toBe(200);
    expect((await plain("x", "/.well-known/acme-challenge/abc")).status).toBe(404);
    expect((await plain("a@b", "/")).status).toBe(400);
  });
});
