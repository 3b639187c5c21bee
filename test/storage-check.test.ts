import { expect, test } from "bun:test";
import { SQL } from "bun";
import { childrenOf } from "./support/child-processes.ts";
import { postgres, sqlite } from "./support/engines.ts";
import { spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

test.each(["0", "1"])("a full disk shows in /storagez, the metrics and the log: %s workers", async (workers) => {
  const server = await spawnServer(sqlite, { environment: { TOLLGATE_WORKERS: workers } });
  const status = async (path: string) => (await fetch(server.url + path)).status;
  const metric = async () =>
    /^tollgate_storage_up (\d)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1];
  // With workers, only the primary writes.
  const pids = [server.processId, ...childrenOf(server.processId, "primary-process")];
  const limitFiles = (bytes: string) => {
    for (const pid of pids)
      expect(Bun.spawnSync(["prlimit", "--pid", String(pid), `--fsize=${bytes}:`]).exitCode).toBe(0);
  };
  await until(async () => (await status("/storagez")) === 200);
  expect(await metric()).toBe("1");
  limitFiles("0");
  await until(async () => (await status("/storagez")) === 503);
  expect(await metric()).toBe("0");
  expect([await status("/readyz"), await status("/healthz")]).toEqual([200, 200]);
  const logged = (message: string) => server.log.filter(({ msg }) => msg === message);
  limitFiles("unlimited");
  await until(async () => (await status("/storagez")) === 200);
  expect(await metric()).toBe("1");
  await until(() => logged("writes to storage succeed again").length > 0);
  // Once, not with every check.
  expect(logged("writes to storage fail")).toHaveLength(1);
  expect(logged("writes to storage succeed again")).toHaveLength(1);
  await server.stop();
});

test("a tablespace of PostgreSQL that takes no more files shows in /storagez", async () => {
  const database = await postgres.migratedDatabase();
  const server = await spawnServer(postgres, { database });
  await until(async () => (await fetch(`${server.url}/storagez`)).status === 200);
  const { DATABASE_URL } = database.environment;
  await using admin = new SQL(DATABASE_URL!, { max: 1 });
  const name = new URL(DATABASE_URL!).pathname.slice(1);
  // Small rows still find room in the files that exist, as on a full disk. Applies to new connections.
  await admin.unsafe(`ALTER DATABASE ${name} SET temp_file_limit = '1kB'`);
  const others =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()";
  await admin.unsafe(others, [name]);
  await until(async () => (await fetch(`${server.url}/storagez`)).status === 503);
  expect((await server.client.get("/v1/who-am-i")).status).toBe(200);
  await admin.unsafe(`ALTER DATABASE ${name} RESET temp_file_limit`);
  await admin.unsafe(others, [name]);
  await until(async () => (await fetch(`${server.url}/storagez`)).status === 200);
  await server.stop();
  await admin.close();
  await database.drop();
});
