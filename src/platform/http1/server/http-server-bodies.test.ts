import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openConnection, requestHead, seen, sendTo, startServer } from "../../../../test/support/http-server.ts";
import { until } from "../../../../test/support/until.ts";
import type { HttpServer } from "./http-server.ts";

let server: HttpServer;
beforeAll(() => {
  server = startServer();
});
afterAll(() => server.stop(0));

describe("bodies", () => {
  test("without a consumer are discarded, or close the connection if they are long", async () => {
    const small = await sendTo(
      server.port,
      `${requestHead("POST /ignore HTTP/1.1", "Content-Length: 5")}abcde${requestHead("GET / HTTP/1.1")}`,
      (got) => got.endsWith("hello"),
    );
    expect(small.text).not.toContain("connection: close");
    const deferred = openConnection(server.port);
    deferred.socket.write(`${requestHead("POST /ignore HTTP/1.1", "Content-Length: 5")}ab`);
    await until(() => deferred.text.endsWith("ignored"));
    deferred.socket.write(`cde${requestHead("GET / HTTP/1.1")}`);
    await until(() => deferred.text.endsWith("hello"));
    deferred.socket.destroy();
    for (const [header, content] of [
      ["Content-Length: 1000000", "abc"],
      ["Transfer-Encoding: chunked", "3\r\nabc\r\n"],
    ]) {
      const large = openConnection(server.port);
      large.socket.write(requestHead("POST /ignore HTTP/1.1", header!) + content);
      await until(() => large.text.endsWith("ignored"));
      expect(large.text).toContain("connection: close");
      await until(() => large.isClosed);
    }
  });

  test("bodies that are incomplete when the response is sent fail for their consumer", async () => {
    for (const [length, keepAlive] of [
      [10, true],
      [1_000_000, false],
    ] as const) {
      const before = seen.bodyFailures.length;
      const connection = openConnection(server.port);
      connection.socket.write(`${requestHead("POST /early HTTP/1.1", `Content-Length: ${length}`)}half`);
      await until(() => connection.text.endsWith("early") && seen.bodyFailures.length > before);
      if (keepAlive) {
        connection.socket.write(`123456${requestHead("GET / HTTP/1.1")}`);
        await until(() => connection.text.endsWith("hello"));
      } else await until(() => connection.isClosed);
      connection.socket.destroy();
    }
  });

  test("bodies that are too large get a response with Connection: close", async () => {
    const { text } = await sendTo(
      server.port,
      `${requestHead("POST /limited HTTP/1.1", "Content-Length: 1000000")}more than ten bytes`,
    );
    expect(text).toStartWith("HTTP/1.1 413 ");
    expect(text).toContain("connection: close\r\n");
  });

  test("get 100 Continue only once they have a consumer", async () => {
    const wanted = openConnection(server.port);
    wanted.socket.write(requestHead("POST /echo HTTP/1.1", "Content-Length: 2", "Expect: 100-continue"));
    await until(() => wanted.text === "HTTP/1.1 100 Continue\r\n\r\n");
    wanted.socket.write("hi");
    await until(() => wanted.text.endsWith("hi"));
    wanted.socket.destroy();
    const unwanted = await sendTo(
      server.port,
      requestHead("POST /ignore HTTP/1.1", "Content-Length: 2", "Expect: 100-continue"),
    );
    expect(unwanted.text).not.toContain("100 Continue");
    expect(unwanted.text).toMatch(/connection: close\r\n.*\r\n\r\nignored$/s);
  });

  test("are echoed unchanged, however they are split", async () => {
    const content = fc.uint8Array({ maxLength: 5_000 });
    const sizes = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(content, sizes, fc.boolean(), fc.boolean(), async (bytes, cuts, isChunked, isMirror) => {
        const text = Buffer.from(bytes);
        const path = isMirror ? "/mirror" : "/echo";
        const head = requestHead(
          `POST ${path} HTTP/1.1`,
          isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${text.length}`,
          "Connection: close",
        );
        const framed = isChunked ? chunked(text, cuts) : text;
        const message = Buffer.concat([Buffer.from(head), framed]);
        const connection = openConnection(server.port);
        const pieces: Buffer[] = [];
        connection.socket.on("data", (piece) => pieces.push(piece as Buffer));
        for (let at = 0, turn = 0; at < message.length; turn++) {
          const size = cuts[turn % cuts.length]!;
          connection.socket.write(message.subarray(at, at + size));
          at += size;
          // Each piece is sent in a packet of its own as far as possible.
          await new Promise((resolve) => setImmediate(resolve));
        }
        await until(() => connection.isClosed);
        expect(bodyIn(Buffer.concat(pieces)).equals(text)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

function chunked(text: Buffer, sizes: number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const piece = text.subarray(at, at + sizes[turn % sizes.length]!);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** Parses the body of a response with an independent implementation. */
function bodyIn(response: Buffer): Buffer {
  const end = response.indexOf("\r\n\r\n");
  const head = response.subarray(0, end).toString();
  let rest = response.subarray(end + 4);
  if (!head.includes("chunked")) return rest;
  const parts: Buffer[] = [];
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.subarray(0, line).toString(), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(line + 2, line + 2 + size));
    rest = rest.subarray(line + 4 + size);
  }
}
