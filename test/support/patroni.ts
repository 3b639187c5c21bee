import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { SQL, YAML } from "bun";
import { findPatroni } from "./find-patroni.ts";
import { freePort } from "./free-port.ts";
import { started, stopped } from "./left-running.ts";
import { killOnExit, type Watch } from "./on-exit.ts";
import { enterableFolder, postgresUser } from "./postgres-programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

const password = "of-the-tests";

/** A server with PostgreSQL and the Patroni that runs it. */
export interface PatroniMember {
  databasePort: number;
  /** Where Patroni says whether this is the primary. */
  restPort: number;
  kill(): Promise<void>;
}

/** Two members by a configuration of one, with etcd, and an empty database `tollgate` with a user of that name. */
export async function startPatroni(configuration: string) {
  const programs = findPatroni();
  const folder = await temporaryFolder("patroni", enterableFolder());
  const owner = userInfo().uid === 0 ? postgresUser() : undefined;
  const watches: Watch[] = [];
  const children: ChildProcess[] = [];
  const run = (command: string, parameters: string[]) => {
    const child = spawn(command, parameters, { cwd: folder.path, stdio: "ignore", ...owner });
    watches.push(killOnExit(child.pid!));
    children.push(child);
    return child;
  };
  if (owner) await chown(folder.path, owner.uid, owner.gid);
  const [clients, peers] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  run(programs.etcd, [
    ...["--data-dir", join(folder.path, "etcd"), "--listen-client-urls", clients, "--advertise-client-urls", clients],
    ...["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", `default=${peers}`],
  ]);
  const startMember = async (name: string): Promise<PatroniMember> => {
    const [databasePort, restPort] = [await freePort(), await freePort()];
    const home = join(folder.path, name);
    await mkdir(home);
    const settings = YAML.parse(configuration.replaceAll("…", password)) as Settings;
    settings.name = name;
    settings.etcd3.hosts = new URL(clients).host;
    settings.restapi = { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` };
    const hostRules = settings.postgresql.pg_hba.map((rule) => rule.replace("10.0.0.0/8", "127.0.0.1/32"));
    settings.postgresql = {
      ...settings.postgresql,
      ...{ listen: `127.0.0.1:${databasePort}`, connect_address: `127.0.0.1:${databasePort}` },
      ...{ data_dir: join(home, "data"), bin_dir: programs.postgres, pgpass: join(home, "pgpass"), pg_hba: hostRules },
      parameters: { unix_socket_directories: home, fsync: "off", shared_buffers: "16MB" },
    };
    const file = join(home, "config.yml");
    await writeFile(file, YAML.stringify(settings));
    if (owner) for (const path of [home, file]) await chown(path, owner.uid, owner.gid);
    const patroni = run(programs.patroni, [file]);
    return {
      databasePort,
      restPort,
      /** Kills Patroni and PostgreSQL at once. */
      async kill() {
        if (!patroni.kill("SIGKILL")) return;
        const postmaster = Number.parseInt(await Bun.file(join(home, "data/postmaster.pid")).text(), 10);
        // Its children notice.
        process.kill(postmaster, "SIGKILL");
      },
    };
  };
  const members = [await startMember("db1"), await startMember("db2")];
  const isIn = async (role: string, { restPort }: PatroniMember) =>
    (await fetch(`http://127.0.0.1:${restPort}/${role}`).catch(() => undefined))?.status === 200;
  const withinMs = 280_000;
  const leader = async () => {
    for (const member of members) if (await isIn("primary", member)) return member;
    return undefined;
  };
  const first = await until(leader, { withinMs, what: "a primary" });
  const standby = members.find((member) => member !== first)!;
  await until(() => isIn("sync", standby), { withinMs, what: "a synchronous standby" });
  await using admin = new SQL(`postgres://postgres:${password}@127.0.0.1:${first.databasePort}/postgres`, { max: 1 });
  await admin.unsafe(`CREATE ROLE tollgate LOGIN PASSWORD '${password}'`);
  await admin.unsafe("CREATE DATABASE tollgate OWNER tollgate");
  const running = {
    members,
    /** Kills the primary, and waits until the other member is it. */
    async failOver() {
      await first.kill();
      await until(() => isIn("primary", standby), { withinMs, what: "a promotion" });
    },
    /** Of the database at some hosts. */
    url: (hosts: string) => `postgres://tollgate:${password}@${hosts}/tollgate`,
    async remove() {
      for (const member of members) await member.kill();
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = Promise.withResolvers<void>();
        child.once("exit", () => ended.resolve());
        child.kill("SIGKILL");
        await ended.promise;
      }
      for (const watch of watches) watch.release();
      await folder.remove();
      stopped(running);
    },
  };
  started(running, "Patroni");
  return running;
}

interface Settings {
  name: string;
  etcd3: { hosts: string };
  restapi: object;
  postgresql: { pg_hba: string[] } & Record<string, unknown>;
}
