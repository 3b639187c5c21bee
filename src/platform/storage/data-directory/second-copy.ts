import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client } from "bun";
import { backUp, databaseFile, type TarWriter } from "./backup.ts";

export interface SecondCopyOptions {
  directory: string;
  /** A folder, or `s3://bucket/prefix`. */
  target: string;
  seconds: number;
  writer: TarWriter;
  now(): number;
  signal: AbortSignal;
  copied(size: number): void;
  failed(error: unknown): void;
}

/**
 * Backs up a data directory whenever the database has changed, until the signal. The file of a day is replaced, whole, so
 * that the last backup of yesterday survives an error of today.
 */
export async function keepSecondCopy(options: SecondCopyOptions): Promise<void> {
  const { directory, seconds, signal, copied, failed } = options;
  const database = new Database(join(directory, databaseFile), { readonly: true });
  try {
    let last: unknown;
    while (!signal.aborted) {
      const started = performance.now();
      // Changes with each commit of another connection.
      const version = database.query("PRAGMA data_version").values()[0]![0];
      if (version !== last)
        try {
          copied(await copyOnce(options));
          last = version;
        } catch (error) {
          failed(error);
        }
      await pause(seconds * 1000 - (performance.now() - started), signal);
    }
  } finally {
    database.close();
  }
}

async function copyOnce({ directory, target, writer, now }: SecondCopyOptions): Promise<number> {
  const name = `tollgate-${new Date(now()).toISOString().slice(0, 10)}.tar.gz`;
  if (!target.startsWith("s3://")) return (await backUp(directory, join(target, name), writer)).size;
  const [bucket = "", ...prefix] = target.slice("s3://".length).split("/").filter(Boolean);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-"));
  try {
    const { size } = await backUp(directory, join(folder, name), writer);
    // The credential and the endpoint are those of the environment, as for the tools of AWS.
    await new S3Client({ bucket }).write([...prefix, name].join("/"), Bun.file(join(folder, name)));
    return size;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(0, milliseconds));
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
