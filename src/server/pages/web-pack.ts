import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A file of a web app as it is served. */
export interface WebFile {
  /** The path below the app's own; empty for the page itself. */
  path: string;
  type: string;
  body: Uint8Array<ArrayBuffer>;
  isGzip: boolean;
}

/** Undefined if the server runs from source and the app was not built. */
export async function readWebPack(app: "console" | "portal" | "docs"): Promise<WebFile[] | undefined> {
  const bytes = await packBytes(`${app}.pack`);
  if (!bytes) return undefined;
  const head = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) + 4;
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, head))) as Entry[];
  let offset = head;
  return index.map(({ length, ...file }) => {
    const body = bytes.slice(offset, offset + length);
    offset += length;
    return { ...file, body };
  });
}

interface Entry extends Omit<WebFile, "body"> {
  length: number;
}

/** Embedded in the compiled program, else in the output folder of `npm run build:web`. */
async function packBytes(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const embedded = Bun.embeddedFiles.find((file) => (file as File).name === name);
  if (embedded) return embedded.bytes();
  const path = join(import.meta.dir, "../../../dist", name);
  return existsSync(path) ? new Uint8Array(await readFile(path)) : undefined;
}
