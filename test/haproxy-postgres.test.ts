import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { postgres } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { findProxy } from "./support/find-proxy.ts";
import { freePort } from "./support/free-port.ts";
import { newKeyHolder, verdict } from "./support/key-holder.ts";
import { startReplicatedPostgres } from "./support/replicated-postgres.ts";
import { startServer } from "./support/server.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

test("the sample of HAProxy before PostgreSQL leads to the primary that Patroni names, also after a failover", async () => {
  const replicated = await startReplicatedPostgres();
  const folder = await temporaryFolder("haproxy");
  let primary = replicated.url;
  const [one, other] = [replicated.url, replicated.standbyUrl].map((url) => ({
    host: new URL(url).host,
    // As the REST API of Patroni.
    patroni: Bun.serve({ port: 0, fetch: () => new Response("", { status: url === primary ? 200 : 503 }) }),
  })) as [Member, Member];
  const port = await freePort();
  const [, sample] = /```haproxy\n(.*?)```/s.exec(
    readFileSync(join(import.meta.dir, "../docs/failover.md"), "utf8"),
  ) as unknown as [string, string];
  const settings = sample
    .replace("bind :5432", `bind 127.0.0.1:${port}`)
    .replace("db1:5432 check port 8008", `${one.host} check port ${one.patroni.port}`)
    .replace("db2:5432 check port 8008", `${other.host} check port ${other.patroni.port}`);
  const file = join(folder.path, "haproxy.cfg");
  await writeFile(file, `defaults\n    timeout connect 1s\n    timeout client 1h\n    timeout server 1h\n${settings}`);
  const proxy = Bun.spawn([findProxy("haproxy"), "-f", file], { stdout: "ignore", stderr: "ignore" });
  const url = replicated.url.replace(one.host, `127.0.0.1:${port}`);
  // Until its first checks have ended, HAProxy leads to both.
  const isStandby = async () => {
    await using connection = new SQL(url, { max: 1 });
    return connection`SELECT pg_is_in_recovery() AS is`.then(
      ([row]) => row.is as boolean,
      () => true,
    );
  };
  await eventually(async () => [await isStandby(), await isStandby(), await isStandby()]).toEqual([
    false,
    false,
    false,
  ]);

  const server = await startServer(postgres, {
    database: { environment: { DATABASE_URL: url }, drop: async () => {} },
  });
  const holder = await newKeyHolder(server.client);
  const { key } = (await server.client.post(holder.keys, {})).body;
  await using standby = new SQL(replicated.standbyUrl, { max: 1 });
  const received = async () => (await standby`SELECT count(*)::int AS keys FROM api_keys`)[0].keys;
  await eventually(received).toBe(1);
  await replicated.stopPrimary();
  await standby`SELECT pg_promote()`;
  primary = replicated.standbyUrl;
  await eventually(async () => (await server.client.post(holder.keys, {})).status).toBe(200);
  expect(await verdict(server.client, holder.bucket, key)).toBe("valid");
  expect(await received()).toBe(2);

  await server.stop();
  proxy.kill();
  await proxy.exited;
  await standby.close();
  for (const { patroni } of [one, other]) await patroni.stop(true);
  await replicated.remove();
  await folder.remove();
});

interface Member {
  host: string;
  patroni: ReturnType<typeof Bun.serve>;
}
