import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { openConnection, requestHead, seen, sendTo, startServer } from "../../../../test/support/http-server.ts";
import { until } from "../../../../test/support/until.ts";
import { HttpServer } from "./http-server.ts";

let server: HttpServer;
beforeAll(() => {
  server = startServer();
});
afterAll(() => server.stop(0));

describe("connections", () => {
  test("time out only if the client is silent while the server waits for it", async () => {
    const own = startServer();
    const idle = openConnection(own.port);
    idle.socket.write(requestHead("GET / HTTP/1.1"));
    const half = openConnection(own.port);
    half.socket.write("GET / HT");
    const stuck = openConnection(own.port);
    stuck.socket.write(`${requestHead("POST /echo HTTP/1.1", "Content-Length: 10")}half`);
    const waiting = openConnection(own.port);
    seen.release = undefined;
    waiting.socket.write(requestHead("GET /pending HTTP/1.1"));
    await until(() => idle.text.endsWith("hello") && seen.release);
    for (let second = 0; second < 32; second++) own.checkTimeouts();
    await until(() => half.isClosed);
    expect([idle.isClosed, stuck.isClosed, waiting.isClosed]).toEqual([false, false, false]);
    for (let second = 0; second < 30; second++) own.checkTimeouts();
    await until(() => idle.isClosed && stuck.isClosed);
    expect(waiting.isClosed).toBe(false);
    seen.release!();
    await until(() => waiting.text.endsWith("pending"));
    waiting.socket.destroy();
    await own.stop(0);
  });

  test("get their responses after the client half-closed", async () => {
    for (const [requests, end] of [
      [requestHead("GET / HTTP/1.1"), "hello"],
      [requestHead("GET /late HTTP/1.1"), "late"],
      [requestHead("GET /large HTTP/1.1"), "large"],
      [requestHead("GET / HTTP/1.1") + requestHead("GET /late HTTP/1.1"), "late"],
      [requestHead("GET /pieces HTTP/1.1"), "0\r\n\r\n"],
      [`${requestHead("POST /echo HTTP/1.1", "Content-Length: 4")}body`, "body"],
    ] as const) {
      const half = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
      let text = "";
      let isEnded = false;
      half.on("data", (piece) => {
        text += piece;
      });
      half.on("end", () => {
        isEnded = true;
      });
      half.end(requests);
      await until(() => isEnded);
      expect(text.endsWith(end)).toBe(true);
      half.destroy();
    }
  });

  test("get a slow response after the client half-closed, and close if the client has disconnected", async () => {
    seen.release = undefined;
    const half = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    half.on("data", (piece) => {
      text += piece;
    });
    half.end(requestHead("GET /pending HTTP/1.1"));
    await until(() => seen.release !== undefined && text !== "");
    expect(text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    seen.release!();
    await until(() => text.endsWith("pending"));
    half.destroy();
  });

  test("get 408 if a body that is buffered comes at less than 16 KiB/s for ten seconds", async () => {
    const own = startServer();
    const send = (kibibytes: number) => {
      const connection = openConnection(own.port);
      const length = 1024 * kibibytes;
      connection.socket.write(
        requestHead("POST /whole HTTP/1.1", `Content-Length: ${length + 1}`) + "x".repeat(length),
      );
      return connection;
    };
    const slow = send(170);
    const fast = send(180);
    await until(() => own.memory.used === 350 * 1024);
    for (let second = 0; second < 10; second++) own.checkTimeouts();
    expect(own.memory.used).toBe(350 * 1024);
    own.checkTimeouts();
    await until(() => slow.isClosed);
    expect(seen.failures.pop()).toMatchObject({ status: 408 });
    expect(own.memory.used).toBe(180 * 1024);
    fast.socket.write("x");
    await until(() => fast.text.endsWith(String(180 * 1024 + 1)));
    await until(() => own.memory.used === 0);
    fast.socket.destroy();
    await own.stop(0);
  });

  test("get 408 if a body is too slow, but may be silent while a response streams", async () => {
    const own = startServer();
    const slow = openConnection(own.port);
    slow.socket.write(`${requestHead("POST /echo HTTP/1.1", "Content-Length: 100000")}a`);
    const twoWay = openConnection(own.port);
    twoWay.socket.write(`${requestHead("POST /mirror HTTP/1.1", "Transfer-Encoding: chunked")}1\r\na\r\n`);
    await until(() => twoWay.text.endsWith("1\r\na\r\n"));
    for (let minute = 0; minute < 4; minute++) {
      for (let second = 0; second < 20; second++) own.checkTimeouts();
      const before = seen.paths.length;
      slow.socket.write("b");
      const ping = openConnection(own.port);
      ping.socket.write(requestHead("GET / HTTP/1.1"));
      await until(() => seen.paths.length > before);
      ping.socket.destroy();
    }
    await until(() => slow.isClosed);
    expect(seen.failures.pop()).toMatchObject({ status: 408 });
    twoWay.socket.write("1\r\nb\r\n0\r\n\r\n");
    await until(() => twoWay.text.endsWith("1\r\nb\r\n0\r\n\r\n"));
    twoWay.socket.destroy();
    await own.stop(0);
  });

  test("are not closed before a client that reads slowly has received the whole response", async () => {
    for (const path of ["/large", "/megabyte"]) {
      const own = startServer();
      const slow = openConnection(own.port);
      slow.socket.pause();
      const before = seen.paths.length;
      slow.socket.write(requestHead(`GET ${path} HTTP/1.1`, "Connection: close"));
      await until(() => seen.paths.length > before);
      for (let second = 0; second < 10; second++) own.checkTimeouts();
      slow.socket.resume();
      await until(() => slow.isClosed);
      expect([slow.text.length > 1_000_000, slow.text.endsWith("large"), slow.isBroken]).toEqual([true, true, false]);
      await own.stop(0);
    }
  });

  test("are closed eventually, whatever a client continues to send", async () => {
    const own = startServer();
    const socket = connect({ port: own.port, host: "127.0.0.1", allowHalfOpen: true });
    let isEnded = false;
    let isBroken = false;
    socket.on("data", () => {});
    socket.on("end", () => {
      isEnded = true;
    });
    socket.on("error", () => {
      isBroken = true;
    });
    socket.write(requestHead("POST /ignore HTTP/1.1", "Content-Length: 100000000"));
    await until(() => isEnded);
    await until(() => {
      socket.write("more");
      own.checkTimeouts();
      return isBroken;
    });
    socket.destroy();
    await own.stop(0);
  });

  test("are closed if no response is possible", async () => {
    const own = new HttpServer({
      address: { hostname: "127.0.0.1", port: 0 },
      now: () => 0,
      handle: () => {
        throw new Error("broken");
      },
      reject: () => {
        throw new Error("broken too");
      },
      onError: (error) => {
        throw error;
      },
    });
    for (const bytes of ["nonsense\r\n\r\n", requestHead("GET / HTTP/1.1")]) {
      const connection = openConnection(own.port);
      connection.socket.write(bytes);
      await until(() => connection.isClosed);
      expect(connection.text).toBe("");
    }
    await own.stop(0);
    const twice = await sendTo(server.port, `${requestHead("POST /twice HTTP/1.1", "Content-Length: 3")}abc`);
    expect(twice.isClosed).toBe(true);
  });

  test("close when the server stops: idle ones immediately, the others after their response", async () => {
    const own = startServer();
    const idle = openConnection(own.port);
    idle.socket.write(requestHead("GET / HTTP/1.1"));
    const busy = openConnection(own.port);
    seen.release = undefined;
    busy.socket.write(requestHead("GET /pending HTTP/1.1"));
    await until(() => idle.text.endsWith("hello") && seen.release);
    const stopping = own.stop(10_000);
    await until(() => idle.isClosed);
    expect(busy.isClosed).toBe(false);
    seen.release!();
    await stopping;
    await until(() => busy.isClosed);
    expect(busy.text).toMatch(/connection: close\r\n.*\r\n\r\npending$/s);
    const late = openConnection(own.port);
    await until(() => late.isClosed);
    expect(late.text).toBe("");
  });
});
