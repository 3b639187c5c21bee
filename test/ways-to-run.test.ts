import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { connect } from "node:tls";
import { makeCertificate } from "./support/certificates.ts";
import { sqlite } from "./support/engines.ts";
import { findProxy } from "./support/find-proxy.ts";
import { freePort } from "./support/free-port.ts";
import { commandsIn } from "./support/pasted-commands.ts";
import { Pebble } from "./support/pebble.ts";
import { deploy, openApi } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const root = join(import.meta.dir, "..");
const management = "tollgate.example.com";

let folder: TemporaryFolder;
let programs: Bun.Subprocess[];
beforeEach(async () => {
  folder = await temporaryFolder("ways");
  programs = [];
});
afterEach(async () => {
  for (const program of programs) {
    program.kill("SIGKILL");
    await program.exited;
  }
  await folder.remove();
});

function run(command: string[], environment: Record<string, string> = {}): Bun.Subprocess<"ignore", "pipe", "pipe"> {
  const program = Bun.spawn(command, {
    cwd: folder.path,
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder.path, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  programs.push(program);
  return program;
}

/** The commands of a section of docs/operating.md. */
function commandsOf(section: string): string[] {
  const text = readFileSync(join(root, "docs/operating.md"), "utf8");
  const [, body] = text.split(`\n### ${section}\n`);
  const [own] = body!.split(/\n##+ /);
  return commandsIn(own!);
}

/** Runs commands as pasted, except for ports and system folders that this machine may already use. */
function runPasted(commands: string, ports: Record<string, number>, environment: Record<string, string> = {}) {
  let script = commands.replaceAll("/etc/tollgate/tls", folder.path).replace("HOST=0.0.0.0", "HOST=127.0.0.1");
  for (const [pasted, port] of Object.entries(ports)) script = script.replace(`PORT=${pasted} `, `PORT=${port} `);
  const tollgate = `tollgate() { exec "${process.execPath}" "${join(root, "src/main.ts")}" "$@"; }`;
  return run(["bash", "-e", "-c", `${tollgate}\n${script}`], { TOLLGATE_ADMIN_TOKEN: adminToken, ...environment });
}

/** Verifies the certificate for the host, whatever its address. */
const call = (port: number, host: string, path: string, ca: string) =>
  fetch(`https://127.0.0.1:${port}${path}`, {
    headers: { host, authorization: `Bearer ${adminToken}` },
    redirect: "manual",
    tls: { ca, serverName: host },
  });

describe("alone", () => {
  test("the commands for certificates from files work as pasted", async () => {
    const [serve, makeFiles] = commandsOf("Alone, with files");
    expect(await runPasted(makeFiles!, {}).exited).toBe(0);
    const ca = await Bun.file(join(folder.path, "fullchain.pem")).text();
    const ports = { 443: await freePort(), 80: await freePort() };
    const server = runPasted(serve!, ports);
    const response = () => call(ports[443], management, "/v1/who-am-i", ca).catch(() => undefined);
    const first = await until(response);
    expect(first.status).toBe(200);
    expect((await call(ports[443], "shop.api.example.com", "/", ca)).status).toBe(404);
    const plain = { headers: { host: management }, redirect: "manual" } as const;
    const redirect = await fetch(`http://127.0.0.1:${ports[80]}/docs`, plain);
    expect(redirect.headers.get("location")).toBe(`https://${management}/docs`);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  });

  test("the commands for ACME work as pasted", async () => {
    const [serve] = commandsOf("Alone, with ACME");
    const ports = { 443: await freePort(), 80: await freePort() };
    const pebble = await Pebble.start(ports[80]);
    try {
      await writeFile(join(folder.path, "ca.pem"), pebble.authority);
      const server = runPasted(serve!, ports, {
        TOLLGATE_ACME_DIRECTORY: pebble.directory,
        TOLLGATE_ACME_CA: join(folder.path, "ca.pem"),
      });
      const ca = await pebble.root();
      const response = () => call(ports[443], management, "/v1/who-am-i", ca).catch(() => undefined);
      expect((await until(response)).status).toBe(200);
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
    } finally {
      await pebble.stop();
    }
  });
});

describe("behind a proxy, with the samples in deploy/", () => {
  const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: ({ headers }) => Response.json(headers) });
  let server: TestServer;
  let deployment: string;
  let certificate: ReturnType<typeof makeCertificate>;

  beforeAll(async () => {
    certificate = makeCertificate([management, "*.api.example.com"]);
    server = await startServer(sqlite, {
      environment: {
        TOLLGATE_PUBLIC_URL: `https://${management}`,
        TOLLGATE_GATEWAY_URL: "https://{name}.api.example.com",
        // The client has an address that is no proxy's: 127.0.0.1, as the proxies do not know another.
        TOLLGATE_TRUSTED_PROXIES: "127.0.0.1",
        TOLLGATE_EGRESS: "any",
      },
    });
    const files = { "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: upstream.url.origin } } }) };
    deployment = `${(await deploy(server, { project: "shop", branch: "main" }, files)).name}.api.example.com`;
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop(true);
  });

  /** The sample with existing files and ports. */
  async function sample(name: string, ports: { https: number; http: number }): Promise<string> {
    await writeFile(join(folder.path, "fullchain.pem"), certificate.certificate);
    await writeFile(join(folder.path, "privkey.pem"), certificate.key);
    await writeFile(join(folder.path, "combined.pem"), certificate.certificate + certificate.key);
    const text = readFileSync(join(root, "deploy", name), "utf8");
    return text
      .replaceAll("/etc/tollgate/tls", folder.path)
      .replaceAll("127.0.0.1:8787", new URL(server.url).host)
      .replace(/\b(listen|bind) (:?)443/, `$1 127.0.0.1:${ports.https}`)
      .replace(/\b(listen|bind) (:?)80\b/, `$1 127.0.0.1:${ports.http}`);
  }

  async function check(https: number): Promise<void> {
    const ca = certificate.certificate;
    const response = () => call(https, management, "/v1/who-am-i", ca).catch(() => undefined);
    expect((await until(response)).status).toBe(200);
    const forwarded = await fetch(`https://127.0.0.1:${https}/a`, {
      headers: { host: deployment, "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "http" },
      tls: { ca, serverName: deployment },
    });
    const headers = (await forwarded.json()) as Record<string, string>;
    expect(headers["x-forwarded-for"]).not.toContain("198.51.100.7");
    expect(headers).toMatchObject({ "x-forwarded-proto": "https", "x-forwarded-host": deployment });
  }

  async function checkRedirect(http: number): Promise<void> {
    const plain = { headers: { host: management }, redirect: "manual" } as const;
    const redirect = await fetch(`http://127.0.0.1:${http}/docs`, plain);
    expect(redirect.status).toBe(308);
    expect(redirect.headers.get("location")).toBe(`https://${management}/docs`);
  }

  test("the sample of nginx forwards to the server", async () => {
    const ports = { https: await freePort(), http: await freePort() };
    await writeFile(join(folder.path, "tollgate.conf"), await sample("nginx.conf", ports));
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    await writeFile(
      join(folder.path, "main.conf"),
      `daemon off; master_process off; pid ${folder.path}/pid; error_log stderr; events {} http { access_log off;
      ${temporary.map((name) => `${name}_temp_path ${folder.path}/${name};`).join(" ")} include ${folder.path}/tollgate.conf; }`,
    );
    run([findProxy("nginx"), "-p", folder.path, "-c", join(folder.path, "main.conf")]);
    await check(ports.https);
    await checkRedirect(ports.http);
  });

  test("the sample of HAProxy forwards to the server", async () => {
    const ports = { https: await freePort(), http: await freePort() };
    await writeFile(join(folder.path, "haproxy.cfg"), await sample("haproxy.cfg", ports));
    run([findProxy("haproxy"), "-db", "-f", "haproxy.cfg"]);
    await check(ports.https);
    await checkRedirect(ports.http);
  });

  test("the sample of Caddy forwards to the server", async () => {
    const ports = { https: await freePort(), http: await freePort() };
    const text = await sample("Caddyfile", ports);
    // The sample would order a certificate for the management API.
    const own = text.replace(
      `${management} {`,
      `${management} {\n\ttls ${folder.path}/fullchain.pem ${folder.path}/privkey.pem`,
    );
    const settings = `{\n\tadmin off\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n}\n`;
    await writeFile(join(folder.path, "Caddyfile"), settings + own);
    run([findProxy("caddy"), "run", "--config", "Caddyfile", "--adapter", "caddyfile"]);
    await check(ports.https);
  });
});

test("HAProxy in TCP mode: TLS ends in Tollgate, which gets the client's address", async () => {
  const { certificate, key } = makeCertificate([management]);
  await writeFile(join(folder.path, "a.crt"), certificate);
  await writeFile(join(folder.path, "a.key"), key);
  const server = await startServer(sqlite, {
    environment: {
      TOLLGATE_PUBLIC_URL: `https://${management}`,
      TOLLGATE_TLS_CERT: join(folder.path, "a.crt"),
      TOLLGATE_TLS_KEY: join(folder.path, "a.key"),
      TOLLGATE_TRUSTED_PROXIES: "127.0.0.1",
      TOLLGATE_PROXY_PROTOCOL: "true",
    },
  });
  try {
    const port = await freePort();
    const { host } = new URL(server.url);
    await writeFile(
      join(folder.path, "haproxy.cfg"),
      `defaults\n mode tcp\n timeout connect 2s\n timeout client 5s\n timeout server 5s\nlisten web\n bind 127.0.0.1:${port}\n` +
        ` server one ${host} send-proxy-v2 check check-send-proxy\n`,
    );
    run([findProxy("haproxy"), "-db", "-f", "haproxy.cfg"]);
    const response = () => call(port, management, "/v1/who-am-i", certificate).catch(() => undefined);
    expect((await until(response)).status).toBe(200);
    const socket = connectPlain({ port, host: "127.0.0.1", localAddress: "127.0.0.5" });
    const client = connect({ socket, servername: management, ca: certificate });
    client.write(`not HTTP at all\r\n\r\n`);
    await until(() => server.log.includes('"ip":"127.0.0.5"'));
    client.destroy();
  } finally {
    await server.stop();
  }
});

test("npm start serves, and stops the server when it is stopped", async () => {
  const port = await freePort();
  const program = run(["npm", "start", "--prefix", root], {
    TOLLGATE_PORT: String(port),
    TOLLGATE_DATA_DIR: folder.path,
  });
  const responds = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(responds, { what: "npm start to serve" });
  program.kill("SIGTERM");
  await until(async () => !(await responds()), { what: "the server to end with npm start" });
  await program.exited;
});
