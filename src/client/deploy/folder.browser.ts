// Bundlers for browsers use this file instead of folder.ts, by the field `browser` of package.json.

/** Throws: browsers cannot read folders. */
export async function packFolder(folder: string): Promise<Blob> {
  throw new Error(`Cannot read ${folder}: browsers deploy a gzip tar, as bytes, a Blob or a stream.`);
}
