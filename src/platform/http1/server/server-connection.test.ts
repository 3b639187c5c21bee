import { expect, test } from "bun:test";
import { BufferMemory } from "../memory/buffer-memory.ts";
import { HttpResponse } from "../message/http-response.ts";
import type { AcceptedConnection } from "./accepted-connection.ts";
import { ServerConnection } from "./server-connection.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

const response = "HTTP/1.1 204 No Content\r\ndate: now\r\n\r\n";

/**
 * A connection whose handler responds synchronously, with the calls on its socket. `room` is the number of bytes that
 * the socket accepts.
 */
function connect(room = Number.POSITIVE_INFINITY) {
  const calls: string[] = [];
  const socket = {
    write: (bytes: Buffer, from = 0, size = bytes.length) => {
      const written = Math.min(size, room);
      calls.push(bytes.toString("latin1", from, from + written));
      return written;
    },
    end: () => void calls.push("end"),
    terminate: () => void calls.push("terminate"),
  };
  const respond = () => new HttpResponse(204);
  const connection = new ServerConnection(
    socket as unknown as Bun.Socket<AcceptedConnection>,
    "127.0.0.1",
    { handle: respond, reject: respond, onError: respond },
    {
      second: 0,
      date: "now",
      isStopping: false,
      isLingering: false,
      timeouts: { bodySeconds: 1, minBodyBytesPerSecond: 1 },
      trustedProxies: new TrustedProxies(),
      memory: new BufferMemory(),
    },
  );
  const request = () => connection.received(Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  return { connection, request, calls };
}

test("a queued response is written before the connection is evicted", () => {
  const { connection, request, calls } = connect();
  request();
  connection.evict();
  expect(calls).toEqual([response, "end"]);
});

test("a queued response is written completely after the client half-closed", () => {
  const { connection, request, calls } = connect(10);
  request();
  connection.ended();
  expect(calls).toEqual(["HTTP/1.1 2"]);
  while (calls.at(-1) !== "end" && calls.length < 20) connection.drained();
  expect(calls.join("")).toBe(`${response}end`);
});
