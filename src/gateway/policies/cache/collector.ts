/**
 * Passes a body on as it comes, and hands a copy of it to `done` at its end, unless it is larger than the limit or does not
 * reach its end. Not `tee`: that would gather in memory what a slow caller has not read yet.
 */
export function collecting(
  body: ReadableStream<Uint8Array>,
  limit: number,
  done: (bytes: Uint8Array<ArrayBuffer>) => void,
): ReadableStream<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size <= limit) chunks.push(chunk.slice());
        else chunks = [];
        controller.enqueue(chunk);
      },
      flush() {
        if (size <= limit) done(joined(chunks, size));
      },
    }),
  );
}

function joined(chunks: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
