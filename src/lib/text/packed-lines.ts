const newline = 0x0a;

/** A reused buffer in which lines are joined: allocating one for each pack would cost half as much as packing. */
let scratch = Buffer.allocUnsafe(256 * 1024);

/** Compresses lines. */
export function packLines(lines: string[]): Uint8Array {
  // UTF-8 takes at most three bytes per UTF-16 code unit.
  const max = lines.reduce((sum, line) => sum + line.length * 3 + 1, 0);
  if (scratch.length < max) scratch = Buffer.allocUnsafe(max);
  let length = 0;
  for (const line of lines) {
    if (length > 0) scratch[length++] = newline;
    length += scratch.write(line, length);
  }
  return Bun.zstdCompressSync(scratch.subarray(0, length), { level: 1 });
}

/** The first byte of a zstd frame. No uncompressed line begins with it. */
const zstdMagic = 0x28;

/** Returns the lines of a pack, or of uncompressed bytes. Throws if they cannot be unpacked. */
export function unpackLines(bytes: Uint8Array): string[] {
  const plain = bytes[0] === zstdMagic ? Bun.zstdDecompressSync(bytes) : bytes;
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString().split("\n");
}
