import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ChunkedDecoder, chunkOf, lastChunk } from "./chunked.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Feeds bytes in pieces of the given sizes, cyclically. */
function decode(bytes: Buffer, sizes: number[]) {
  const decoder = new ChunkedDecoder();
  const pieces: Buffer[] = [];
  let at = 0;
  let turn = 0;
  while (at < bytes.length && !decoder.isDone) {
    const piece = bytes.subarray(at, at + sizes[turn++ % sizes.length]!);
    const read = decoder.decode(piece, 0, (data) => pieces.push(data));
    at += read;
    if (read < piece.length) break;
  }
  return { body: Buffer.concat(pieces), isDone: decoder.isDone, at };
}

const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });

test("a chunked body decodes to the same bytes, however it is split, and the bytes after it remain", () => {
  const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 8 });
  const after = fc.uint8Array({ maxLength: 50 });
  fc.assert(
    fc.property(chunks, cuts, after, (parts, sizes, rest) => {
      const message = Buffer.concat([...parts.map(chunkOf), Buffer.from(lastChunk)]);
      const { body, isDone, at } = decode(Buffer.concat([message, rest]), sizes);
      expect(isDone).toBe(true);
      expect(body.equals(Buffer.concat(parts))).toBe(true);
      expect(at).toBe(message.length);
    }),
  );
});

describe("chunked bodies of other servers", () => {
  test.each([
    ["5\r\nhello\r\n0\r\n\r\n", "hello"],
    ["5;name=value\r\nhello\r\n0;last\r\n\r\n", "hello"],
    ['5;a;b=c;d="e; \\"f\\""\r\nhello\r\n0\r\n\r\n', "hello"],
    ["0005\r\nhello\r\n000\r\n\r\n", "hello"],
    ["A\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n", "0123456789"],
  ])("%j is %s", (text, expected) => {
    const { body, isDone } = decode(Buffer.from(text), [1]);
    expect(isDone).toBe(true);
    expect(body.toString()).toBe(expected);
  });
});

describe("chunks that two servers could parse differently are rejected", () => {
  test.each([
    '{"not":"chunked"}',
    "5\r\nhello\r\n0\r\n\0\r\n\r\n",
    "5\r\nhello\r\n0\r\nno colon\r\n\r\n",
    "5\r\nhello\r\n0\r\nx y: z\r\n\r\n",
    "5\nhello\r\n0\r\n\r\n",
    "5\r\nhello\n0\r\n\r\n",
    "5\r\nhello0\r\n\r\n",
    "5\r\nhello!\r\n0\r\n\r\n",
    "0x5\r\nhello\r\n0\r\n\r\n",
    "+5\r\nhello\r\n0\r\n\r\n",
    "-5\r\nhello\r\n0\r\n\r\n",
    " 5\r\nhello\r\n0\r\n\r\n",
    "5 \r\nhello\r\n0\r\n\r\n",
    "5\t\r\nhello\r\n0\r\n\r\n",
    "5 ;name\r\nhello\r\n0\r\n\r\n",
    "5;\r\nhello\r\n0\r\n\r\n",
    "5; name\r\nhello\r\n0\r\n\r\n",
    "5;name;\r\nhello\r\n0\r\n\r\n",
    "5;=value\r\nhello\r\n0\r\n\r\n",
    "5;name=\r\nhello\r\n0\r\n\r\n",
    '5;name="open\r\nhello\r\n0\r\n\r\n',
    "5\r\nhello\r\n0 \r\n\r\n",
    "\r\nhello\r\n0\r\n\r\n",
    "fffffffffffff\r\nhello",
    `5;${"x".repeat(5000)}\r\nhello\r\n0\r\n\r\n`,
    `0\r\n${"x: 1\r\n".repeat(5000)}\r\n`,
  ])("%j", (text) => {
    for (const sizes of [[1], [7], [10_000]]) expect(() => decode(Buffer.from(text), sizes)).toThrow(ProtocolError);
  });
});

test.each([
  ["x\r\n", "the size line of a chunk is invalid"],
  ["5;=\r\n", "the size line of a chunk is invalid"],
  ["5\r\nhello!\r\n", "a chunk is longer than its size"],
  ["0\r\nno colon\r\n", "a trailer is not a valid header"],
])("the error of %j names the part that is invalid, also before the end of its line has arrived", (text, message) => {
  for (const sizes of [[1], [100]]) expect(() => decode(Buffer.from(text), sizes)).toThrow(message);
});
