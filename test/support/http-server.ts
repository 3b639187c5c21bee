import { connect, type Socket } from "node:net";
import { Body } from "../../src/platform/http1/message/body.ts";
import { HttpHeaders } from "../../src/platform/http1/message/headers.ts";
import type { HttpRequest } from "../../src/platform/http1/message/http-request.ts";
import { HttpResponse } from "../../src/platform/http1/message/http-response.ts";
import { readWhole } from "../../src/platform/http1/message/read-whole.ts";
import { HttpServer } from "../../src/platform/http1/server/http-server.ts";
import { until } from "./until.ts";

const plain = (status: number, text: string) => new HttpResponse(status, new HttpHeaders(), text);

/** What the handlers below received, for assertions. */
export const seen = {
  /** Requests whose client disconnected, by path. */
  gone: [] as string[],
  /** The paths of all requests. */
  paths: [] as string[],
  failures: [] as unknown[],
  /** Errors of handlers that read a body after the response. */
  bodyFailures: [] as Error[],
  /** The produced bytes of endless responses, and the number of cancelled ones. */
  endlessBytes: 0,
  endlessCancelled: 0,
  /** Completes the response to the last request to `/pending`. */
  release: undefined as (() => void) | undefined,
};

/** More than the socket buffers can hold. */
const large = "large".repeat(2_000_000);

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
  "/pending": (request) =>
    new Promise((resolve) => {
      request.abortListener = { onAbort: () => seen.gone.push(request.target) };
      seen.release = () => resolve(plain(200, "pending"));
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
  "/whole": async (request) => plain(200, String((await readWhole(request, request.body!, 1e6)).length)),
  "/early": ({ body }) => {
    body!.consume({ write: () => true, end() {}, fail: (error) => seen.bodyFailures.push(error) });
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
        seen.endlessCancelled += 1;
      },
    });
    const piece = Buffer.alloc(100_000);
    const fill = () => {
      while (!isPaused && !isOver && seen.endlessBytes < 100_000_000) {
        seen.endlessBytes += piece.length;
        body.push(piece);
      }
    };
    return new HttpResponse(200, new HttpHeaders(), body);
  },
};

/** Serves the routes above; a test stops it. */
export function startServer(): HttpServer {
  return new HttpServer({
    address: { hostname: "127.0.0.1", port: 0 },
    now: () => Date.parse("2026-01-15T10:00:00Z"),
    handle: (request) => {
      seen.paths.push(request.target);
      return routes[request.target]?.(request) ?? plain(404, "nothing here");
    },
    reject: ({ status, message }) => plain(status, message),
    onError: (error) => {
      seen.failures.push(error);
      return plain(500, "failed");
    },
  });
}

/** A client's connection, and what it received. */
export interface Connection {
  text: string;
  isClosed: boolean;
  isBroken: boolean;
  socket: Socket;
}

export function openConnection(port: number): Connection {
  const socket = connect(port, "127.0.0.1");
  const connection: Connection = { text: "", isClosed: false, isBroken: false, socket };
  socket.on("data", (piece) => {
    connection.text += piece.toString("latin1");
  });
  socket.on("error", () => {
    connection.isBroken = true;
  });
  socket.on("close", () => {
    connection.isClosed = true;
  });
  return connection;
}

/** Sends all, and collects the response until `isEnough` or the end. */
export async function sendTo(
  port: number,
  bytes: string | Buffer,
  isEnough: (text: string) => boolean = () => false,
): Promise<Connection> {
  const connection = openConnection(port);
  connection.socket.write(bytes);
  await until(() => connection.isClosed || isEnough(connection.text), {
    what: () => `more than ${connection.text}`,
  });
  connection.socket.destroy();
  return connection;
}

/** A request line and headers. */
export const requestHead = (first: string, ...headers: string[]) =>
  `${[first, "Host: a", ...headers].join("\r\n")}\r\n\r\n`;
