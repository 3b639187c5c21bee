import type { Body } from "./body.ts";
import { chunkOf, lastChunk } from "./chunked.ts";
import type { Output } from "./output.ts";

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
