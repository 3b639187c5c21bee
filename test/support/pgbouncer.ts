import { join } from "node:path";
import type { Subprocess } from "bun";
import { findPgBouncer } from "./find-pgbouncer.ts";
import { freePort } from "./free-port.ts";
import { started, stopped } from "./left-running.ts";
import { killOnExit } from "./on-exit.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

/** PgBouncer in front of a PostgreSQL database, with the settings that docs/postgresql.md names. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: "session" | "transaction",
  { preparedStatements = 200 } = {},
) {
  const { command, hasPreparedStatements } = findPgBouncer();
  const { hostname, port, pathname, username } = new URL(databaseUrl);
  const listenPort = await freePort();
  const { path, remove } = await temporaryFolder("pgbouncer");
  const settings = [
    "[databases]",
    `* = host=${hostname} port=${port} user=${username} connect_query='SET statement_timeout = 14000'`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${listenPort}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    // Few connections in transaction mode, so that clients share them.
    `default_pool_size = ${mode === "transaction" ? 4 : 100}`,
    ...(hasPreparedStatements ? [`max_prepared_statements = ${preparedStatements}`] : []),
    // It does not run as root.
    ...(process.getuid?.() === 0 ? ["user = nobody"] : []),
  ];
  const file = join(path, "pgbouncer.ini");
  await Bun.write(file, `${settings.join("\n")}\n`);
  const child: Subprocess = Bun.spawn([...command, file], { stdout: "ignore", stderr: "ignore" });
  const watch = killOnExit(child.pid);
  started(child, "PgBouncer");
  await until(() => isListening(listenPort), { what: "PgBouncer to listen" });
  return {
    url: `postgres://${username}@127.0.0.1:${listenPort}${pathname}`,
    async stop() {
      stopped(child);
      child.kill("SIGKILL");
      await child.exited;
      watch.release();
      await remove();
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
