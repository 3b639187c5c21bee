import { expect } from "bun:test";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type Database, sqlite } from "../../test/support/engines.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import { GatewayScene } from "../gateway-scene.ts";
import type { Fault } from "./fault.ts";
import type { Promises } from "./promises.ts";

const mebibyte = 1024 * 1024;
const diskBytes = 48 * mebibyte;
/** The remaining space when the disk is nearly full. */
const leftBytes = mebibyte / 4;
const maxSmallWrites = 500;

export const diskFull: Fault = async (promises) => {
  const folder = await temporaryFolder("full");
  const isMounted = userInfo().uid === 0 && mountSmallDisk(folder.path);
  try {
    return await fill(promises, folder.path, isMounted);
  } finally {
    // Lazily: a server left by a failure must not block the unmount.
    if (isMounted) Bun.spawnSync(["umount", "--lazy", folder.path]);
    await folder.remove();
  }
};

async function fill(promises: Promises, folder: string, isMounted: boolean): Promise<string> {
  const database: Database = { environment: { TOLLGATE_DATA_DIR: folder }, drop: async () => {} };
  let server = await spawnServer(sqlite, { database });
  const scene = await GatewayScene.open(() => server);
  for (const path of ["/open", "/guarded", "/hello"]) expect(await scene.status(path)).toBe(200);
  const bucket = scene.keysPath.split("/consumers")[0]!;
  const acknowledged = new Set<string>(["acme"]);
  let rejected = 0;

  /** Writes until the disk is full, and some more. */
  const writeUntilFull = async (round: number) => {
    for (let index = 0, since = 0; since < 20; index++) {
      const name = `round-${round}-${index}`;
      const metadata = { ballast: "x".repeat(8_000) };
      const response = await server.client.post(`${bucket}/consumers?with-api-key=true`, { name, metadata });
      expect([200, 503], response.text).toContain(response.status);
      if (response.status === 200) acknowledged.add(name);
      else since += 1;
      if (response.status === 503) rejected += 1;
    }
    // What is left would be enough for the small writes of the check of storage, for a while.
    for (let count = 0, status = 200; status === 200 && count < maxSmallWrites; count++) {
      ({ status } = await server.client.patch(`${bucket}/consumers/acme`, { metadata: { count } }));
      expect([200, 503]).toContain(status);
    }
  };
  const expectAcknowledged = async () => {
    const { body } = await server.client.get(`${bucket}/consumers?include-api-keys=true`);
    expect(body.total).toBe(acknowledged.size);
    for (const { name, apiKeys } of body.data) expect([acknowledged.has(name), apiKeys.length]).toEqual([true, 1]);
  };

  for (const round of [1, 2]) {
    const space = isMounted ? takeSpace(folder) : limitFiles(server.processId, folder);
    await writeUntilFull(round);
    await expectAcknowledged();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    for (const path of ["/open", "/guarded", "/hello"]) expect(await scene.status(path)).toBe(200);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    if (round === 1) {
      await until(async () => (await fetch(`${server.url}/storagez`)).status === 503, { what: "/storagez to fail" });
      space.free();
      const response = await server.client.post(`${bucket}/consumers?with-api-key=true`, { name: "freed" });
      expect(response.status, response.text).toBe(200);
      acknowledged.add("freed");
      await until(async () => (await fetch(`${server.url}/storagez`)).status === 200, { what: "/storagez to succeed" });
      promises.kept("Freed space is used immediately");
    } else {
      await server.kill("SIGKILL");
      await server.stop();
      space.free();
      server = await spawnServer(sqlite, { database });
    }
    await expectAcknowledged();
  }
  promises.kept("`/storagez` returns 503");
  promises.kept("Reads, known keys and gateways keep working.");
  promises.kept("Writes are rejected with 503.");
  promises.kept("Nothing that was acknowledged is lost");

  await scene.close();
  await server.stop();
  const way = isMounted ? "a file system of 48 MiB" : "a limit on the size of files";
  return `filled twice (${way}), once killed in it; ${rejected} writes rejected, ${acknowledged.size} acknowledged and all there`;
}

/** Only if mounting is allowed; otherwise a file size limit, which has the same effect on SQLite. */
function mountSmallDisk(path: string): boolean {
  return Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", path]).exitCode === 0;
}

function takeSpace(path: string) {
  const available = Bun.spawnSync(["df", "--output=avail", "-B1", path]).stdout.toString().split("\n")[1];
  const ballast = join(path, "ballast");
  writeFileSync(ballast, new Uint8Array(Number(available) - leftBytes));
  return { free: () => rmSync(ballast) };
}

/** The soft limit alone, which can be raised again. */
function limitFiles(processId: number, path: string) {
  const largest = Math.max(...["tollgate.db", "tollgate.db-wal"].map((name) => statSync(join(path, name)).size));
  const limit = (to: string) => Bun.spawnSync(["prlimit", "--pid", String(processId), `--fsize=${to}:`]);
  const { exitCode, stderr } = limit(String(largest + leftBytes));
  if (exitCode !== 0) throw new Error(`No way was found to fill a disk: ${stderr}`);
  return { free: () => limit("unlimited") };
}
