import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Database, eachEngine } from "../../../test/support/engines.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { newKeyHolder } from "../../../test/support/key-holder.ts";
import { startServer, type TestServer } from "../../../test/support/server.ts";
import { account, serverEnvironment } from "../../../test/support/server-settings.ts";
import { tableContent } from "../../../test/support/table-content.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { readConfig } from "../../config/config.ts";
import { openKeyring } from "../../core/database/encryption.ts";
import { migrations } from "../../core/database/migrations/index.ts";
import { reseal, sealedColumns } from "../../core/database/reseal.ts";
import { Keyring, keyNameOf } from "../../lib/crypto/keyring.ts";
import { openStorage } from "../../platform/storage/engines/open.ts";
import { resealDatabase } from "./reseal.ts";

const oldKey = Buffer.alloc(32, "the old encryption key");
const newKey = Buffer.alloc(32, "the new encryption key");
const nameOf = (key: Buffer) => new Keyring([key]).currentName;
const keys = (...list: Buffer[]) => ({
  TOLLGATE_ENCRYPTION_KEY: list.map((key) => key.toString("base64")).join(","),
});
const secret = "the-secret-of-the-upstream";
const variable = `/v1/accounts/${account}/projects/shop/variables/TOKEN`;

eachEngine((engine) => {
  let database: Database;
  let folder: TemporaryFolder;
  const clock = new FakeClock();
  const start = (environment: Record<string, string>) => startServer(engine, { database, environment, clock });
  const configOf = (environment: Record<string, string>) =>
    readConfig(serverEnvironment(database, folder.path, environment));

  beforeEach(async () => {
    database = await engine.migratedDatabase();
    folder = await temporaryFolder("reseal");
  });
  afterEach(async () => {
    await database.drop();
    await folder.remove();
  });

  async function inServer<Result>(environment: Record<string, string>, work: (server: TestServer) => Promise<Result>) {
    const server = await start(environment);
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  }

  /** Creates sealed values of each kind, with functions that read them. */
  async function fill() {
    return inServer(keys(oldKey), async ({ client }) => {
      const { keys: path } = await newKeyHolder(client);
      for (let count = 0; count < 7; count++) await client.post(path, {}, { "idempotency-key": `key-${count}` });
      await client.raw("PUT", variable, JSON.stringify({ value: secret, isSecret: true }));
      return { path, visible: (await client.get(`${path}?key-format=visible`)).body.data };
    });
  }

  const openStorageOf = () => {
    const { dataDirectory, databaseUrl, databaseConnections, staleSeconds } = configOf({});
    const observer = { operation: () => {}, group: () => {}, revocationLag: () => {} };
    const now = () => clock.now();
    return openStorage({
      dataDirectory,
      databaseUrl,
      databaseConnections,
      staleSeconds,
      migrations,
      now,
      observer,
      warn: () => {},
    });
  };

  async function sealedUnder(): Promise<string[]> {
    const names = new Set<string>();
    for (const { table, column } of sealedColumns) {
      const rows = await tableContent(database, table);
      for (const row of rows) if (row[column]) names.add(keyNameOf(row[column] as Uint8Array));
    }
    return [...names];
  }

  test("every sealed value is resealed, and a server without the old key starts and reads it", async () => {
    const { path, visible } = await fill();
    expect(await sealedUnder()).toEqual([nameOf(oldKey)]);
    const tables = new Set<string>();
    const result = await resealDatabase(configOf(keys(newKey, oldKey)), {
      clock,
      onProgress: ({ table }) => tables.add(table),
    });
    expect(result).toMatchObject({ resealed: 7 + 7 + 1 + 1, lost: 0, unneeded: [nameOf(oldKey)] });
    expect(tables).toEqual(new Set(sealedColumns.map(({ table }) => table)));
    expect(await sealedUnder()).toEqual([nameOf(newKey)]);
    await inServer(keys(newKey), async ({ client }) => {
      expect((await client.get(`${path}?key-format=visible`)).body.data).toEqual(visible);
      const repeated = await client.post(path, {}, { "idempotency-key": "key-0" });
      expect(repeated.headers.get("idempotency-replayed")).toBe("true");
    });
  });

  test("a second run, or one without a rotation, changes nothing", async () => {
    await fill();
    const silent = { clock, onProgress: () => {} };
    expect(await resealDatabase(configOf(keys(oldKey)), silent)).toMatchObject({ resealed: 0, unneeded: [] });
    await resealDatabase(configOf(keys(newKey, oldKey)), silent);
    expect(await resealDatabase(configOf(keys(newKey, oldKey)), silent)).toMatchObject({ resealed: 0, unneeded: [] });
  });

  test("an interrupted pass is resumed, and the old key is required until a pass finds nothing", async () => {
    await fill();
    clock.advance(1000);
    const storage = await openStorageOf();
    try {
      const options = { configured: [newKey, oldKey], dataDirectory: folder.path, now: clock.now() };
      const keyring = await openKeyring(storage, options);
      const stopping = new AbortController();
      const cut = await reseal(storage, keyring, {
        rows: 2,
        signal: stopping.signal,
        onProgress: ({ checked }) => checked >= 4 && stopping.abort(),
      });
      expect(cut).toMatchObject({ hasRun: true, resealed: 4, unneeded: [] });
      const rest = await reseal(storage, keyring, { rows: 2 });
      expect(rest).toMatchObject({ lost: 0, unneeded: [] });
      expect(rest.resealed).toBeGreaterThan(4);
      expect(await reseal(storage, keyring)).toMatchObject({ resealed: 0, unneeded: [nameOf(oldKey)] });
      expect(await reseal(storage, keyring)).toMatchObject({ hasRun: false });
    } finally {
      await storage.close();
    }
  });

  test("of servers with different first keys, only the last started one reseals", async () => {
    await fill();
    const storage = await openStorageOf();
    try {
      const open = (configured: Buffer[]) => {
        clock.advance(1000);
        return openKeyring(storage, { configured, dataDirectory: folder.path, now: clock.now() });
      };
      const later = [await open([newKey, oldKey]), await open([oldKey, newKey])];
      expect(await reseal(storage, later[0]!)).toMatchObject({ hasRun: false });
      expect(await reseal(storage, later[1]!)).toMatchObject({ hasRun: true, resealed: 0 });
    } finally {
      await storage.close();
    }
  });

  test("a value whose key is lost is kept and does not stop the others", async () => {
    await fill();
    const lost = { ...keys(newKey), TOLLGATE_ACCEPT_KEY_LOSS: nameOf(oldKey) };
    await inServer(lost, async ({ client }) => {
      await client.post((await newKeyHolder(client)).keys, {});
    });
    const third = Buffer.alloc(32, "a third encryption key");
    clock.advance(1000);
    const result = await resealDatabase(configOf(keys(third, newKey)), { clock, onProgress: () => {} });
    expect(result.lost).toBeGreaterThan(0);
    expect(result.unneeded).toEqual([nameOf(newKey)]);
    expect((await sealedUnder()).sort()).toEqual([nameOf(oldKey), nameOf(third)].sort());
  });
});
