import { gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";

/** A partial header; tar-stream adds the rest. */
export type EntryHeader = Partial<Header> & { name: string };

/** The same files give the same bytes. */
const epoch = new Date(0);

/** A tar of files by their paths, in their order. */
export async function tarOf(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  return tarOfEntries(Object.entries(files).map(([name, content]) => [{ name }, content]));
}

/** A tar of anything, links and devices too. */
export async function tarOfEntries(entries: [EntryHeader, (string | Uint8Array)?][]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content] of entries)
    tar.entry({ mtime: epoch, ...header }, content === undefined ? "" : Buffer.from(content));
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Uint8Array>));
}

export async function archiveOf(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  return gzipSync(await tarOf(files));
}

/** Splits the bytes into chunks, like a request or a pipe. */
export async function* inChunks(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
