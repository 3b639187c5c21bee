export interface ArchiveFile {
  /** With forward slashes, relative to the root of the archive. */
  path: string;
  data: Uint8Array<ArrayBuffer>;
}

const blockBytes = 512;
/** Octal digits of the size field; larger sizes are in base 256. */
const sizeDigits = 11;

/** A ustar archive. The same files give the same bytes: it contains no times, owners or modes of this machine. */
export function tar(files: ArchiveFile[]): Blob {
  const parts = files.flatMap(({ path, data }) => [
    tarHeader(path, data.byteLength),
    data,
    tarPadding(data.byteLength),
  ]);
  return new Blob([...parts, tarEnd()]);
}

export function gzip(archive: Blob): Promise<Blob> {
  return new Response(archive.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** The two blocks of zeros at the end of an archive. */
export function tarEnd(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(2 * blockBytes);
}

/** The zeros between a file's content and the next header. */
export function tarPadding(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((blockBytes - (size % blockBytes)) % blockBytes);
}

/** The header of a file, with no time and the owner 0. Throws if the path is too long for ustar. */
export function tarHeader(path: string, size: number, mode = 0o644): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockBytes);
  const write = (offset: number, bytes: Uint8Array) => block.set(bytes, offset);
  const octal = (value: number, digits: number) => encode(value.toString(8).padStart(digits, "0"));
  const { prefix, name } = splitPath(path);
  write(0, name);
  write(100, octal(mode, 7));
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  if (size < 8 ** sizeDigits) write(124, octal(size, sizeDigits));
  else {
    block[124] = 0x80;
    new DataView(block.buffer).setBigUint64(128, BigInt(size));
  }
  write(136, octal(0, 11));
  write(148, encode("        ")); // the checksum counts its own place as spaces
  write(156, encode("0"));
  write(257, encode("ustar\x0000"));
  write(345, prefix);
  const checksum = block.reduce((sum, byte) => sum + byte, 0);
  write(148, encode(`${checksum.toString(8).padStart(6, "0")}\0 `));
  return block;
}

/** A name has at most 100 bytes; a longer path is split at a slash, with a prefix of at most 155 bytes. */
function splitPath(path: string): { prefix: Uint8Array; name: Uint8Array } {
  const bytes = encode(path);
  if (bytes.length <= 100) return { prefix: new Uint8Array(), name: bytes };
  const slash = bytes.indexOf(0x2f, bytes.length - 101);
  if (slash < 0 || slash > 155) throw new Error(`The path is too long for an archive: ${path}`);
  return { prefix: bytes.subarray(0, slash), name: bytes.subarray(slash + 1) };
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
