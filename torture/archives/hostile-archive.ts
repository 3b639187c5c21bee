import { gzipSync } from "node:zlib";
import { tarOfEntries } from "../../test/support/archives.ts";
import { openApi } from "../../test/support/project.ts";
import { tarEnd } from "./tar-bytes.ts";

/** The expected result: rejected on upload, built, or a build error; or any of these without a fault. */
export type Outcome = "rejected" | "built" | "wrong" | "any";

export type Bytes = () => Uint8Array | Promise<Uint8Array>;

export type HostileArchive = [what: string, outcome: Outcome, bytes: Bytes];

export const mebibyte = 1024 * 1024;
export const block = 512;

/** A project that builds. */
export const plain: Files = {
  "openapi.json": openApi({ "/a": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }),
  "notes/read-me.txt": "Nothing of interest. ".repeat(60),
};

/** Text and bytes as they are, everything else as JSON. */
export type Files = Record<string, string | object>;

/** Without the time of day, so that a seed always makes the same bytes. */
export function tarOf(files: Files): Promise<Buffer> {
  return tarOfEntries(
    Object.entries(files).map(([name, content]) => [{ name, mtime: new Date(0) }, contentOf(content)]),
  );
}

function contentOf(content: string | object): string | Uint8Array {
  return typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content);
}

export async function archiveOf(files: Files): Promise<Buffer> {
  return gzipSync(await tarOf(files));
}

/** A valid project with additional entries. */
export async function beside(...entries: Buffer[]): Promise<Buffer> {
  const tar = (await tarOf(plain)).subarray(0, -2 * block);
  return gzipSync(Buffer.concat([tar, ...entries, tarEnd]));
}
