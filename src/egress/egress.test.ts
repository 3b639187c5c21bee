import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { Egress, EgressRefused } from "./egress.ts";

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) =>
    request.url.endsWith("/away")
      ? Response.redirect("http://127.0.0.1:1/")
      : new Response(request.headers.get("host")),
});
afterAll(() => server.stop(true));

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
])("mode public refuses %s", async (url) => {
  const egress = new Egress("public");
  await expect(egress.fetch(url, {})).rejects.toThrow(EgressRefused);
  await expect(egress.resolve(url)).rejects.toThrow(/TOLLGATE_EGRESS/);
});

test("mode any reaches loopback, but no files", async () => {
  const egress = new Egress("any");
  expect(await (await egress.fetch(server.url.href, {})).text()).toBe(server.url.host);
  await expect(egress.fetch("file:///etc/hostname", {})).rejects.toThrow(EgressRefused);
});

test("one address that is not public refuses the name", async () => {
  const egress = new Egress("public", { addresses: async () => ["93.184.216.34", "10.0.0.1"] });
  await expect(egress.resolve("http://mixed.example/")).rejects.toThrow("mixed.example is not a public address");
});

test("the name is looked up once: what is checked is what is connected to", async () => {
  let lookups = 0;
  const rebinding = { addresses: async () => (lookups++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]) };
  const egress = new Egress("public", rebinding, (address) => address === "127.0.0.1");
  const answer = await egress.fetch(`http://api.test:${server.port}/`, {});
  expect(await answer.text()).toBe(`api.test:${server.port}`);
  expect(lookups).toBe(1);
});

test("a redirect is handed on, not followed", async () => {
  const answer = await new Egress("any").fetch(`${server.url}away`, {});
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe("http://127.0.0.1:1/");
});

test("resolve says what to connect to and as whom", async () => {
  const egress = new Egress("public", { addresses: async () => ["2606:4700::1111"] });
  expect(await egress.resolve("wss://api.test:8443/path?q=1")).toEqual({
    url: "wss://[2606:4700::1111]:8443/path?q=1",
    headers: { host: "api.test:8443" },
    tls: { serverName: "api.test" },
  });
});

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("certificates");
});
afterAll(() => folder.remove());

test("a certificate must be that of the name, though the connection goes to an address", async () => {
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
    const answer = await egress.fetch(`https://api.test:${secure.port}/`, { tls: { ca } });
    expect(await answer.text()).toBe("over TLS");
    const other = egress.fetch(`https://other.test:${secure.port}/`, { tls: { ca } });
    await expect(other).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
    await expect(egress.fetch(`https://api.test:${secure.port}/`, {})).rejects.toThrow();
  } finally {
    await secure.stop(true);
  }
});

async function openssl(...options: string[]): Promise<void> {
  const child = Bun.spawn(["openssl", ...options], { stdout: "ignore", stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}
