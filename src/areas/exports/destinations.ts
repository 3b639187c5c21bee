import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Egress } from "../../platform/egress/egress.ts";
import type { ExportCredential } from "./exports.ts";
import type { PutObject } from "./put-object.ts";
import { s3Destination } from "./s3-upload.ts";
import { folderOf } from "./schema.ts";
import type { ExportRow } from "./store.ts";

interface DestinationOptions {
  egress: Egress;
  directory: string | undefined;
}

export function destinationOf(
  row: ExportRow,
  credential: ExportCredential | undefined,
  { egress, directory }: DestinationOptions,
): PutObject {
  if (row.url.startsWith("file:")) return folderDestination(folderOf(row.url), directory);
  if (!credential) throw new Error("the credential is missing");
  return s3Destination(row, credential, egress);
}

function folderDestination(folder: string, directory: string | undefined): PutObject {
  // The setting may differ between nodes, or have changed.
  if (directory === undefined) throw new Error("TOLLGATE_EXPORT_DIR is not set on this node");
  if (relative(directory, folder).startsWith("..")) throw new Error("the folder is not below TOLLGATE_EXPORT_DIR");
  return async (path, pieces) => {
    const target = join(folder, path);
    const temporary = join(dirname(target), `.${crypto.randomUUID()}.tmp`);
    await withFolderError(folder, mkdir(dirname(target), { recursive: true }));
    try {
      const file = await withFolderError(folder, open(temporary, "w", 0o640));
      try {
        for await (const piece of pieces) await withFolderError(folder, file.writeFile(piece));
        await withFolderError(folder, file.sync());
      } finally {
        await file.close();
      }
      await withFolderError(folder, rename(temporary, target));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  };
}

/** Adds the folder to the error, because the same loop also throws errors of reading rows. */
async function withFolderError<Result>(folder: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new Error(`the folder ${folder} cannot be written: ${(error as Error).message}`);
  }
}
