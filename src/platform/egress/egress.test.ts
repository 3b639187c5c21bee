import { afterAll, beforeAll, expect, test } from "bun:test";
import { hostname } from "node:os";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { HttpClient } from "../http1/client/http-client.ts";
import { HttpHeaders } from "../http1/message/headers.ts";
import type { HttpResponse } from "../http1/message/http-response.ts";
import { Egress, type EgressAddress, EgressDenied } from "./egress.ts";

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) =>
    request.url.endsWith("/away")
      ? Response.redirect("http://127.0.0.1:1/")
      : new Response(request.headers.get("host")),
});
afterAll(() => server.stop(true));

const client = new HttpClient();
afterAll(() => client.close());

/** Sends a request to the server that the egress resolves. `ca` is trusted in addition to the default certificates. */
async function get(egress: Egress, url: string, ca?: string): Promise<HttpResponse> {
  const { origin } = await egress.locate(new URL(url).origin);
  const connect =
    "tls" in origin.connect && origin.connect.tls && ca
      ? { ...origin.connect, tls: { ...origin.connect.tls, ca } }
      : origin.connect;
  return client.request({
    origin: { ...origin, key: `${origin.key} ${ca}`, connect },
    method: "GET",
    target: new URL(url).pathname,
    headers: new HttpHeaders(),
    body: undefined,
  }).response;
}

const toLoopback = { addresses: async () => ["127.0.0.1"] };

test.each([
  "http://localhost/",
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://169.254.169.254/latest/meta-data",
  "ws://localhost/",
  "file:///etc/passwd",
])("mode public rejects %s", async (url) => {
  const locating = (async () => new Egress("public").locate(url))();
  await expect(locating).rejects.toThrow(EgressDenied);
  await expect(locating).rejects.toThrow(/TOLLGATE_EGRESS/);
});

test("mode any allows loopback, but no files", async () => {
  const egress = new Egress("any");
  expect(await (await get(egress, server.url.href)).text()).toBe(server.url.host);
  expect(() => egress.locate("file:///etc/hostname")).toThrow(EgressDenied);
});

test.each([
  "http://169.254.169.254/latest/meta-data",
  "http://[::ffff:169.254.169.254]/",
  "http://[fe80::1]/",
  "http://[fd00:ec2::254]/",
  "http://0xa9fea9fe/",
])("mode any rejects %s too", (url) => {
  expect(() => new Egress("any").locate(url)).toThrow(/link-local or metadata/);
});

test("mode any rejects a name that resolves to metadata, and connects to the address that was checked", async () => {
  const names: Record<string, string[]> = { "meta.test": ["10.0.0.1", "169.254.169.254"], "api.test": ["127.0.0.1"] };
  const egress = new Egress("any", { addresses: async (name) => names[name] ?? [] });
  await expect((async () => egress.locate("http://meta.test/"))()).rejects.toThrow(EgressDenied);
  const response = await get(egress, `http://api.test:${server.port}/`);
  expect(await response.text()).toBe(`api.test:${server.port}`);
});

test("a cached name is resolved synchronously", async () => {
  const egress = new Egress("any");
  // The egress does not treat this name as localhost, but the system resolves it to loopback.
  const url = `http://${hostname()}/`;
  const first = await egress.locate(url);
  expect(egress.locate(url)).toBe(first);
});

test("one address that is not public rejects the name", async () => {
  const egress = new Egress("public", { addresses: async () => ["93.184.216.34", "10.0.0.1"] });
  await expect(egress.locate("http://mixed.example/") as Promise<EgressAddress>).rejects.toThrow(
    "mixed.example is not a public address",
  );
});

test("the name is looked up once: the connection goes to the address that was checked", async () => {
  let lookups = 0;
  const rebinding = { addresses: async () => (lookups++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]) };
  const egress = new Egress("public", rebinding, (address) => address === "127.0.0.1");
  const response = await get(egress, `http://api.test:${server.port}/`);
  expect(await response.text()).toBe(`api.test:${server.port}`);
  expect(lookups).toBe(1);
});

test("a redirect is returned, not followed", async () => {
  const response = await get(new Egress("any"), `${server.url}away`);
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe("http://127.0.0.1:1/");
});

test("it locates the address to connect to and the name to send", async () => {
  const egress = new Egress("public", { addresses: async () => ["2606:4700::1111"] });
  expect(await egress.locate("https://api.test:8443/base/")).toEqual({
    origin: {
      key: "https://api.test:8443 at 2606:4700::1111",
      host: "api.test:8443",
      connect: {
        hostname: "2606:4700::1111",
        addresses: ["2606:4700::1111"],
        port: 8443,
        tls: { serverName: "api.test" },
      },
    },
    basePath: "/base",
  });
});

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("certificates");
});
afterAll(() => folder.remove());

test("the certificate must match the name, though the connection goes to an address", async () => {
  const file = (name: string) => join(folder.path, name);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await Bun.write(file("names"), "subjectAltName=DNS:api.test");
  await openssl("req", "-x509", ...newKey, "-keyout", file("ca.key"), "-out", file("ca.pem"), "-subj", "/CN=Test CA");
  await openssl("req", ...newKey, "-keyout", file("key"), "-out", file("request"), "-subj", "/CN=api.test");
  const signing = ["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial", "-extfile", file("names")];
  await openssl("x509", "-req", "-in", file("request"), "-out", file("pem"), "-days", "2", ...signing);
  const tls = { key: Bun.file(file("key")), cert: Bun.file(file("pem")) };
  const secure = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("over TLS") });
  try {
    const ca = await Bun.file(file("ca.pem")).text();
    const egress = new Egress("public", toLoopback, () => true);
    const response = await get(egress, `https://api.test:${secure.port}/`, ca);
    expect(await response.text()).toBe("over TLS");
    const other = get(egress, `https://other.test:${secure.port}/`, ca);
    await expect(other).rejects.toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    const untrusted = get(egress, `https://api.test:${secure.port}/`);
    await expect(untrusted).rejects.toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  } finally {
    await secure.stop(true);
  }
});

async function openssl(...options: string[]): Promise<void> {
  const child = Bun.spawn(["openssl", ...options], { stdout: "ignore", stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}
