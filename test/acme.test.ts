import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { makeCertificate } from "./support/certificates.ts";
import { eachEngine } from "./support/engines.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { freePort } from "./support/free-port.ts";
import { Pebble } from "./support/pebble.ts";
import { deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const tls = { rejectUnauthorized: false };

eachEngine((engine) => {
  let folder: TemporaryFolder;
  let pebble: Pebble;
  let server: TestServer;
  let production: string;
  let preview: string;
  let covered: string;
  const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("served") });

  beforeAll(async () => {
    folder = await temporaryFolder("acme");
    const httpPort = await freePort();
    pebble = await Pebble.start(httpPort);
    const file = (name: string) => join(folder.path, name);
    writeFileSync(file("ca.pem"), pebble.authority);
    server = await startServer(engine, {
      clock: new FakeClock(new Date().toISOString()),
      environment: {
        TOLLGATE_PUBLIC_URL: "https://manage.example.com",
        TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com",
        TOLLGATE_EGRESS: "any",
      },
    });
    const files = { "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: upstream.url.origin } } }) };
    const place = async (project: string, branch: string) =>
      `${(await deploy(server, { project, branch }, files)).name}.apis.example.com`;
    production = await place("shop", "main");
    preview = await place("shop", "try");
    covered = await place("covered", "main");
    const { certificate, key } = makeCertificate([covered]);
    writeFileSync(file("covered.crt"), certificate);
    writeFileSync(file("covered.key"), key);
    await server.restart({
      TOLLGATE_TLS_CERT: file("covered.crt"),
      TOLLGATE_TLS_KEY: file("covered.key"),
      TOLLGATE_HTTP_PORT: String(httpPort),
      TOLLGATE_ACME: "on",
      TOLLGATE_ACME_EMAIL: "ops@example.com",
      TOLLGATE_ACME_DIRECTORY: pebble.directory,
      TOLLGATE_ACME_CA: file("ca.pem"),
    });
  });
  afterAll(async () => {
    await server?.stop();
    await pebble?.stop();
    await upstream.stop(true);
    await folder.remove();
  });

  /** The issuer and the names of the certificate that a client gets for a name. */
  function presented(servername: string): Promise<{ issuer: string; names: string }> {
    return new Promise((resolve, reject) => {
      const port = Number(new URL(server.url).port);
      const socket = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false }, () => {
        const { issuer, subjectaltname } = socket.getPeerCertificate();
        resolve({ issuer: String(issuer.CN), names: String(subjectaltname) });
        socket.destroy();
      });
      socket.on("error", reject);
    });
  }

  test("the public host and production deployments get their own certificates", async () => {
    for (const host of ["manage.example.com", production])
      await until(async () => (await presented(host)).names === `DNS:${host}`, { what: () => server.log });
    expect((await presented(production)).issuer).toStartWith("Pebble Intermediate CA");
    const response = await fetch(`${server.url}/a`, { tls, headers: { host: production } });
    expect(await response.text()).toBe("served");
  });

  test("previews and hosts with a certificate from files get no ACME certificate", async () => {
    const fromFile = { issuer: covered, names: `DNS:${covered}` };
    expect(await presented(covered)).toEqual(fromFile);
    // The first file is the default.
    expect(await presented(preview)).toEqual(fromFile);
    expect(pebble.orders).toBe(2);
  });

  test("the certificate of a deleted deployment is removed", async () => {
    const name = production.split(".")[0]!;
    const response = await fetch(`${server.url}/v1/deployments/${name}`, {
      method: "DELETE",
      tls,
      headers: { host: "manage.example.com", authorization: `Bearer ${adminToken}` },
    });
    expect(response.status).toBe(204);
    await until(async () => (await presented(production)).names === `DNS:${covered}`);
  });

  test("a restart serves existing certificates at once", async () => {
    await server.restart();
    expect((await presented("manage.example.com")).names).toBe("DNS:manage.example.com");
    expect(pebble.orders).toBe(2);
  });
});
