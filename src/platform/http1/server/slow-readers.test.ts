import { afterEach, expect, test } from "bun:test";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls, createSecureContext } from "node:tls";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { requestHead } from "../../../../test/support/http-server.ts";
import { BufferMemory } from "../memory/buffer-memory.ts";
import { Body } from "../message/body.ts";
import { HttpHeaders } from "../message/headers.ts";
import type { HttpRequest } from "../message/http-request.ts";
import { HttpResponse } from "../message/http-response.ts";
import { TunnelEnd } from "../message/tunnel.ts";
import { HttpServer } from "./http-server.ts";

const mebibyte = 1024 * 1024;
/** More than the buffers of two sockets hold. */
const size = 12 * mebibyte;
const limit = 60 * mebibyte;
const readers = 16;

const content = Buffer.alloc(size, "slow");
const text = content.toString();

/** Everything arrives before the sender can pause. */
function streamed(length: number | undefined): Body {
  const body = new Body(length);
  queueMicrotask(() => {
    for (let at = 0; at < size; at += mebibyte) body.push(content.subarray(at, at + mebibyte));
    body.end();
  });
  return body;
}

function upgraded(): HttpResponse {
  const response = new HttpResponse(101, new HttpHeaders({ upgrade: "bytes" }));
  const end = new TunnelEnd({ pause() {}, resume() {} } as never, { end() {} } as never);
  queueMicrotask(() => end.received(content));
  response.tunnel = end;
  return response;
}

const kinds: Record<string, () => HttpResponse> = {
  text: () => new HttpResponse(200, new HttpHeaders(), text),
  bytes: () => new HttpResponse(200, new HttpHeaders(), content),
  "a stream of known length": () => new HttpResponse(200, new HttpHeaders(), streamed(size)),
  chunks: () => new HttpResponse(200, new HttpHeaders(), streamed(undefined)),
  "an upgraded connection": upgraded,
};

let server: HttpServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.stop(0);
});

const { certificate, key } = makeCertificate(["a.test"]);
const secureContext = createSecureContext({ cert: certificate, key });

test.each(
  Object.keys(kinds).flatMap((kind) => [
    { kind, isTls: false },
    { kind, isTls: true },
  ]),
)("what waits for readers that do not read is bounded: $kind, TLS: $isTls", async ({ kind, isTls }) => {
  const memory = new BufferMemory(limit);
  const handle = (_: HttpRequest) => kinds[kind]!();
  server = new HttpServer({
    address: { hostname: "0.0.0.0", port: 0 },
    now: () => 0,
    memory,
    handle,
    reject: ({ status }) => new HttpResponse(status),
    onError: () => new HttpResponse(500),
    ...(isTls && { tls: { defaultContext: () => secureContext, contextOf: () => undefined } }),
  });
  const { port } = server;
  /** A connection that has asked and reads nothing. */
  const open = (localAddress: string) => {
    const socket = connectPlain({ port, host: "127.0.0.1", localAddress });
    const stream = isTls ? connectTls({ socket, rejectUnauthorized: false }) : socket;
    const reader = { stream, isClosed: false };
    sockets.push(socket);
    for (const each of new Set([socket, stream]))
      each
        .on("error", () => {})
        .on("close", () => {
          reader.isClosed = true;
        });
    stream.pause();
    stream.write(requestHead("GET / HTTP/1.1"));
    return reader;
  };
  const slow = Array.from({ length: readers }, () => open("127.0.0.1"));
  await eventually(() => memory.used).toBeGreaterThanOrEqual(size);
  // Each of them holds a whole response, of which the system has taken a part.
  expect(memory.used).toBeLessThanOrEqual(limit / 3);

  // Another network still gets everything, and so does a reader that goes on.
  const other = open("127.0.0.2");
  expect(await bytesRead(other.stream)).toBeGreaterThanOrEqual(size);
  await eventually(() => memory.used).toBeLessThanOrEqual(limit / 3);
  const received = await Promise.all(slow.map(({ stream }) => bytesRead(stream)));
  const complete = received.filter((bytes) => bytes >= size);
  expect(complete.length).toBeGreaterThanOrEqual(1);
  expect(complete.length).toBeLessThan(readers / 2);
  await eventually(() => memory.used).toBe(0);
});

/** Reads until the whole response is there, or the connection is closed. */
function bytesRead(stream: Socket): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    stream.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes >= size) resolve(bytes);
    });
    stream.on("close", () => resolve(bytes));
    if (stream.destroyed) resolve(bytes);
    stream.resume();
  });
}
