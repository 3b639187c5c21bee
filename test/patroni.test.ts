import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { postgres } from "./support/engines.ts";
import { findPgBouncer } from "./support/find-pgbouncer.ts";
import { findProxy } from "./support/find-proxy.ts";
import { freePort } from "./support/free-port.ts";
import { newKeyHolder, verdict } from "./support/key-holder.ts";
import { failIfAnythingRuns } from "./support/left-running.ts";
import { startPatroni } from "./support/patroni.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const page = readFileSync(join(import.meta.dir, "../docs/failover.md"), "utf8");
const sample = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)![1]!;
/** Longer than the lock of a primary that is gone. */
const withinMs = 300_000;

let patroni: Awaited<ReturnType<typeof startPatroni>>;
let folder: TemporaryFolder;
let children: Bun.Subprocess[];
/** One with the addresses of both servers, and one behind PgBouncer and HAProxy. */
let nodes: TestServer[];

beforeAll(async () => {
  patroni = await startPatroni(sample("yaml"));
  folder = await temporaryFolder("proxies");
  const [proxyPort, poolerPort] = [await freePort(), await freePort()];
  children = [await startProxy(proxyPort), await startPooler(poolerPort, proxyPort)];
  const both = patroni.url(patroni.members.map(({ databasePort }) => `127.0.0.1:${databasePort}`).join(","));
  const through = (DATABASE_URL: string, feed: object = {}) => ({
    database: { environment: { DATABASE_URL, ...feed }, drop: async () => {} },
  });
  nodes = [await startServer(postgres, through(both))];
  nodes.push(
    await startServer(postgres, through(patroni.url(`127.0.0.1:${poolerPort}`), { TOLLGATE_DATABASE_FEED_URL: both })),
  );
}, withinMs);

afterAll(async () => {
  for (const node of nodes ?? []) await node.stop();
  for (const child of children ?? []) {
    child.kill("SIGKILL");
    await child.exited;
  }
  await patroni?.remove();
  await folder?.remove();
  failIfAnythingRuns();
}, withinMs);

test(
  "nodes follow the standby that Patroni promotes, directly and through HAProxy and PgBouncer, and lose nothing",
  async () => {
    const [direct, pooled] = nodes as [TestServer, TestServer];
    const holder = await newKeyHolder(direct.client);
    const newKey = async ({ client }: TestServer) =>
      (await client.post(holder.keys, {})).body as { id: string; key: string };
    const known = [await newKey(direct), await newKey(pooled), await newKey(direct)];
    const revoked = known.pop()!;
    expect((await pooled.client.delete(`${holder.keys}/${revoked.id}`)).status).toBe(204);

    await patroni.failOver();

    for (const node of nodes) {
      await until(async () => (await node.client.post(holder.keys, {})).status === 200, { withinMs, what: "a write" });
      for (const { key } of known) expect(await verdict(node.client, holder.bucket, key)).toBe("valid");
      expect(await verdict(node.client, holder.bucket, revoked.key)).toBe("not_found");
    }
    const { total } = (await pooled.client.get(holder.keys)).body;
    expect(total).toBe(known.length + nodes.length);
  },
  2 * withinMs,
);

function startProxy(port: number): Promise<Bun.Subprocess> {
  const [one, other] = patroni.members as [Member, Member];
  const settings = sample("haproxy")
    .replace("bind :5432", `bind 127.0.0.1:${port}`)
    .replace("db1:5432 check port 8008", `127.0.0.1:${one.databasePort} check port ${one.restPort}`)
    .replace("db2:5432 check port 8008", `127.0.0.1:${other.databasePort} check port ${other.restPort}`);
  const timeouts = "defaults\n    timeout connect 1s\n    timeout client 1h\n    timeout server 1h\n";
  return start("haproxy.cfg", `${timeouts}${settings}`, (file) => [findProxy("haproxy"), "-f", file], port);
}

type Member = (typeof patroni.members)[number];

function startPooler(port: number, proxyPort: number): Promise<Bun.Subprocess> {
  const { command, hasPreparedStatements } = findPgBouncer();
  const { username, password } = new URL(patroni.url("host"));
  const settings = sample("ini")
    .replace("host=haproxy port=5432", `host=127.0.0.1 port=${proxyPort} user=${username} password=${password}`)
    .replace(hasPreparedStatements ? "" : "max_prepared_statements = 1000\n", "");
  const own = ["listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir =", "auth_type = any"];
  // It does not run as root.
  if (process.getuid?.() === 0) own.push("user = nobody");
  return start("pgbouncer.ini", `${settings}\n${own.join("\n")}\n`, (file) => [...command, file], port);
}

async function start(
  name: string,
  settings: string,
  command: (file: string) => string[],
  port: number,
): Promise<Bun.Subprocess> {
  const file = join(folder.path, name);
  await writeFile(file, settings);
  const child = Bun.spawn(command(file), { stdout: "ignore", stderr: "ignore" });
  const isListening = () =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  await until(isListening, { what: `${name} to listen` });
  return child;
}
