const newline = 0x0a;

/** Where lines are put together: a buffer for each pack would cost half as much as packing it. */
let scratch = Buffer.allocUnsafe(256 * 1024);

/** Lines in few bytes. */
export function packLines(lines: string[]): Uint8Array {
  // UTF-8 takes at most three bytes for each unit of a text.
  const most = lines.reduce((sum, line) => sum + line.length * 3 + 1, 0);
  if (scratch.length < most) scratch = Buffer.allocUnsafe(most);
  let length = 0;
  for (const line of lines) {
    if (length > 0) scratch[length++] = newline;
    length += scratch.write(line, length);
  }
  return Bun.zstdCompressSync(scratch.subarray(0, length), { level: 1 });
}

/** The first byte of what zstd writes, with which no line of ours begins. */
const zstdMagic = 0x28;

/** The lines of a pack, or of bytes that are not packed. Throws if they cannot be unpacked. */
export function unpackLines(bytes: Uint8Array): string[] {
  const plain = bytes[0] === zstdMagic ? Bun.zstdDecompressSync(bytes) : bytes;
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString().split("\n");
}
