import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { activeDomain, useDns } from "./support/domains.ts";
import { type Database, postgres } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { freePort } from "./support/free-port.ts";
import { failIfAnythingRuns } from "./support/left-running.ts";
import { authorizationIn, OAuthPortal, type Tokens } from "./support/oauth.ts";
import { Pebble } from "./support/pebble.ts";
import { PostgresProxy } from "./support/postgres-proxy.ts";
import { deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const host = "api.acme.example";
const tls = { rejectUnauthorized: false };
const { dns, environment } = useDns({
  TOLLGATE_PUBLIC_URL: "https://manage.example.com",
  TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com",
  TOLLGATE_PORTAL_URL: "https://{name}.portals.example.com",
  TOLLGATE_EGRESS: "any",
});

let folder: TemporaryFolder;
let database: Database;
let proxy: PostgresProxy;
let upstream: ReturnType<typeof Bun.serve>;
let pebble: Pebble;
let server: TestServer;
let portal: OAuthPortal;
let tokens: Tokens;

beforeAll(async () => {
  folder = await temporaryFolder("start-with-domains");
  database = await postgres.migratedDatabase();
  proxy = await PostgresProxy.start(database.environment.DATABASE_URL!);
  upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("served") });
  server = await startServer(postgres, {
    // The authority and certificates have the real time.
    clock: new FakeClock(new Date().toISOString()),
    database: { environment: { ...database.environment, DATABASE_URL: proxy.url }, drop: async () => {} },
    environment: { ...environment, TOLLGATE_COPY_DIR: folder.path, TOLLGATE_STALE_SECONDS: "3600" },
  });
  portal = new OAuthPortal(server);
  const deployed = await deploy(
    server,
    { project: "shop", branch: "main" },
    {
      "openapi.json": openApi({ "/a": { "x-tollgate": { policies: ["oauth"] } } }),
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: { oauth: { type: "oauth", options: { bucket: "main" } } },
      },
    },
  );
  portal.deployment = deployed.name;
  await portal.newCustomer("acme");
  await portal.set();
  await activeDomain(server, dns, { host, deploymentName: deployed.name });
  tokens = await portal.tokens(await portal.browser("acme"), { resource: deployed.url });
});

beforeAll(async () => {
  const httpPort = await freePort();
  pebble = await Pebble.start(httpPort);
  const authority = join(folder.path, "ca.pem");
  writeFileSync(authority, pebble.authority);
  await server.restart({
    TOLLGATE_HTTP_PORT: String(httpPort),
    TOLLGATE_ACME: "on",
    TOLLGATE_ACME_EMAIL: "ops@example.com",
    TOLLGATE_ACME_DIRECTORY: pebble.directory,
    TOLLGATE_ACME_CA: authority,
  });
  // Requests to 127.0.0.1 get that of the server itself.
  for (const name of ["manage.example.com", host])
    await until(async () => (await certificate(name)) === `DNS:${name}`, { what: () => server.log });
});

afterAll(async () => {
  await server?.stop();
  await pebble?.stop();
  await proxy?.stop();
  await database?.drop();
  await upstream?.stop(true);
  await folder?.remove();
  failIfAnythingRuns();
});

function call(token: string): Promise<Response> {
  const headers = { host, authorization: `Bearer ${token}` };
  return fetch(`${server.url}/a`, { tls, headers });
}

/** The names of the certificate that a client gets. */
function certificate(servername = host): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const port = Number(new URL(server.url).port);
  const socket = connect({ port, host: "127.0.0.1", servername, ...tls }, () => {
    resolve(socket.getPeerCertificate().subjectaltname);
    socket.destroy();
  });
  socket.on("error", () => resolve(undefined));
  return promise;
}

test("a node that starts without storage has the certificates of domains, and accepts tokens", async () => {
  expect((await call(tokens.access_token)).status).toBe(200);
  const orderedOn = Date.now();
  const isCopied = async () => {
    await server.runTasks();
    return (statSync(join(folder.path, "storage.copy"), { throwIfNoEntry: false })?.mtimeMs ?? 0) > orderedOn;
  };
  await until(isCopied, { what: "a copy" });

  proxy.leadTo(`postgres://127.0.0.1:${await freePort()}${new URL(proxy.url).pathname}`);
  proxy.cut();
  await server.halt();
  await server.start();

  expect(await certificate()).toBe(`DNS:${host}`);
  const served = await call(tokens.access_token);
  expect(await served.text()).toBe("served");
  // The signature is that of another token.
  const foreign = tokens.access_token.replace(/\.[^.]*$/, `.${"A".repeat(86)}`);
  expect((await call(foreign)).status).toBe(401);

  proxy.leadTo(database.environment.DATABASE_URL!);
  await eventually(async () => (await fetch(`${server.url}/storagez`, { tls })).status).toBe(200);
  const ended = await fetch(`${server.url}${portal.path}/authorizations/${authorizationIn(tokens)}`, {
    method: "DELETE",
    tls,
    headers: { host: "manage.example.com", authorization: `Bearer ${adminToken}` },
  });
  expect(ended.status).toBe(204);
  await eventually(async () => (await call(tokens.access_token)).status).toBe(401);
});
