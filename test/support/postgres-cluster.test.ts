import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { chmod, cp, mkdir, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { createCluster, freePort, maintenanceUrlOf } from "./postgres.ts";
import { settled } from "./postgres-cluster.ts";
import { enterableFolder, installedFolder, postgresPrograms } from "./postgres-programs.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

describe("programs in a folder that only its owner may enter", () => {
  let home: TemporaryFolder;
  let folder: TemporaryFolder;
  let installed: string;

  beforeAll(async () => {
    [home, folder] = await Promise.all([temporaryFolder("home"), temporaryFolder("postgres")]);
    await chmod(home.path, 0o700);
    installed = join(home.path, "native");
    await cp(installedFolder(), installed, { recursive: true, verbatimSymlinks: true });
  });

  afterAll(async () => {
    await home.remove();
    await folder.remove();
  });

  test("can be run by PostgreSQL's user: a copy if root, else directly", async () => {
    const { programs, owner } = await postgresPrograms(folder.path, installed);
    expect(programs).toBe(owner ? join(folder.path, "programs/bin") : join(installed, "bin"));
    expect(owner === undefined).toBe(userInfo().uid !== 0);
    for (const name of ["initdb", "postgres"]) {
      const child = spawn(join(programs, name), ["--version"], { cwd: folder.path, ...owner });
      await settled(child, name, (output) => output.includes("(PostgreSQL)"));
    }
  });
});

test("a folder that the user postgres cannot enter is rejected by name, if the tests run as root", async () => {
  const closed = await temporaryFolder("closed");
  const inside = join(closed.path, "inside");
  await mkdir(inside);
  expect((await stat(closed.path)).mode & 0o777).toBe(0o700);
  const found = await postgresPrograms(inside).catch((error: Error) => error.message);
  if (userInfo().uid === 0) expect(found).toContain(`The user postgres cannot enter ${inside}. Set TMPDIR`);
  else expect(found).toMatchObject({ owner: undefined });
  const chosen = enterableFolder([closed.path, "/tmp"]);
  expect(chosen).toBe(userInfo().uid === 0 ? "/tmp" : closed.path);
  await closed.remove();
});

test("a cluster starts, responds, stops, and stops once more", async () => {
  const folder = await temporaryFolder("postgres");
  const port = await freePort();
  const cluster = await createCluster(folder.path, port);
  await cluster.start();
  const connection = new SQL(maintenanceUrlOf(port), { max: 1 });
  const [row] = await connection.unsafe("SELECT 1 AS one");
  expect(row.one).toBe(1);
  await connection.close();
  await cluster.stop();
  await cluster.stop();
  await folder.remove();
});

describe("a failed program ends the wait:", () => {
  const never = () => false;

  test("it cannot be spawned", async () => {
    const waiting = settled(spawn("/no/such/program", []), "initdb", never);
    await expect(waiting).rejects.toThrow(/^initdb could not be started: .*ENOENT/);
  });

  test("it ends", async () => {
    const waiting = settled(spawn("sh", ["-c", "echo no space left >&2; exit 3"]), "initdb", never);
    await expect(waiting).rejects.toThrow("initdb ended with 3. It printed:\nno space left");
  });

  test("it hangs", async () => {
    const child = spawn("sleep", ["600"]);
    await expect(settled(child, "postgres", never, 50)).rejects.toThrow("postgres took longer than 0.05 seconds");
    await new Promise((resolve) => child.once("exit", resolve));
    expect(child.signalCode).toBe("SIGKILL");
  });
});
