import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { until } from "../../../test/support/until.ts";
import { Body } from "./body.ts";
import { HttpHeaders } from "./headers.ts";
import { HttpRequest } from "./http-request.ts";
import { HttpResponse } from "./http-response.ts";
import { HttpServer } from "./http-server.ts";

const plain = (status: number, text: string) => new HttpResponse(status, new HttpHeaders(), text);

/** Requests whose sender went away, by path. */
const gone: string[] = [];
let release: (() => void) | undefined;
/** How much of an endless response was asked for. */
let endlessBytes = 0;
let endlessCancelled = 0;

/** More than the system's buffers take. */
const large = "large".repeat(2_000_000);
/** What readers of bodies received that go on after the response. */
const taking: Error[] = [];

const routes: Record<string, (request: HttpRequest) => HttpResponse | Promise<HttpResponse>> = {
  "/": () => plain(200, "hello"),
  "/umlaut": () => plain(200, "Zürich"),
  "/late": async () => {
    await Promise.resolve();
    return plain(200, "late");
  },
  "/echo": async ({ body }) => new HttpResponse(200, new HttpHeaders(), await body?.bytes(10_000_000)),
  "/mirror": ({ body }) => new HttpResponse(200, new HttpHeaders(), body),
  "/ignore": () => plain(200, "ignored"),
  "/nothing": () => new HttpResponse(204, new HttpHeaders({ "content-length": "5" })),
  "/throws": () => {
    throw new Error("broken");
  },
  "/rejects": () => Promise.reject(new Error("broken")),
  "/held": (request) =>
    new Promise((resolve) => {
      request.abortListener = { onAbort: () => gone.push(request.target) };
      release = () => resolve(plain(200, "held"));
    }),
  "/pieces": () => {
    const body = new Body(undefined);
    queueMicrotask(() => {
      for (const piece of ["one", "two"]) body.push(Buffer.from(piece));
      body.end();
    });
    return new HttpResponse(200, new HttpHeaders(), body);
  },
  "/large": () => plain(200, large),
  "/megabyte": () => plain(200, large.slice(0, 1_000_000)),
  "/twice": async ({ body }) => {
    await body!.bytes(10);
    return new HttpResponse(200, new HttpHeaders(), body);
  },
  "/limited": async ({ body }) => plain(413, String(await body!.bytes(10))),
  "/early": ({ body }) => {
    body!.consume({ write: () => true, end() {}, fail: (error) => taking.push(error) });
    return plain(200, "early");
  },
  "/breaks": () => {
    const body = new Body(10);
    queueMicrotask(() => {
      body.push(Buffer.from("half"));
      body.fail(new Error("broken"));
    });
    return new HttpResponse(200, new HttpHeaders(), body);
  },
  "/endless": () => {
    let isPaused = false;
    let isOver = false;
    const body: Body = new Body(undefined, {
      pause: () => {
        isPaused = true;
      },
      resume: () => {
        isPaused = false;
        queueMicrotask(fill);
      },
      cancel: () => {
        isOver = true;
        endlessCancelled += 1;
      },
    });
    const piece = Buffer.alloc(100_000);
    const fill = () => {
      while (!isPaused && !isOver && endlessBytes < 100_000_000) {
        endlessBytes += piece.length;
        body.push(piece);
      }
    };
    return new HttpResponse(200, new HttpHeaders(), body);
  },
};

const failures: unknown[] = [];
const asked: string[] = [];

function start(): HttpServer {
  return new HttpServer({
    address: { hostname: "127.0.0.1", port: 0 },
    now: () => Date.parse("2026-01-15T10:00:00Z"),
    handle: (request) => {
      asked.push(request.target);
      return routes[request.target]?.(request) ?? plain(404, "nothing here");
    },
    reject: ({ status, message }) => plain(status, message),
    onError: (error) => {
      failures.push(error);
      return plain(500, "failed");
    },
  });
}

let server: HttpServer;
beforeAll(() => {
  server = start();
});
afterAll(() => server.stop(0));

interface Talk {
  text: string;
  isClosed: boolean;
  isBroken: boolean;
  socket: Socket;
}

function open(port = server.port): Talk {
  const socket = connect(port, "127.0.0.1");
  const talk: Talk = { text: "", isClosed: false, isBroken: false, socket };
  socket.on("data", (piece) => {
    talk.text += piece.toString("latin1");
  });
  socket.on("error", () => {
    talk.isBroken = true;
  });
  socket.on("close", () => {
    talk.isClosed = true;
  });
  return talk;
}

/** Sends all, and gathers what comes until `isEnough` or the end. */
async function say(bytes: string | Buffer, isEnough: (text: string) => boolean = () => false): Promise<Talk> {
  const talk = open();
  talk.socket.write(bytes);
  await until(() => talk.isClosed || isEnough(talk.text), { what: () => `more than ${talk.text}` });
  talk.socket.destroy();
  return talk;
}

const ask = (first: string, ...headers: string[]) => `${[first, "Host: a", ...headers].join("\r\n")}\r\n\r\n`;

describe("responses", () => {
  test.each([
    ["GET / HTTP/1.1", "200 OK", "hello"],
    ["GET /umlaut HTTP/1.1", "200 OK", "ZÃ¼rich"],
    ["GET /late HTTP/1.1", "200 OK", "late"],
    ["GET /nowhere HTTP/1.1", "404 Not Found", "nothing here"],
    ["GET /throws HTTP/1.1", "500 Internal Server Error", "failed"],
    ["GET /rejects HTTP/1.1", "500 Internal Server Error", "failed"],
  ])("%s: %s", async (first, status, body) => {
    const { text } = await say(ask(first), (got) => got.endsWith(body));
    expect(text).toBe(
      `HTTP/1.1 ${status}\r\ndate: Thu, 15 Jan 2026 10:00:00 GMT\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });

  test("HEAD gets the head alone, 204 no length", async () => {
    const { text } = await say(ask("HEAD / HTTP/1.1") + ask("GET /nothing HTTP/1.1"), (got) => got.includes("204"));
    expect(text).toMatch(
      /^HTTP\/1\.1 200 OK\r\n.*content-length: 5\r\n\r\nHTTP\/1\.1 204 No Content\r\ndate: [^\r]*\r\n\r\n$/s,
    );
  });

  test("of unknown length come in chunks, to HTTP/1.0 until the connection ends", async () => {
    const chunked = await say(ask("GET /pieces HTTP/1.1"), (got) => got.endsWith("0\r\n\r\n"));
    expect(chunked.text).toContain("transfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
    const old = await say("GET /pieces HTTP/1.0\r\n\r\n");
    expect(old.isClosed).toBe(true);
    expect(old.text).not.toContain("transfer-encoding");
    expect(old.text).toEndWith("\r\nconnection: close\r\n\r\nonetwo");
  });

  test("that break are broken off", async () => {
    const { text, isBroken } = await say(ask("GET /breaks HTTP/1.1"));
    expect(text).toEndWith("\r\n\r\nhalf");
    expect(isBroken).toBe(true);
  });

  test("wait for a client that reads slowly, and end with it", async () => {
    endlessBytes = 0;
    const talk = open();
    talk.socket.pause();
    talk.socket.write(ask("GET /endless HTTP/1.1"));
    let last = -1;
    // What the system's buffers take is some megabytes; then it stands still.
    await until(async () => {
      const isStill = endlessBytes > 0 && endlessBytes === last;
      last = endlessBytes;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return isStill;
    });
    expect(endlessBytes).toBeLessThan(50_000_000);
    const cancelled = endlessCancelled;
    talk.socket.destroy();
    await until(() => endlessCancelled > cancelled);
  });
});

describe("connections", () => {
  test("carry requests that are sent ahead, and get their responses in order", async () => {
    const { text } = await say(
      ask("GET /late HTTP/1.1") +
        ask("GET / HTTP/1.1") +
        ask("POST /echo HTTP/1.1", "Content-Length: 3") +
        "abc" +
        ask("GET /umlaut HTTP/1.1", "Connection: close"),
    );
    const bodies = text.split("\r\n\r\n").map((part) => part.split("HTTP/1.1")[0]);
    expect(bodies).toEqual(["", "late", "hello", "abc", "ZÃ¼rich"]);
  });

  test("read what is sent ahead no faster than the responses are read", async () => {
    const requests = 30;
    const talk = open();
    talk.socket.pause();
    const before = asked.length;
    talk.socket.write(ask("GET /megabyte HTTP/1.1").repeat(requests));
    await until(() => asked.length > before);
    // All of them came at once, so what is not asked now waits for the client.
    expect(asked.length - before).toBeLessThan(requests);
    talk.socket.resume();
    await until(() => talk.text.length > requests * 1_000_000 && talk.text.endsWith("large"));
    expect(asked.length - before).toBe(requests);
    talk.socket.destroy();
  });

  test("are closed when asked for, and by HTTP/1.0 unless kept", async () => {
    const closed = await say(ask("GET / HTTP/1.1", "Connection: close"));
    expect(closed.text).toContain("connection: close\r\n");
    expect(closed.isClosed).toBe(true);
    const old = await say("GET / HTTP/1.0\r\n\r\n");
    expect(old.isClosed).toBe(true);
    const kept = await say("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n");
    expect(kept.text.match(/200 OK/g)).toHaveLength(2);
  });

  test("notify the handler that the client is gone", async () => {
    const talk = open();
    talk.socket.write(ask("GET /held HTTP/1.1"));
    await until(() => release);
    const before = gone.length;
    talk.socket.destroy();
    await until(() => gone.length > before);
    release!();
  });

  test("notify it too after a body that came faster than it was read, and whoever subscribes late", async () => {
    const talk = open();
    let isSent = false;
    release = undefined;
    // One byte more than waits for a consumer without a pause, so that the pause comes with the last.
    const bytes = 64 * 1024 + 1;
    talk.socket.write(ask("POST /held HTTP/1.1", `Content-Length: ${bytes}`));
    talk.socket.write(Buffer.alloc(bytes), () => {
      isSent = true;
    });
    await until(() => release && isSent);
    const before = gone.length;
    talk.socket.destroy();
    await until(() => gone.length > before);
    release!();
    const request = new HttpRequest("GET", "/", new HttpHeaders(), undefined, "");
    request.abort();
    let isTold = false;
    request.abortListener = {
      onAbort() {
        isTold = true;
      },
    };
    expect(isTold).toBe(true);
  });

  test("are given up when the client keeps silent in its turn, and only then", async () => {
    const own = start();
    const idle = open(own.port);
    idle.socket.write(ask("GET / HTTP/1.1"));
    const half = open(own.port);
    half.socket.write("GET / HT");
    const stuck = open(own.port);
    stuck.socket.write(`${ask("POST /echo HTTP/1.1", "Content-Length: 10")}half`);
    const waiting = open(own.port);
    release = undefined;
    waiting.socket.write(ask("GET /held HTTP/1.1"));
    await until(() => idle.text.endsWith("hello") && release);
    for (let second = 0; second < 32; second++) own.checkTimeouts();
    await until(() => half.isClosed);
    expect([idle.isClosed, stuck.isClosed, waiting.isClosed]).toEqual([false, false, false]);
    for (let second = 0; second < 30; second++) own.checkTimeouts();
    await until(() => idle.isClosed && stuck.isClosed);
    expect(waiting.isClosed).toBe(false);
    release!();
    await until(() => waiting.text.endsWith("held"));
    waiting.socket.destroy();
    await own.stop(0);
  });

  test("get their responses after the client closed its half", async () => {
    for (const [requests, end] of [
      [ask("GET /late HTTP/1.1"), "late"],
      [ask("GET /large HTTP/1.1"), "large"],
      [ask("GET / HTTP/1.1") + ask("GET /late HTTP/1.1"), "late"],
      [ask("GET /pieces HTTP/1.1"), "0\r\n\r\n"],
      [`${ask("POST /echo HTTP/1.1", "Content-Length: 4")}body`, "body"],
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

  test("get a response that takes long after the client closed its half, and end where the client is gone", async () => {
    release = undefined;
    const half = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    half.on("data", (piece) => {
      text += piece;
    });
    half.end(ask("GET /held HTTP/1.1"));
    await until(() => release !== undefined && text !== "");
    expect(text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    release!();
    await until(() => text.endsWith("held"));
    half.destroy();
  });

  test("get 408 if a body is too slow, but may be silent while a response streams", async () => {
    const own = start();
    const slow = open(own.port);
    slow.socket.write(`${ask("POST /echo HTTP/1.1", "Content-Length: 100000")}a`);
    const twoWay = open(own.port);
    twoWay.socket.write(`${ask("POST /mirror HTTP/1.1", "Transfer-Encoding: chunked")}1\r\na\r\n`);
    await until(() => twoWay.text.endsWith("1\r\na\r\n"));
    for (let minute = 0; minute < 4; minute++) {
      for (let second = 0; second < 20; second++) own.checkTimeouts();
      const before = asked.length;
      slow.socket.write("b");
      const ping = open(own.port);
      ping.socket.write(ask("GET / HTTP/1.1"));
      await until(() => asked.length > before);
      ping.socket.destroy();
    }
    await until(() => slow.isClosed);
    expect(failures.pop()).toMatchObject({ status: 408 });
    twoWay.socket.write("1\r\nb\r\n0\r\n\r\n");
    await until(() => twoWay.text.endsWith("1\r\nb\r\n0\r\n\r\n"));
    twoWay.socket.destroy();
    await own.stop(0);
  });

  test("are not closed before a client that reads slowly has heard all", async () => {
    for (const path of ["/large", "/megabyte"]) {
      const own = start();
      const slow = open(own.port);
      slow.socket.pause();
      const before = asked.length;
      slow.socket.write(ask(`GET ${path} HTTP/1.1`, "Connection: close"));
      await until(() => asked.length > before);
      for (let second = 0; second < 10; second++) own.checkTimeouts();
      slow.socket.resume();
      await until(() => slow.isClosed);
      expect([slow.text.length > 1_000_000, slow.text.endsWith("large"), slow.isBroken]).toEqual([true, true, false]);
      await own.stop(0);
    }
  });

  test("are closed in the end whatever a client goes on sending", async () => {
    const own = start();
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
    socket.write(ask("POST /ignore HTTP/1.1", "Content-Length: 100000000"));
    await until(() => isEnded);
    await until(() => {
      socket.write("more");
      own.checkTimeouts();
      return isBroken;
    });
    socket.destroy();
    await own.stop(0);
  });

  test("are closed where no response is possible", async () => {
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
    for (const bytes of ["nonsense\r\n\r\n", ask("GET / HTTP/1.1")]) {
      const talk = open(own.port);
      talk.socket.write(bytes);
      await until(() => talk.isClosed);
      expect(talk.text).toBe("");
    }
    await own.stop(0);
    const twice = await say(`${ask("POST /twice HTTP/1.1", "Content-Length: 3")}abc`);
    expect(twice.isClosed).toBe(true);
  });

  test("end when the server stops: those at rest at once, the others after their response", async () => {
    const own = start();
    const idle = open(own.port);
    idle.socket.write(ask("GET / HTTP/1.1"));
    const busy = open(own.port);
    release = undefined;
    busy.socket.write(ask("GET /held HTTP/1.1"));
    await until(() => idle.text.endsWith("hello") && release);
    const stopping = own.stop(10_000);
    await until(() => idle.isClosed);
    expect(busy.isClosed).toBe(false);
    release!();
    await stopping;
    await until(() => busy.isClosed);
    expect(busy.text).toMatch(/connection: close\r\n.*\r\n\r\nheld$/s);
    const late = open(own.port);
    await until(() => late.isClosed);
    expect(late.text).toBe("");
  });
});

describe("bodies", () => {
  test("that nobody wants are read to their end, or end the connection", async () => {
    const small = await say(
      `${ask("POST /ignore HTTP/1.1", "Content-Length: 5")}abcde${ask("GET / HTTP/1.1")}`,
      (got) => got.endsWith("hello"),
    );
    expect(small.text).not.toContain("connection: close");
    const deferred = open();
    deferred.socket.write(`${ask("POST /ignore HTTP/1.1", "Content-Length: 5")}ab`);
    await until(() => deferred.text.endsWith("ignored"));
    deferred.socket.write(`cde${ask("GET / HTTP/1.1")}`);
    await until(() => deferred.text.endsWith("hello"));
    deferred.socket.destroy();
    for (const [header, content] of [
      ["Content-Length: 1000000", "abc"],
      ["Transfer-Encoding: chunked", "3\r\nabc\r\n"],
    ]) {
      const large = open();
      large.socket.write(ask("POST /ignore HTTP/1.1", header!) + content);
      await until(() => large.text.endsWith("ignored"));
      expect(large.text).toContain("connection: close");
      await until(() => large.isClosed);
    }
  });

  test("that are not there whole when the response is: whoever takes them learns that no more comes", async () => {
    for (const [length, keepAlive] of [
      [10, true],
      [1_000_000, false],
    ] as const) {
      const before = taking.length;
      const talk = open();
      talk.socket.write(`${ask("POST /early HTTP/1.1", `Content-Length: ${length}`)}half`);
      await until(() => talk.text.endsWith("early") && taking.length > before);
      if (keepAlive) {
        talk.socket.write(`123456${ask("GET / HTTP/1.1")}`);
        await until(() => talk.text.endsWith("hello"));
      } else await until(() => talk.isClosed);
      talk.socket.destroy();
    }
  });

  test("that proved too large end the connection, and the response says so", async () => {
    const { text } = await say(`${ask("POST /limited HTTP/1.1", "Content-Length: 1000000")}more than ten bytes`);
    expect(text).toStartWith("HTTP/1.1 413 ");
    expect(text).toContain("connection: close\r\n");
  });

  test("are asked for only when somebody takes them", async () => {
    const wanted = open();
    wanted.socket.write(ask("POST /echo HTTP/1.1", "Content-Length: 2", "Expect: 100-continue"));
    await until(() => wanted.text === "HTTP/1.1 100 Continue\r\n\r\n");
    wanted.socket.write("hi");
    await until(() => wanted.text.endsWith("hi"));
    wanted.socket.destroy();
    const unwanted = await say(ask("POST /ignore HTTP/1.1", "Content-Length: 2", "Expect: 100-continue"));
    expect(unwanted.text).not.toContain("100 Continue");
    expect(unwanted.text).toMatch(/connection: close\r\n.*\r\n\r\nignored$/s);
  });

  test("come back as they were sent, however they are cut", async () => {
    const content = fc.uint8Array({ maxLength: 5_000 });
    const sizes = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(content, sizes, fc.boolean(), fc.boolean(), async (bytes, cuts, isChunked, isMirror) => {
        const text = Buffer.from(bytes);
        const path = isMirror ? "/mirror" : "/echo";
        const head = ask(
          `POST ${path} HTTP/1.1`,
          isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${text.length}`,
          "Connection: close",
        );
        const framed = isChunked ? chunked(text, cuts) : text;
        const message = Buffer.concat([Buffer.from(head), framed]);
        const talk = open();
        const pieces: Buffer[] = [];
        talk.socket.on("data", (piece) => pieces.push(piece as Buffer));
        for (let at = 0, turn = 0; at < message.length; turn++) {
          const size = cuts[turn % cuts.length]!;
          talk.socket.write(message.subarray(at, at + size));
          at += size;
          // Each in a packet of its own, as far as that can be had.
          await new Promise((resolve) => setImmediate(resolve));
        }
        await until(() => talk.isClosed);
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

/** The body of a response, by a reading of its own. */
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

describe("what is not HTTP", () => {
  test.each([
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["TLS", Buffer.from([0x16, 3, 1, 0, 5, 1, 2]), 400],
    ["a length and chunks", ask("POST /echo HTTP/1.1", "Content-Length: 5", "Transfer-Encoding: chunked"), 400],
    ["a head without an end", `GET / HTTP/1.1\r\nX: ${"x".repeat(40_000)}`, 431],
  ])("%s: rejected, and the connection closed", async (_, bytes, status) => {
    const { text, isClosed } = await say(bytes);
    expect(text).toStartWith(`HTTP/1.1 ${status} `);
    expect(text).toContain("connection: close\r\n");
    expect(isClosed).toBe(true);
  });

  test("what follows it is not read as a request", async () => {
    const { text } = await say(`POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n${ask("GET / HTTP/1.1")}`);
    expect(text.match(/HTTP\/1\.1 \d\d\d/g)).toEqual(["HTTP/1.1 400"]);
  });

  test("in the middle of a body: whoever takes it learns so, and nothing after it is read", async () => {
    const { text, isClosed } = await say(
      `${ask("POST /echo HTTP/1.1", "Transfer-Encoding: chunked")}3\r\nabc\r\nzz\r\n${ask("GET / HTTP/1.1")}`,
    );
    expect(text).toStartWith("HTTP/1.1 400 ");
    expect(text).not.toContain("hello");
    expect(isClosed).toBe(true);
    const late = open();
    const before = failures.length;
    late.socket.write(`${ask("POST /echo HTTP/1.1", "Transfer-Encoding: chunked")}3\r\nabc\r\n`);
    await new Promise((resolve) => setImmediate(resolve));
    late.socket.write(`zz\r\n${ask("GET / HTTP/1.1")}`);
    await until(() => late.isClosed);
    expect(late.text.match(/HTTP\/1\.1 \d\d\d/g)).toHaveLength(1);
    expect(late.text).not.toContain("hello");
    expect(failures.length).toBeLessThanOrEqual(before + 1);
  });

  test("any bytes: the server goes on", async () => {
    const mostly = fc.stringMatching(/^(GET|POST|\r\n|[ :/a-z0-9]|HTTP\/1\.[01]|Host: a|Content-Length: |chunked)*$/);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), mostly), async (bytes) => {
        const talk = open();
        talk.socket.end(Buffer.from(bytes as Uint8Array));
        await until(() => talk.isClosed);
        expect(talk.text).toMatch(/^(HTTP\/1\.1 (200|204|400|404|431|500) |$)/);
      }),
      { numRuns: 200 },
    );
    const { text } = await say(ask("GET / HTTP/1.1"), (got) => got.endsWith("hello"));
    expect(text).toStartWith("HTTP/1.1 200 OK");
  });
});
