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

/** Larger buffers are freed at once. */
const largeBuffer = 64 * 1024;

/**
 * Returns the lines of a pack, or of uncompressed bytes; none if one of the texts is not in any line. Throws if they
 * cannot be unpacked.
 */
export function unpackLines(bytes: Uint8Array, texts: string[] = []): string[] {
  if (bytes[0] !== zstdMagic) return linesOf(bytes, texts);
  const plain = Bun.zstdDecompressSync(bytes);
  const lines = linesOf(plain, texts);
  // A search unpacks a whole log. Without this, its buffers would take memory until the next garbage collection.
  const { buffer } = plain;
  if (buffer instanceof ArrayBuffer && buffer.byteLength > largeBuffer && buffer.byteLength === plain.byteLength)
    buffer.transfer(0);
  return lines;
}

function linesOf(bytes: Uint8Array, texts: string[]): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Searching bytes creates no string, and most packs do not contain a rare text.
  return texts.every((text) => buffer.includes(text)) ? buffer.toString().split("\n") : [];
}
