import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A file of the console as it is served. */
export interface ConsoleFile {
  /** The path below /console; empty for the page itself. */
  path: string;
  type: string;
  body: Uint8Array<ArrayBuffer>;
  isGzip: boolean;
}

const name = "console.pack";

/** Undefined if the server runs from source and the console was not built. */
export async function readConsolePack(): Promise<ConsoleFile[] | undefined> {
  const bytes = await packBytes();
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

interface Entry extends Omit<ConsoleFile, "body"> {
  length: number;
}

/** Embedded in the compiled program, else in the output folder of `npm run build:web`. */
async function packBytes(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const embedded = Bun.embeddedFiles.find((file) => (file as File).name === name);
  if (embedded) return embedded.bytes();
  const path = join(import.meta.dir, "../../../dist", name);
  return existsSync(path) ? new Uint8Array(await readFile(path)) : undefined;
}
