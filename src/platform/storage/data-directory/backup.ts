import { Database } from "bun:sqlite";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Keyring } from "../../../lib/crypto/keyring.ts";
import { fileError } from "../../../lib/files/file-errors.ts";
import { TarReader } from "../../../lib/text/tar-reader.ts";
import { lockDirectory, makeDirectory } from "./data-directory.ts";
import { enableIncrementalVacuum } from "./incremental-vacuum.ts";

export const databaseFile = "tollgate.db";
const database = databaseFile;
const encryptionKey = "encryption-key";

/** The files of a data directory. Lock files belong to a process and are not copied. */
const files = [database, encryptionKey, "admin-token"];

interface Backup {
  size: number;
  /** Whether the backup contains the key that encrypts its database. */
  hasEncryptionKey: boolean;
}

/** Writes the parts of a tar archive around the content of files. */
export interface TarWriter {
  tarHeader(path: string, size: number, mode: number): Uint8Array;
  tarPadding(size: number): Uint8Array;
  tarEnd(): Uint8Array;
}

export function holdsData(directory: string): boolean {
  return existsSync(join(directory, database));
}

/**
 * Writes the data directory of an embedded server, which may be running, to a gzip tar. `VACUUM INTO` reads a snapshot
 * of the database in a transaction of its own: writers continue, and the contents of the journal are included.
 */
export async function backUp(directory: string, target: string, writer: TarWriter): Promise<Backup> {
  if (!holdsData(directory)) throw new Error(`There is no embedded server's database in ${directory}.`);
  return inFolderBeside(target, async (folder) => {
    const source = new Database(join(directory, database), { readonly: true });
    try {
      source.run("PRAGMA busy_timeout = 10000");
      // The copy gets this setting even if the source lacks it, so that an older database can shrink after it is
      // restored.
      enableIncrementalVacuum(source);
      source.run("VACUUM INTO ?", [join(folder, database)]);
    } finally {
      source.close();
    }
    const archive = join(folder, "archive");
    const paths = { ...pathsIn(directory), [database]: join(folder, database) };
    await pipeline(packed(paths, writer), createGzip(), createWriteStream(archive, { mode: 0o600 }));
    await rename(archive, target);
    const hasEncryptionKey = opens(join(directory, encryptionKey), join(folder, database));
    return { size: (await stat(target)).size, hasEncryptionKey };
  });
}

/**
 * Replaces the contents of a data directory, after the backup was verified. Rejected while a server uses the directory.
 */
export async function restore(archive: string, directory: string): Promise<Pick<Backup, "hasEncryptionKey">> {
  makeDirectory(directory);
  const lock = lockDirectory(directory);
  try {
    return await inFolderBeside(join(directory, database), async (folder) => {
      await readArchive(archive, folder);
      checkDatabase(join(folder, database), archive);
      // The journal of the former database must not be applied to its replacement.
      for (const name of [`${database}-wal`, `${database}-shm`, ...files])
        await rm(join(directory, name), { force: true });
      for (const name of files)
        if (existsSync(join(folder, name))) await rename(join(folder, name), join(directory, name));
      return { hasEncryptionKey: opens(join(directory, encryptionKey), join(directory, database)) };
    });
  } finally {
    lock.release();
  }
}

/** On the same disk, so that the last step is a rename and a failure leaves no partial files. */
async function inFolderBeside<Result>(target: string, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(dirname(target), ".tollgate-")).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") throw new Error(`There is no folder ${dirname(target)}.`);
    throw fileError(target, error);
  });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pathsIn(directory: string): Record<string, string> {
  return Object.fromEntries(files.map((name) => [name, join(directory, name)]));
}

async function* packed(paths: Record<string, string>, writer: TarWriter): AsyncGenerator<Uint8Array> {
  for (const [name, path] of Object.entries(paths)) {
    if (!existsSync(path)) continue;
    const { size } = await stat(path);
    yield writer.tarHeader(name, size, 0o600);
    yield* createReadStream(path);
    yield writer.tarPadding(size);
  }
  yield writer.tarEnd();
}

async function readArchive(archive: string, folder: string): Promise<void> {
  const opened: number[] = [];
  const reader = new TarReader(({ path, kind }) => {
    if (kind !== "file" || !files.includes(path)) throw new Error(`it contains ${JSON.stringify(path)}`);
    const file = openSync(join(folder, path), "w", 0o600);
    opened.push(file);
    return (piece) => writeFileSync(file, piece);
  });
  try {
    await pipeline(createReadStream(archive), createGunzip(), async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) reader.write(chunk);
    });
    reader.end();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && !existsSync(archive)) throw new Error(`There is no file ${archive}.`);
    throw new Error(`${archive} is not a backup of Tollgate: ${message}`);
  } finally {
    for (const file of opened) closeSync(file);
  }
}

/** The existing key file is kept if the server gets its key from its settings. */
function opens(keyFile: string, databaseFile: string): boolean {
  if (!existsSync(keyFile)) return false;
  const [name] = new Keyring([Buffer.from(readFileSync(keyFile, "utf8").trim(), "base64")]).names;
  const source = new Database(databaseFile, { readonly: true });
  try {
    const names = source.query("SELECT name FROM encryption_keys").values().flat();
    return names.every((needed) => needed === name);
  } finally {
    source.close();
  }
}

function checkDatabase(file: string, archive: string): void {
  if (!existsSync(file)) throw new Error(`${archive} is not a backup of Tollgate: it contains no database.`);
  const restored = new Database(file, { readonly: true });
  try {
    const [result] = restored.query("PRAGMA quick_check(1)").values() as [[string]];
    if (result[0] !== "ok") throw new Error(result[0]);
    restored.query("SELECT 1 FROM accounts LIMIT 1").get();
  } catch (error) {
    throw new Error(`The database in ${archive} is damaged: ${(error as Error).message}`);
  } finally {
    restored.close();
  }
}
