const newline = 10;

/** Reads a stream line by line. Lines longer than `maxBytes` are dropped, so that memory is bounded. */
export async function readLines(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  onLine: (line: string) => void,
): Promise<void> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      size += end - start;
      if (size <= maxBytes) onLine(Buffer.concat([...pieces, chunk.subarray(start, end)]).toString());
      pieces = [];
      size = 0;
      start = end + 1;
    }
    size += chunk.length - start;
    if (size <= maxBytes) pieces.push(chunk.slice(start));
    else pieces = [];
  }
}

/** Reads a stream to its end and returns the last part. */
export async function readTail(stream: ReadableStream<Uint8Array>, keep: (tail: string) => void): Promise<void> {
  const maxCharacters = 8 * 1024;
  const decoder = new TextDecoder();
  let tail = "";
  for await (const chunk of stream) {
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-maxCharacters);
    keep(tail);
  }
}
