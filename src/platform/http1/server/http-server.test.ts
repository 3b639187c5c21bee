import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openConnection, requestHead, seen, sendTo, startServer } from "../../../../test/support/http-server.ts";
import { until } from "../../../../test/support/until.ts";
import { HttpHeaders } from "../message/headers.ts";
import { HttpRequest } from "../message/http-request.ts";
import type { HttpServer } from "./http-server.ts";

let server: HttpServer;
beforeAll(() => {
  server = startServer();
});
afterAll(() => server.stop(0));

describe("responses", () => {
  test.each([
    ["GET / HTTP/1.1", "200 OK", "hello"],
    ["GET /umlaut HTTP/1.1", "200 OK", "ZÃ¼rich"],
    ["GET /late HTTP/1.1", "200 OK", "late"],
    ["GET /nowhere HTTP/1.1", "404 Not Found", "nothing here"],
    ["GET /throws HTTP/1.1", "500 Internal Server Error", "failed"],
    ["GET /rejects HTTP/1.1", "500 Internal Server Error", "failed"],
  ])("%s: %s", async (first, status, body) => {
    const { text } = await sendTo(server.port, requestHead(first), (got) => got.endsWith(body));
    expect(text).toBe(
      `HTTP/1.1 ${status}\r\ndate: Thu, 15 Jan 2026 10:00:00 GMT\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });

  test("HEAD gets only the head, 204 has no Content-Length", async () => {
    const { text } = await sendTo(
      server.port,
      requestHead("HEAD / HTTP/1.1") + requestHead("GET /nothing HTTP/1.1"),
      (got) => got.includes("204"),
    );
    expect(text).toMatch(
      /^HTTP\/1\.1 200 OK\r\n.*content-length: 5\r\n\r\nHTTP\/1\.1 204 No Content\r\ndate: [^\r]*\r\n\r\n$/s,
    );
  });

  test("responses of unknown length are chunked, and to HTTP/1.0 end with the connection", async () => {
    const chunked = await sendTo(server.port, requestHead("GET /pieces HTTP/1.1"), (got) => got.endsWith("0\r\n\r\n"));
    expect(chunked.text).toContain("transfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
    const old = await sendTo(server.port, "GET /pieces HTTP/1.0\r\n\r\n");
    expect(old.isClosed).toBe(true);
    expect(old.text).not.toContain("transfer-encoding");
    expect(old.text).toEndWith("\r\nconnection: close\r\n\r\nonetwo");
  });

  test("whose body fails abort the connection", async () => {
    const { text, isBroken } = await sendTo(server.port, requestHead("GET /breaks HTTP/1.1"));
    expect(text).toEndWith("\r\n\r\nhalf");
    expect(isBroken).toBe(true);
  });

  test("wait for a client that reads slowly, and are cancelled when it disconnects", async () => {
    seen.endlessBytes = 0;
    const connection = openConnection(server.port);
    connection.socket.pause();
    connection.socket.write(requestHead("GET /endless HTTP/1.1"));
    let last = -1;
    // The system's buffers accept some megabytes; after that the producer must be paused.
    await until(async () => {
      const isStill = seen.endlessBytes > 0 && seen.endlessBytes === last;
      last = seen.endlessBytes;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return isStill;
    });
    expect(seen.endlessBytes).toBeLessThan(50_000_000);
    const cancelled = seen.endlessCancelled;
    connection.socket.destroy();
    await until(() => seen.endlessCancelled > cancelled);
  });
});

describe("connections", () => {
  test("carry pipelined requests, and get their responses in order", async () => {
    const { text } = await sendTo(
      server.port,
      requestHead("GET /late HTTP/1.1") +
        requestHead("GET / HTTP/1.1") +
        requestHead("POST /echo HTTP/1.1", "Content-Length: 3") +
        "abc" +
        requestHead("GET /umlaut HTTP/1.1", "Connection: close"),
    );
    const bodies = text.split("\r\n\r\n").map((part) => part.split("HTTP/1.1")[0]);
    expect(bodies).toEqual(["", "late", "hello", "abc", "ZÃ¼rich"]);
  });

  test("read pipelined requests no faster than the client reads the responses", async () => {
    const requests = 30;
    const connection = openConnection(server.port);
    connection.socket.pause();
    const before = seen.paths.length;
    connection.socket.write(requestHead("GET /megabyte HTTP/1.1").repeat(requests));
    await until(() => seen.paths.length > before);
    // All requests arrived at once, so the unhandled ones wait for the client to read.
    expect(seen.paths.length - before).toBeLessThan(requests);
    connection.socket.resume();
    await until(() => connection.text.length > requests * 1_000_000 && connection.text.endsWith("large"));
    expect(seen.paths.length - before).toBe(requests);
    connection.socket.destroy();
  });

  test("are closed with Connection: close, and with HTTP/1.0 unless keep-alive", async () => {
    const closed = await sendTo(server.port, requestHead("GET / HTTP/1.1", "Connection: close"));
    expect(closed.text).toContain("connection: close\r\n");
    expect(closed.isClosed).toBe(true);
    const old = await sendTo(server.port, "GET / HTTP/1.0\r\n\r\n");
    expect(old.isClosed).toBe(true);
    const keptAlive = await sendTo(
      server.port,
      "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n",
    );
    expect(keptAlive.text.match(/200 OK/g)).toHaveLength(2);
  });

  test("notify the handler that the client disconnected", async () => {
    const connection = openConnection(server.port);
    seen.release = undefined;
    connection.socket.write(requestHead("GET /pending HTTP/1.1"));
    await until(() => seen.release);
    const before = seen.gone.length;
    connection.socket.destroy();
    await until(() => seen.gone.length > before);
    seen.release!();
  });

  test("notify the handler also after a body that arrived faster than it was read, and a listener that is added late", async () => {
    const connection = openConnection(server.port);
    let isSent = false;
    seen.release = undefined;
    // One byte more than fits without a pause, so that the pause comes with the last byte.
    const bytes = 64 * 1024 + 1;
    connection.socket.write(requestHead("POST /pending HTTP/1.1", `Content-Length: ${bytes}`));
    connection.socket.write(Buffer.alloc(bytes), () => {
      isSent = true;
    });
    await until(() => seen.release && isSent);
    const before = seen.gone.length;
    connection.socket.destroy();
    await until(() => seen.gone.length > before);
    seen.release!();
    const request = new HttpRequest("GET", "/", new HttpHeaders(), undefined, "");
    request.abort();
    let isNotified = false;
    request.abortListener = {
      onAbort() {
        isNotified = true;
      },
    };
    expect(isNotified).toBe(true);
  });
});

describe("invalid HTTP", () => {
  test.each([
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["TLS", Buffer.from([0x16, 3, 1, 0, 5, 1, 2]), 400],
    ["a length and chunks", requestHead("POST /echo HTTP/1.1", "Content-Length: 5", "Transfer-Encoding: chunked"), 400],
    ["a head without an end", `GET / HTTP/1.1\r\nX: ${"x".repeat(40_000)}`, 431],
  ])("%s: rejected, and the connection closed", async (_, bytes, status) => {
    const { text, isClosed } = await sendTo(server.port, bytes);
    expect(text).toStartWith(`HTTP/1.1 ${status} `);
    expect(text).toContain("connection: close\r\n");
    expect(isClosed).toBe(true);
  });

  test("bytes after it are not parsed as a request", async () => {
    const { text } = await sendTo(
      server.port,
      `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n${requestHead("GET / HTTP/1.1")}`,
    );
    expect(text.match(/HTTP\/1\.1 \d\d\d/g)).toEqual(["HTTP/1.1 400"]);
  });

  test("in the middle of a body: the body fails, and nothing after it is parsed", async () => {
    const { text, isClosed } = await sendTo(
      server.port,
      `${requestHead("POST /echo HTTP/1.1", "Transfer-Encoding: chunked")}3\r\nabc\r\nzz\r\n${requestHead("GET / HTTP/1.1")}`,
    );
    expect(text).toStartWith("HTTP/1.1 400 ");
    expect(text).not.toContain("hello");
    expect(isClosed).toBe(true);
    const late = openConnection(server.port);
    const before = seen.failures.length;
    late.socket.write(`${requestHead("POST /echo HTTP/1.1", "Transfer-Encoding: chunked")}3\r\nabc\r\n`);
    await new Promise((resolve) => setImmediate(resolve));
    late.socket.write(`zz\r\n${requestHead("GET / HTTP/1.1")}`);
    await until(() => late.isClosed);
    expect(late.text.match(/HTTP\/1\.1 \d\d\d/g)).toHaveLength(1);
    expect(late.text).not.toContain("hello");
    expect(seen.failures.length).toBeLessThanOrEqual(before + 1);
  });

  test("random bytes do not stop the server", async () => {
    const mostly = fc.stringMatching(/^(GET|POST|\r\n|[ :/a-z0-9]|HTTP\/1\.[01]|Host: a|Content-Length: |chunked)*$/);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), mostly), async (bytes) => {
        const connection = openConnection(server.port);
        connection.socket.end(Buffer.from(bytes as Uint8Array));
        await until(() => connection.isClosed);
        expect(connection.text).toMatch(/^(HTTP\/1\.1 (200|204|400|404|431|500) |$)/);
      }),
      { numRuns: 200 },
    );
    const { text } = await sendTo(server.port, requestHead("GET / HTTP/1.1"), (got) => got.endsWith("hello"));
    expect(text).toStartWith("HTTP/1.1 200 OK");
  });
});
