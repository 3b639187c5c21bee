import type { BuildVariables } from "../../core/artifact/build-variables.ts";
import type { ArchiveChunks } from "./archive.ts";

const openingBrace = 0x7b;
const lineFeed = 0x0a;

/** Splits the input of a builder: an optional line of JSON with the project's variables, and the archive. */
export async function splitInput(
  chunks: ArchiveChunks,
): Promise<{ variables: BuildVariables | undefined; archive: ArchiveChunks }> {
  const source = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  // An archive begins with the magic number of gzip, never with a brace.
  while (head.length === 0 || (head[0] === openingBrace && !head.includes(lineFeed))) {
    const { value, done } = await source.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const end = head[0] === openingBrace ? head.indexOf(lineFeed) : -1;
  const variables = end === -1 ? undefined : (JSON.parse(head.toString("utf8", 0, end)) as BuildVariables);
  return { variables, archive: following(head.subarray(end + 1), source) };
}

async function* following(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
