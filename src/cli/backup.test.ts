import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Cli } from "../../test/support/cli.ts";
import type { Database } from "../../test/support/engines.ts";
import { sqlite } from "../../test/support/engines.ts";
import { s3Credential, startS3 } from "../../test/support/s3-server.ts";
import { adminToken, operatorToken } from "../../test/support/server-settings.ts";
import { patiently } from "../../test/support/slowdown.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import { Tollgate } from "../client/index.ts";

/** A second between two backups, and the time that one takes. */
const allowedMs = patiently(1500);
/** Without a configured key, so that the server generates its own in the data directory. */
const environment = { TOLLGATE_ENCRYPTION_KEY: "" };

let folder: TemporaryFolder;
let database: Database;
let server: SpawnedServer;
let cli: Cli;
let key: string;

const clientOf = ({ url }: SpawnedServer) => new Tollgate({ url, token: adminToken });
const dataDirectory = () => database.environment.TOLLGATE_DATA_DIR!;

beforeAll(async () => {
  folder = await temporaryFolder("backup");
  database = await sqlite.freshDatabase();
  server = await spawnServer(sqlite, { environment, database });
  cli = new Cli(folder, server);
  const { apiKeys } = await clientOf(server).consumers("main").create({ name: "acme" }, { withApiKey: true });
  key = apiKeys![0]!.key!;
});

afterAll(async () => {
  await server.stop();
  await database.drop();
  await folder.remove();
});

const run = (words: string, variables: Record<string, string> = {}) =>
  cli.runProcess(words, { environment: { ...cli.anonymous, TOLLGATE_DATA_DIR: dataDirectory(), ...variables } });

test("a backup taken while the server writes is a consistent snapshot", async () => {
  const client = clientOf(server);
  let isWriting = true;
  let made = 0;
  const writing = (async () => {
    for (; isWriting; made += 1) await client.consumers("main").create({ name: `c-${made}` });
  })();
  while (made < 20) await Bun.sleep(1);
  const atLeast = made;
  const { status, stdout, stderr } = await run("backup first.tar.gz");
  isWriting = false;
  await writing;
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  expect(stderr).toContain("The file contains the encryption key: protect it like the key.");
  expect(((await stat(join(folder.path, "first.tar.gz"))).mode & 0o777).toString(8)).toBe("600");
  expect((await readdir(folder.path)).filter((name) => name.startsWith(".tollgate-"))).toEqual([]);
  const { lastBackup } = await new Tollgate({ url: server.url, token: operatorToken }).systemStatus();
  expect(lastBackup?.bytes).toBe((await stat(join(folder.path, "first.tar.gz"))).size);

  expect((await run(`restore first.tar.gz --data-dir ${folder.path}/copy`)).status).toBe(0);
  const copy = { environment: { TOLLGATE_DATA_DIR: join(folder.path, "copy") }, drop: async () => {} };
  const restored = await spawnServer(sqlite, { environment, database: copy });
  const consumers = await clientOf(restored).consumers("main").list().all();
  // Contains every write acknowledged before the backup began, no write after it ended, and no gap.
  const names = consumers.map(({ name }) => name).filter((name) => name.startsWith("c-"));
  expect(names.length).toBeGreaterThanOrEqual(atLeast);
  expect(names.length).toBeLessThanOrEqual(made);
  expect(names).toEqual(names.map((_, index) => `c-${index}`));
  // Sealed values can be opened: the backup contains the encryption key.
  const [shown] = await clientOf(restored).keys("main", "acme").list({ keyFormat: "visible" }).all();
  expect(shown!.key).toBe(key);
  await restored.stop();
});

describe("a second copy", () => {
  const runs = (target: string, variables: Record<string, string> = {}) =>
    cli.start(["backup", target, "--every", "1"], {
      environment: { ...cli.anonymous, TOLLGATE_DATA_DIR: dataDirectory(), ...variables },
    });

  test("lacks at most what was written about a second before the server was killed", async () => {
    const copies = join(folder.path, "copies");
    await mkdir(copies);
    const backup = runs(copies);
    const client = clientOf(server);
    const made: { name: string; at: number }[] = [];
    for (const until = Date.now() + 4000; Date.now() < until; ) {
      const name = `second-${made.length}`;
      await client.consumers("main").create({ name });
      made.push({ name, at: performance.now() });
    }
    // What the copy lacks was written after its last backup began.
    const [file] = await readdir(copies);
    const { mtimeMs } = await stat(join(copies, file!));
    backup.kill("SIGKILL");
    const lastBegan = performance.now() - (Date.now() - mtimeMs) - allowedMs;
    await backup.exited;
    expect(performance.now() - lastBegan).toBeLessThan(4 * allowedMs);
    const restored = join(folder.path, "from-second");
    expect((await run(`restore ${join(copies, file!)} --data-dir ${restored}`)).status).toBe(0);
    const names = new Set(
      new Sqlite(join(restored, "tollgate.db"), { readonly: true }).query("SELECT name FROM consumers").values().flat(),
    );
    expect(made.filter(({ name, at }) => at < lastBegan && !names.has(name))).toEqual([]);
    expect(made.filter(({ name }) => names.has(name))).not.toBeEmpty();
  });

  test("is written to S3, and stops with the signal", async () => {
    const s3 = await startS3("backups");
    const backup = runs("s3://backups/one", {
      AWS_ACCESS_KEY_ID: s3Credential.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credential.secretAccessKey,
      AWS_ENDPOINT: s3.endpoint,
    });
    await until(async () => (await s3.objects()).length === 1);
    backup.kill("SIGTERM");
    expect(await backup.exited).toBe(0);
    const [name] = await s3.objects();
    expect(name).toMatch(/^one\/tollgate-\d{4}-\d\d-\d\d\.tar\.gz$/);
    expect((await run(`restore ${s3.fileOf(name!)} --data-dir ${folder.path}/from-s3`)).status).toBe(0);
    await s3.stop();
  });
});

describe("a backup", () => {
  test("does not replace a file without --force", async () => {
    await writeFile(join(folder.path, "mine"), "mine");
    expect(await run("backup mine")).toMatchObject({ status: 2, stdout: "" });
    expect(await readFile(join(folder.path, "mine"), "utf8")).toBe("mine");
    expect((await run("backup mine --force")).status).toBe(0);
  });

  test.each([
    ["no/such/folder/file", 1, "There is no folder no/such/folder."],
    [".", 2, ". is a folder."],
    [". --force", 2, ". is a folder."],
    ["no-folder --every 1", 2, "There is no folder no-folder."],
    [". --every 0", 2, "--every is at least 1."],
    ["-", 2, "A backup is written to a file, not to standard output."],
  ])("a backup to %s ends with %i", async (words, status, message) => {
    const names = await readdir(folder.path);
    const backup = await run(`backup ${words}`);
    expect(backup.stderr).toStartWith(`Error: ${message}`);
    expect(backup.status).toBe(status);
    expect(await readdir(folder.path)).toEqual(names);
  });

  test("warns when it does not contain the encryption key", async () => {
    const bare = join(folder.path, "bare");
    await mkdir(bare);
    await run(`restore first.tar.gz --data-dir ${bare}`);
    await Bun.file(join(bare, "encryption-key")).delete();
    expect((await run("backup bare.tar.gz", { TOLLGATE_DATA_DIR: bare })).stderr).toContain("TOLLGATE_ENCRYPTION_KEY");
    const restored = await run(`restore bare.tar.gz --data-dir ${folder.path}/bare2`);
    expect(restored.stderr).toContain("set TOLLGATE_ENCRYPTION_KEY to that of the old server");
  });

  test("warns when its key file does not match the key that sealed the database", async () => {
    const rotated = join(folder.path, "rotated");
    await run(`restore first.tar.gz --data-dir ${rotated}`);
    const old = (await readFile(join(rotated, "encryption-key"), "utf8")).trim();
    const keys = { TOLLGATE_ENCRYPTION_KEY: `${Buffer.alloc(32, "another").toString("base64")},${old}` };
    expect(await run(`reseal --data-dir ${rotated}`, keys)).toMatchObject({ status: 0 });
    const backup = await run(`backup rotated.tar.gz --data-dir ${rotated}`);
    expect(backup.stderr).toContain("The file does not contain the encryption key");
    const restored = await run(`restore rotated.tar.gz --data-dir ${folder.path}/rotated2`);
    expect(restored.stderr).toContain("set TOLLGATE_ENCRYPTION_KEY to that of the old server");
  });

  test("requires the embedded database", async () => {
    const nothing = await run(`backup x --data-dir ${folder.path}/nothing`);
    expect(nothing).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("There is no embedded server's database"),
    });
    const postgres = await run("backup x", { DATABASE_URL: "postgres://host/name" });
    expect(postgres).toMatchObject({ status: 2, stderr: expect.stringContaining("pg_dump") });
  });
});

describe("a restore", () => {
  test("is rejected while a server uses the directory, and without --force if there is data", async () => {
    const target = join(folder.path, "copy");
    expect(await run(`restore first.tar.gz --data-dir ${target}`)).toMatchObject({ status: 2 });
    const running = await run("restore first.tar.gz --force");
    expect(running).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is in use by another Tollgate server"),
    });
    expect(await clientOf(server).consumers("main").get("acme")).toMatchObject({ name: "acme" });
    expect((await run(`restore first.tar.gz --data-dir ${target} --force`)).status).toBe(0);
  });

  test("a restore of an unrelated or damaged file changes nothing", async () => {
    const target = join(folder.path, "copy");
    const before = await readFile(join(target, "tollgate.db"));
    await copyFile(join(folder.path, "first.tar.gz"), join(folder.path, "cut.tar.gz"));
    const whole = await readFile(join(folder.path, "cut.tar.gz"));
    await writeFile(join(folder.path, "cut.tar.gz"), whole.subarray(0, whole.length / 2));
    await Bun.$`tar czf other.tar.gz mine`.cwd(folder.path).quiet();
    for (const [file, message] of [
      ["cut.tar.gz", "is not a backup of Tollgate"],
      ["other.tar.gz", 'is not a backup of Tollgate: it contains "mine"'],
      ["missing.tar.gz", "There is no file missing.tar.gz."],
    ]) {
      const rejected = await run(`restore ${file} --data-dir ${target} --force`);
      expect(rejected.status).toBe(1);
      expect(rejected.stderr).toContain(message!);
    }
    expect(await readFile(join(target, "tollgate.db"))).toEqual(before);
    expect((await readdir(target)).filter((name) => name.startsWith(".tollgate-"))).toEqual([]);
  });
});
