import { outgoing } from "../output/outgoing.ts";
import { type Output, smallContent } from "../output/output.ts";
import type { Body } from "./body.ts";
import { chunkOf, lastChunk } from "./chunked.ts";

/** Ends the head in `outgoing` and sends it with the content. Text is UTF-8. */
export function writeContent(output: Output, content: string | Uint8Array, isSent = true): void {
  const size = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  outgoing.line("content-length", String(size));
  outgoing.text("\r\n");
  const isSmall = isSent && size <= smallContent;
  if (isSmall && typeof content === "string") outgoing.utf8(content, size);
  else if (isSmall) outgoing.bytes(content as Uint8Array);
  output.send();
  if (isSent && !isSmall) output.bytes(typeof content === "string" ? Buffer.from(content) : content);
}

/** Like `writeContent`, for a slice of `bytes` without creating the slice. */
export function writeSlice(output: Output, bytes: Buffer, from: number): void {
  const size = bytes.length - from;
  if (size > smallContent) {
    writeContent(output, bytes.subarray(from));
    return;
  }
  outgoing.line("content-length", String(size));
  outgoing.text("\r\n");
  outgoing.slice(bytes, from);
  output.send();
}

/** Streams a body with backpressure. */
export function writeBody(
  output: Output,
  body: Body,
  isChunked: boolean,
  { end, fail }: { end(): void; fail(error: Error): void },
): void {
  output.onDrained = () => body.resume();
  body.consume({
    takesAll: true,
    write: (piece) => output.bytes(isChunked ? chunkOf(piece) : piece),
    end: () => {
      if (isChunked) output.text(lastChunk);
      output.onDrained = undefined;
      end();
    },
    fail,
  });
}
