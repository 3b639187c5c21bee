import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import type { ClientResponse } from "./support/client.ts";
import { domainsPath, useDns } from "./support/domains.ts";
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
  const { dns, environment } = useDns({
    TOLLGATE_PUBLIC_URL: "https://manage.example.com",
    TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com",
    TOLLGATE_EGRESS: "any",
  });
  const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("served") });
  let folder: TemporaryFolder;
  let pebble: Pebble;
  let server: TestServer;
  let deploymentName: string;

  beforeAll(async () => {
    folder = await temporaryFolder("domain-certificates");
    const httpPort = await freePort();
    pebble = await Pebble.start(httpPort);
    const authority = join(folder.path, "ca.pem");
    writeFileSync(authority, pebble.authority);
    server = await startServer(engine, { clock: new FakeClock(new Date().toISOString()), environment });
    const files = { "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: upstream.url.origin } } }) };
    deploymentName = (await deploy(server, { project: "shop", branch: "main" }, files)).name;
    await server.restart({
      TOLLGATE_HTTP_PORT: String(httpPort),
      TOLLGATE_ACME: "on",
      TOLLGATE_ACME_EMAIL: "ops@example.com",
      TOLLGATE_ACME_DIRECTORY: pebble.directory,
      TOLLGATE_ACME_CA: authority,
    });
  });
  afterAll(async () => {
    await server?.stop();
    await pebble?.stop();
    await upstream.stop(true);
    await folder.remove();
  });

  /** Accepts a certificate that no system trusts. */
  async function manage(method: string, path: string, body?: object): Promise<ClientResponse["body"]> {
    const response = await fetch(server.url + path, {
      method,
      tls,
      headers: { host: "manage.example.com", authorization: `Bearer ${adminToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBeOneOf([200, 204]);
    return response.status === 204 ? undefined : response.json();
  }

  /** The names of the certificate that a client gets; empty if the handshake fails. */
  function namesFor(servername: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      const port = Number(new URL(server.url).port);
      const socket = connect({ port, host: "127.0.0.1", servername, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().subjectaltname);
        socket.destroy();
      });
      socket.on("error", () => resolve(undefined));
    });
  }

  test("a verified domain gets a certificate, shows why an order failed, and loses it when it is deleted", async () => {
    const host = "api.acme.example";
    await until(async () => (await namesFor("manage.example.com")) === "DNS:manage.example.com");
    const domain = await manage("POST", domainsPath(), { host, deploymentName });
    const path = `${domainsPath()}/${domain.id}`;
    await until(async () => (await manage("GET", path)).checkedOn !== undefined);
    expect(await namesFor(host)).toBe("DNS:manage.example.com");
    expect((await manage("GET", path)).certificate).toBeNull();

    pebble.trouble = { status: 403 };
    for (const { type, name, value } of domain.dns) dns.add(type, name, value);
    server.clock.advance(5_001);
    await manage("POST", `${path}/check`, {});
    const failed = "The last order for a certificate failed: The authority returned 403";
    await until(async () => (await manage("GET", path)).message === failed, { what: () => server.log });
    expect(await manage("GET", path)).toMatchObject({ status: "active", certificate: null });

    pebble.trouble = undefined;
    server.clock.advance(60_001);
    // Due certificates are ordered every half minute and at start.
    await server.restart();
    await until(async () => (await namesFor(host)) === `DNS:${host}`, { what: () => server.log });
    const { certificate, message } = await manage("GET", path);
    expect(message).toBeUndefined();
    expect(certificate.issuer).toStartWith("Pebble Intermediate CA");
    expect(Date.parse(certificate.expiresOn)).toBeGreaterThan(server.clock.now());
    const response = await fetch(`${server.url}/a`, { tls, headers: { host } });
    expect(await response.text()).toBe("served");
    // HSTS for a customer's host is the customer's decision.
    expect(response.headers.get("strict-transport-security")).toBeNull();

    await manage("DELETE", path);
    expect((await fetch(`${server.url}/a`, { tls, headers: { host } })).status).toBe(421);
    await until(async () => (await namesFor(host)) === "DNS:manage.example.com");
  });
});
