import { expect, test } from "bun:test";
import fc from "fast-check";
import { bufferPiece } from "../memory/buffer-memory.ts";
import { Body } from "./body.ts";
import { BodyReader } from "./body-reader.ts";

const noFlow = { pause() {}, resume() {}, cancel() {} };

test("buffered pieces have the same bytes in the same order, and are few", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 200 }), (all) => {
      const kept: Buffer[] = [];
      for (const piece of all) bufferPiece(kept, Buffer.from(piece));
      expect(Buffer.concat(kept)).toEqual(Buffer.concat(all));
      expect(kept.length).toBeLessThanOrEqual(22);
    }),
  );
});

test("a body in single bytes retains only its bytes, not the receive buffers", async () => {
  const chunk = Buffer.from(`1;${"x".repeat(4_000)}\r\na\r\n`);
  const chunks = 20_000;
  for (const isConsumed of [true, false]) {
    const { body, reader } = start();
    const bytes = isConsumed ? body.bytes(1_000_000) : undefined;
    Bun.gc(true);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < chunks; count++) reader.read(Buffer.from(chunk), 0);
    Bun.gc(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
    reader.read(Buffer.from("0\r\n\r\n"), 0);
    expect((await (bytes ?? body.bytes(1_000_000)))?.toString()).toBe("a".repeat(chunks));
  }
});

function start(): { body: Body; reader: BodyReader } {
  const reader = new BodyReader("chunked", noFlow);
  return { body: reader.body, reader };
}

test("a body that is stored as text is the same for every consumer, and is consumed once", async () => {
  const text = "plain ASCII";
  expect(Body.ofText(text).length).toBe(text.length);
  expect(Body.ofText(text).wholeText()).toBe(text);
  expect(Body.ofText(text).whole()?.toString()).toBe(text);
  expect((await Body.ofText(text).bytes(100))?.toString()).toBe(text);
  expect(await Body.ofText(text).bytes(5)).toBeUndefined();
  const observed: string[] = [];
  const body = Body.ofText(text);
  body.observe({ piece: (bytes) => observed.push(bytes.toString()), end: () => observed.push("end") });
  expect(observed).toEqual([text, "end"]);
  expect(body.wholeText()).toBeUndefined();
  expect(body.whole()?.toString()).toBe(text);
  expect(body.whole()).toBeUndefined();
  const taken = Body.ofText(text);
  taken.wholeText();
  expect(taken.isConsumed).toBe(true);
  expect(taken.whole()).toBeUndefined();
});
