import { Readable } from "node:stream";
import { createGunzip, type Gunzip } from "node:zlib";
import { ArchiveRejected, quoted } from "../../lib/text/archive-rejected.ts";
import { type ContentHandler, type TarEntry, TarReader } from "../../lib/text/tar-reader.ts";

export { ArchiveRejected } from "../../lib/text/archive-rejected.ts";

const mebibyte = 1024 * 1024;

const archiveLimits = {
  packedBytes: 50 * mebibyte,
  unpackedBytes: 250 * mebibyte,
  files: 5_000,
  folders: 5_000,
  /**
   * The maximum ratio of unpacked to packed size. Text compresses 3 to 20 times; gzip's maximum, 1,032, is reached by a
   * bomb of zeros.
   */
  ratio: 200,
  /** The unpacked size up to which the ratio is not checked. */
  bytesOfAnyRatio: mebibyte,
  pathBytes: 512,
  /** The maximum length of a single name in file systems. */
  nameBytes: 255,
  pathDepth: 32,
};

export interface ArchiveFile {
  /** Relative, without `.` and `..` segments. */
  path: string;
  size: number;
}

export type ArchiveChunks = AsyncIterable<Uint8Array>;

/**
 * Reads an archive to its end without storing it. Throws an ArchiveRejected at the first violation. Yields to the event
 * loop between chunks of 16 KiB; most of the work is done by a thread of zlib: 250 MiB took 0.3 s.
 */
export async function inspectArchive(chunks: ArchiveChunks): Promise<void> {
  await walkArchive(chunks, () => undefined);
}

/** Calls `onFile` for every file; the returned function receives the file's content. */
export async function walkArchive(
  chunks: ArchiveChunks,
  onFile: (file: ArchiveFile) => ContentHandler | undefined,
): Promise<void> {
  const rules = new ArchiveRules();
  const reader = new TarReader((entry) => {
    const path = rules.check(entry);
    return entry.kind === "file" ? onFile({ path, size: entry.size }) : undefined;
  });
  const gunzip = createGunzip();
  const packed = Readable.from(limitedTo(archiveLimits.packedBytes, chunks), { objectMode: true });
  packed.on("error", (error) => gunzip.destroy(error));
  packed.pipe(gunzip);
  try {
    let unpackedBytes = 0;
    for await (const chunk of gunzip) {
      unpackedBytes += chunk.length;
      rejectBomb(unpackedBytes, gunzip);
      reader.write(chunk);
    }
    reader.end();
  } catch (error) {
    throw rejectionFor(error);
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

async function* limitedTo(bytes: number, chunks: ArchiveChunks): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0) throw new ArchiveRejected(`The archive is larger than ${bytes / mebibyte} MiB.`);
    // An empty chunk would end the stream.
    if (chunk.length > 0) yield chunk;
  }
}

function rejectBomb(unpackedBytes: number, gunzip: Gunzip): void {
  const { unpackedBytes: max, ratio, bytesOfAnyRatio } = archiveLimits;
  if (unpackedBytes > max) throw new ArchiveRejected(`The archive unpacks to more than ${max / mebibyte} MiB.`);
  if (unpackedBytes > bytesOfAnyRatio && unpackedBytes > gunzip.bytesWritten * ratio) {
    throw new ArchiveRejected(`The archive unpacks to more than ${ratio} times its size.`);
  }
}

function rejectionFor(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "Z_BUF_ERROR") return new ArchiveRejected("The archive is truncated.");
  if (code === "Z_DATA_ERROR") return new ArchiveRejected("The archive is not gzip, or it is damaged.");
  return error;
}

/** Checks each entry of an archive. */
class ArchiveRules {
  readonly #paths = new Set<string>();
  readonly #parents = new Set<string>();
  #folders = 0;

  /** Returns the normalized path. */
  check({ path, kind }: TarEntry): string {
    const segments = segmentsOf(path);
    const clean = segments.join("/");
    if (kind === "folder") {
      this.#folders += 1;
      if (this.#folders > archiveLimits.folders) throw tooMany("folders", archiveLimits.folders);
      return clean;
    }
    if (clean === "") throw new ArchiveRejected("The archive has a file without a name.");
    if (this.#paths.has(clean)) throw new ArchiveRejected(`The archive has ${quoted(clean)} twice.`);
    this.#paths.add(clean);
    const parents = segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join("/"));
    for (const parent of parents) this.#parents.add(parent);
    const both = [clean, ...parents].find((each) => this.#paths.has(each) && this.#parents.has(each));
    if (both !== undefined) throw new ArchiveRejected(`The archive has ${quoted(both)} as a file and as a folder.`);
    if (this.#paths.size > archiveLimits.files) throw tooMany("files", archiveLimits.files);
    return clean;
  }
}

function segmentsOf(path: string): string[] {
  if (Buffer.byteLength(path) > archiveLimits.pathBytes) {
    throw new ArchiveRejected(`The archive has a path of more than ${archiveLimits.pathBytes} bytes.`);
  }
  if (path.startsWith("/")) throw new ArchiveRejected(`${quoted(path)} is an absolute path.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters.
  if (/[\\\u0000-\u001f\u007f]/.test(path)) {
    throw new ArchiveRejected(`${quoted(path)} has a backslash or a control character in its name.`);
  }
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) throw new ArchiveRejected(`${quoted(path)} is outside of the archive.`);
  if (segments.some((segment) => Buffer.byteLength(segment) > archiveLimits.nameBytes)) {
    throw new ArchiveRejected(`The archive has a name of more than ${archiveLimits.nameBytes} bytes.`);
  }
  if (segments.length > archiveLimits.pathDepth) {
    throw new ArchiveRejected(`The archive has folders more than ${archiveLimits.pathDepth} deep.`);
  }
  return segments;
}

function tooMany(what: string, max: number): ArchiveRejected {
  return new ArchiveRejected(`The archive has more than ${max} ${what}.`);
}
