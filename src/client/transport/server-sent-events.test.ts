import { expect, test } from "bun:test";
import { type ServerSentEvent, serverSentEvents } from "./server-sent-events.ts";

/** Splits the text's bytes into chunks of a size, in the middle of lines and characters. */
function streamOf(text: string, size: number, onCancel = () => {}): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let position = 0;
  return new ReadableStream({
    pull(controller) {
      if (position >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(position, position + size));
      position += size;
    },
    cancel: onCancel,
  });
}

const text =
  ': following\n\nid: 1\nevent: log\ndata: {"a":"größer"}\n\nevent: log\r\ndata: x\r\ndata:y\r\n\r\ndata\n\nid: 9\n\ndata: cut';

test.each([1, 2, 3, 7, 1000])("events are parsed from chunks of %d bytes", async (size) => {
  expect(await Array.fromAsync(serverSentEvents(streamOf(text, size)))).toEqual([
    { id: "1", event: "log", data: '{"a":"größer"}' },
    { id: undefined, event: "log", data: "x\ny" },
    { id: undefined, event: "message", data: "" },
  ]);
});

test("leaving the loop closes the stream", async () => {
  let cancelled = false;
  const events: ServerSentEvent[] = [];
  const stream = streamOf(text.repeat(100), 10, () => {
    cancelled = true;
  });
  for await (const event of serverSentEvents(stream)) {
    events.push(event);
    break;
  }
  expect(events).toHaveLength(1);
  expect(cancelled).toBeTrue();
});
