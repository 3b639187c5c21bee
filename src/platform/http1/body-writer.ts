import type { Body } from "./body.ts";
import { chunkOf, lastChunk } from "./chunked.ts";
import { outgoing } from "./outgoing.ts";
import type { Output } from "./output.ts";

/** A copy of so much costs less than another call of the system. */
const smallContent = 16 * 1024;

/** Ends a head that was begun and sends it, with the whole of what follows it: text as UTF-8. */
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

/** The same for the bytes from there on. */
export function writeRest(output: Output, bytes: Buffer, from: number): void {
  const size = bytes.length - from;
  if (size > smallContent) {
    writeContent(output, bytes.subarray(from));
    return;
  }
  outgoing.line("content-length", String(size));
  outgoing.text("\r\n");
  outgoing.rest(bytes, from);
  output.send();
}

/** Sends a body as it comes, and no faster than it is read. */
export function writeBody(
  output: Output,
  body: Body,
  isChunked: boolean,
  { end, fail }: { end(): void; fail(error: Error): void },
): void {
  output.onDrained = () => body.resume();
  body.takeBy({
    take: (piece) => output.bytes(isChunked ? chunkOf(piece) : piece),
    end: () => {
      if (isChunked) output.text(lastChunk);
      output.onDrained = undefined;
      end();
    },
    fail,
  });
}
