export interface ArchiveFile {
  /** With forward slashes, relative to the root of the archive. */
  path: string;
  data: Uint8Array<ArrayBuffer>;
}

const blockBytes = 512;

/** A ustar archive. The same files give the same bytes: it contains no times, owners or modes of this machine. */
export function tar(files: ArchiveFile[]): Blob {
  const parts = files.flatMap(({ path, data }) => [
    header(path, data.byteLength),
    data,
    new Uint8Array(-data.byteLength & (blockBytes - 1)),
  ]);
  return new Blob([...parts, new Uint8Array(2 * blockBytes)]);
}

export function gzip(archive: Blob): Promise<Blob> {
  return new Response(archive.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

function header(path: string, size: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockBytes);
  const write = (offset: number, bytes: Uint8Array) => block.set(bytes, offset);
  const octal = (value: number, digits: number) => encode(value.toString(8).padStart(digits, "0"));
  const { prefix, name } = splitPath(path);
  write(0, name);
  write(100, octal(0o644, 7));
  write(108, octal(0, 7));
  write(116, octal(0, 7));
  write(124, octal(size, 11));
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
