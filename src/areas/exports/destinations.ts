import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { systemClock } from "../../lib/time/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { fetchBytes } from "../../platform/egress/fetch-bytes.ts";
import type { ExportCredential } from "./exports.ts";
import { signedHeaders } from "./s3-signature.ts";
import { folderOf } from "./schema.ts";
import type { ExportRow } from "./store.ts";

const timeoutSeconds = 300;
const shownErrorLength = 300;

/** Writes an object completely or not at all. Writing it again replaces it. */
export type PutObject = (path: string, bytes: Uint8Array) => Promise<void>;

export interface DestinationOptions {
  egress: Egress;
  directory: string | undefined;
}

export function destinationOf(
  row: ExportRow,
  credential: ExportCredential | undefined,
  { egress, directory }: DestinationOptions,
): PutObject {
  if (row.url.startsWith("file:")) return intoFolder(folderOf(row.url), directory);
  if (!credential) throw new Error("the credential is missing");
  return intoS3(row, credential, egress);
}

function intoFolder(folder: string, directory: string | undefined): PutObject {
  // The setting may differ between nodes, or have changed.
  if (directory === undefined) throw new Error("TOLLGATE_EXPORT_DIR is not set on this node");
  if (relative(directory, folder).startsWith("..")) throw new Error("the folder is not below TOLLGATE_EXPORT_DIR");
  return async (path, bytes) => {
    const target = join(folder, path);
    const temporary = join(dirname(target), `.${crypto.randomUUID()}.tmp`);
    await mkdir(dirname(target), { recursive: true });
    try {
      const file = await open(temporary, "w", 0o640);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  };
}

function intoS3({ url, endpoint, region }: ExportRow, credential: ExportCredential, egress: Egress): PutObject {
  const [bucket = "", ...prefix] = url.slice("s3://".length).split("/").filter(Boolean);
  const usedRegion = region ?? "us-east-1";
  const base = (endpoint ?? `https://s3.${usedRegion}.amazonaws.com`).replace(/\/$/, "");
  return async (path, bytes) => {
    const key = [bucket, ...prefix, path].join("/").split("/").map(encodeURIComponent).join("/");
    const address = new URL(`${base}/${key}`);
    // S3 compares the time of the signature with its clock.
    const headers = signedHeaders({
      address,
      bytes,
      credential,
      region: usedRegion,
      time: new Date(systemClock.now()),
    });
    const response = await fetchBytes(egress, address.href, { method: "PUT", headers, body: bytes, timeoutSeconds });
    if (response.status >= 200 && response.status < 300) return;
    const text = Buffer.from(response.bytes).toString().replace(/\s+/g, " ").slice(0, shownErrorLength);
    throw new Error(`the storage responded with ${response.status}: ${text}`);
  };
}
