/** Reads lines of files in a gzip tar, for build errors. Returns nothing if the data is not such an archive. */
export async function lineOfArchive(archive: Blob, file: string, line: number): Promise<string | undefined> {
  try {
    const stream = archive.stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const content = fileIn(bytes, file);
    return content && new TextDecoder().decode(content).split("\n")[line - 1];
  } catch {
    return undefined;
  }
}

const block = 512;

function fileIn(bytes: Uint8Array, wanted: string): Uint8Array | undefined {
  const text = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8) || 0;
    const prefix = text(at + 345, 155);
    const name = `${prefix ? `${prefix}/` : ""}${text(at, 100)}`.replace(/^\.\//, "");
    if (name === wanted || name.endsWith(`/${wanted}`)) return bytes.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
  }
  return undefined;
}
