import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Cli } from "../../test/support/cli.ts";
import { sqlite } from "../../test/support/engines.ts";
import { account } from "../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
const newKey = Buffer.alloc(32, "new").toString("base64");
const oldKey = Buffer.alloc(32, "old").toString("base64");
let folder: TemporaryFolder;
let cli: Cli;
let data: string;

beforeAll(async () => {
  folder = await temporaryFolder("reseal-cli");
  data = join(folder.path, "data");
  cli = new Cli(folder, { url: "" });
});
afterAll(() => folder.remove());

const start = (...keys: string[]): Promise<SpawnedServer> =>
  spawnServer(sqlite, {
    environment: { TOLLGATE_ENCRYPTION_KEY: keys.join(",") },
    database: { environment: { TOLLGATE_DATA_DIR: data }, drop: async () => {} },
  });

const reseal = (...keys: string[]) =>
  cli.runProcess(["reseal", "--data-dir", data], {
    environment: { ...cli.anonymous, TOLLGATE_ENCRYPTION_KEY: keys.join(",") },
  });

test("values are sealed again with the new key, and a server with only that key reads them", async () => {
  const first = await start(oldKey);
  const created = await first.client.post(`${consumers}?with-api-key=true`, { name: "acme" });
  const { key } = created.body.apiKeys[0];

  const running = await reseal(newKey, oldKey);
  expect(running.status).not.toBe(0);
  expect(running.stderr).toMatch(/in use|running|stop/i);
  await first.stop();

  const done = await reseal(newKey, oldKey);
  expect(done).toMatchObject({ status: 0, stdout: "" });
  expect(done.stderr).toMatch(
    /^Resealed [1-9]\d* values?; all use encryption key (\w+) now\.\nEncryption key (?!\1)\w+ is no longer needed: remove it from TOLLGATE_ENCRYPTION_KEY\.\n$/,
  );
  expect((await reseal(newKey, oldKey)).stderr).toMatch(/^Resealed 0 values;/);

  const second = await start(newKey);
  const read = await second.client.get(`${consumers}/acme/keys?key-format=visible`);
  expect(read.body.data[0].key).toBe(key);
  await second.stop();
});

test("a folder without a database is rejected, and no file is created", async () => {
  const nowhere = join(folder.path, "nowhere");
  const { status, stderr } = await cli.runProcess(["reseal", "--data-dir", nowhere], { environment: cli.anonymous });
  expect(stderr).toBe(`Error: There is no embedded server's database in ${nowhere}.\n`);
  expect(status).toBe(1);
  expect(existsSync(nowhere)).toBe(false);
});

test("an invalid encryption key is reported, and nothing changes", async () => {
  const { status, stderr } = await reseal("too-short");
  expect(status).toBe(2);
  expect(stderr).toContain("TOLLGATE_ENCRYPTION_KEY");
  expect(stderr).not.toContain("too-short");
});
