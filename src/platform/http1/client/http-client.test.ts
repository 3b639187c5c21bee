import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { started, stopped } from "../../../../test/support/left-running.ts";
import { until } from "../../../../test/support/until.ts";
import { Body } from "../message/body.ts";
import { HttpHeaders } from "../message/headers.ts";
import { ProtocolError } from "../message/protocol-error.ts";
import type { ClientRequest } from "./client-request.ts";
import { HttpClient } from "./http-client.ts";

/** A server with a scripted reaction to each piece it receives. */
class Scripted {
  readonly received: string[] = [];
  connections = 0;
  closed = 0;
  readonly sockets: Socket[] = [];
  readonly #server: Server;

  private constructor(response: (socket: Socket, text: string, connection: number) => void) {
    this.#server = createServer((socket) => {
      this.connections += 1;
      const connection = this.connections;
      this.sockets.push(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.closed += 1;
      });
      socket.on("data", (piece) => {
        const text = piece.toString("latin1");
        this.received.push(text);
        response(socket, text, connection);
      });
    });
  }

  static async start(response: (socket: Socket, text: string, connection: number) => void): Promise<Scripted> {
    const server = new Scripted(response);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    started(server, "a scripted server");
    return server;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  async stop(): Promise<void> {
    stopped(this);
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const client = new HttpClient();
afterAll(() => client.close());

function requestTo(port: number, parts: Partial<ClientRequest> = {}): ClientRequest {
  const host = `127.0.0.1:${port}`;
  return {
    origin: { key: host, host, connect: { hostname: "127.0.0.1", port, tls: undefined } },
    method: "GET",
    target: "/x",
    headers: new HttpHeaders(),
    body: undefined,
    ...parts,
  };
}

/** Sends a request to a server that always responds with these bytes. */
async function withResponse<Result>(
  bytes: string,
  work: (server: Scripted) => Promise<Result>,
  isEnded = false,
): Promise<Result> {
  const server = await Scripted.start((socket) => {
    socket.write(bytes);
    if (isEnded) socket.end();
  });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

describe("requests", () => {
  test.each([
    ["GET", undefined, "GET /x HTTP/1.1\r\nhost: HOST\r\nx-a: 1\r\n\r\n"],
    ["POST", undefined, "POST /x HTTP/1.1\r\nhost: HOST\r\nx-a: 1\r\ncontent-length: 0\r\n\r\n"],
    ["POST", "abc", "POST /x HTTP/1.1\r\nhost: HOST\r\nx-a: 1\r\ncontent-length: 3\r\n\r\nabc"],
    ["PUT", "Zürich", "PUT /x HTTP/1.1\r\nhost: HOST\r\nx-a: 1\r\ncontent-length: 7\r\n\r\nZÃ¼rich"],
  ])("%s with %p", async (method, body, expected) => {
    await withResponse(ok, async (server) => {
      // Headers of another connection are not forwarded over this one.
      const headers = new HttpHeaders({ host: "other", "x-a": "1", "content-length": "9", connection: "close" });
      await client.request(requestTo(server.port, { method, body, headers })).response;
      expect(server.received.join("")).toBe(expected.replace("HOST", `127.0.0.1:${server.port}`));
    });
  });

  test("with a streamed body, of known length or chunked", async () => {
    for (const [length, expected] of [
      [6, "content-length: 6\r\n\r\nonetwo"],
      [undefined, "transfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"],
    ] as const) {
      const server = await Scripted.start((socket, text) => {
        if (text.endsWith("two") || text.endsWith("0\r\n\r\n")) socket.write(ok);
      });
      const body = new Body(length);
      let isSent = false;
      const onSent = () => {
        isSent = true;
      };
      const pending = client.request(requestTo(server.port, { method: "POST", body, onSent }));
      body.push(Buffer.from("one"));
      await until(() => server.received.join("").includes("one"));
      expect(isSent).toBe(false);
      body.push(Buffer.from("two"));
      body.end();
      expect((await pending.response).status).toBe(200);
      expect(isSent).toBe(true);
      expect(server.received.join("")).toEndWith(expected);
      await server.stop();
    }
  });

  test("are aborted if their body fails", async () => {
    const server = await Scripted.start(() => {});
    const body = new Body(10);
    const pending = client.request(requestTo(server.port, { method: "POST", body }));
    body.push(Buffer.from("one"));
    await until(() => server.received.join("").includes("one"));
    body.fail(new Error("the sender went away"));
    await expect(pending.response).rejects.toThrow("the sender went away");
    await until(() => server.closed === 1);
    await server.stop();
  });

  test("are aborted when they are canceled", async () => {
    const server = await Scripted.start(() => {});
    const { pending, response } = client.request(requestTo(server.port));
    await until(() => server.received.length > 0);
    pending.cancel(new Error("never mind"));
    await expect(response).rejects.toThrow("never mind");
    await until(() => server.closed === 1);
    await server.stop();
  });
});

describe("first lines", () => {
  test.each([
    ["GET", "/x HTTP/1.1\r\nhost: y\r\n\r\nGET /y"],
    // Truncated to eight bits, these characters are a line break.
    ["GET", "/x\u010d\u010a"],
    ["GET", ""],
    ["GET /y HTTP/1.1\r\nhost: y\r\n\r\nGET", "/x"],
    ["", "/x"],
  ])("%j %j are not sent", async (method, target) => {
    await withResponse(ok, async (server) => {
      expect(() => client.request(requestTo(server.port, { method, target }))).toThrow(ProtocolError);
      await client.request(requestTo(server.port)).response;
      expect(server.received.join("")).toStartWith("GET /x HTTP/1.1\r\nhost: 127.0.0.1");
      expect(server.received.join("").match(/HTTP/g)).toHaveLength(1);
    });
  });
});

describe("responses", () => {
  test.each([
    ["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", "hello"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"],
    ["HTTP/1.1 200 OK\r\n\r\nhello", "hello"],
    ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello", "hello"],
    ["HTTP/1.0 200 OK\r\n\r\n", ""],
  ])("%j", async (bytes, expected) => {
    await withResponse(
      bytes,
      async (server) => {
        const response = await client.request(requestTo(server.port)).response;
        expect(response.status).toBe(200);
        expect(await response.text()).toBe(expected);
      },
      true,
    );
  });

  test.each([
    ["nonsense", "nonsense\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nhello"],
    ["an upgrade that nobody wants", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"],
    ["a head that is too large", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(40_000)}`],
  ])("%s is no response", async (_, bytes) => {
    await withResponse(bytes, async (server) => {
      await expect(client.request(requestTo(server.port)).response).rejects.toThrow(ProtocolError);
      await until(() => server.closed === 1);
    });
  });

  test.each([
    ["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n"],
  ])("%j: an incomplete response is an error", async (bytes) => {
    await withResponse(
      bytes,
      async (server) => {
        const text = client.request(requestTo(server.port)).response.then((response) => response.text());
        await expect(text).rejects.toThrow(ProtocolError);
      },
      true,
    );
  });

  test("that end with the connection fail if the connection breaks", async () => {
    await withResponse("HTTP/1.1 200 OK\r\n\r\nhalf", async (server) => {
      const response = await client.request(requestTo(server.port)).response;
      const text = response.text();
      server.sockets[0]!.resetAndDestroy();
      await expect(text).rejects.toThrow("ECONNRESET");
    });
  });

  test("are aborted when their consumer cancels", async () => {
    await withResponse("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", async (server) => {
      const response = await client.request(requestTo(server.port)).response;
      response.discard();
      await until(() => server.closed === 1);
    });
  });

  test("wait for a slow consumer, and the connection is read again afterwards", async () => {
    const large = 3_000_000;
    const server = await Scripted.start((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${large}\r\n\r\n`);
      socket.write(Buffer.alloc(large, 97));
    });
    for (const _ of [1, 2]) {
      const { body } = await client.request(requestTo(server.port)).response;
      let bytes = 0;
      for await (const piece of body as Body) bytes += piece.length;
      expect(bytes).toBe(large);
    }
    expect(server.connections).toBe(1);
    await server.stop();
  });
});

describe("connections", () => {
  test("are kept alive and reused, one request at a time", async () => {
    await withResponse(ok, async (server) => {
      for (const _ of [1, 2, 3])
        expect(await (await client.request(requestTo(server.port)).response).text()).toBe("ok");
      expect(server.connections).toBe(1);
      const both = [client.request(requestTo(server.port)), client.request(requestTo(server.port))];
      await Promise.all(both.map(({ response }) => response));
      expect(server.connections).toBe(2);
    });
  });

  test.each([
    ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"],
    ["HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\nkeep-alive: timeout=1\r\n\r\nok"],
  ])("are not reused after %j", async (bytes) => {
    await withResponse(bytes, async (server) => {
      for (const _ of [1, 2]) await client.request(requestTo(server.port)).response;
      expect(server.connections).toBe(2);
    });
  });

  test("that are idle too long are closed, also by the Keep-Alive of the server", async () => {
    for (const [header, seconds] of [
      ["x: 1", 30],
      ["keep-alive: timeout=5", 4],
    ] as const) {
      const own = new HttpClient();
      await withResponse(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${header}\r\n\r\nok`, async (server) => {
        await own.request(requestTo(server.port)).response;
        for (let second = 0; second < seconds; second++) own.checkTimeouts();
        await own.request(requestTo(server.port)).response;
        expect(server.connections).toBe(1);
        for (let second = 0; second <= seconds; second++) own.checkTimeouts();
        await until(() => server.closed === 1);
      });
      own.close();
    }
  });

  test("are limited per server: further requests wait for one, and one that is cancelled does not", async () => {
    const own = new HttpClient({ maxConnections: 10, maxPerOrigin: 2 });
    const sockets: Socket[] = [];
    const server = await Scripted.start((socket) => sockets.push(socket));
    const requests = Array.from({ length: 5 }, () => own.request(requestTo(server.port)));
    const settled = Promise.allSettled(requests.map(({ response }) => response));
    await until(() => sockets.length === 2);
    expect([own.open, own.queued]).toEqual([2, 3]);
    requests[2]!.pending.cancel(new Error("not needed"));
    await expect(requests[2]!.response).rejects.toThrow("not needed");
    expect(own.queued).toBe(2);
    const response = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    sockets[0]!.write(response);
    await until(() => sockets.length === 3);
    // A connection that breaks makes room for a waiting request, too.
    sockets[1]!.destroy();
    await until(() => sockets.length === 4);
    for (const socket of sockets.slice(2)) socket.write(response);
    const fulfilled = (await settled).filter(({ status }) => status === "fulfilled");
    expect(fulfilled).toHaveLength(3);
    expect([server.connections, own.queued]).toEqual([3, 0]);
    own.close();
    await server.stop();
  });

  test("are limited in all: idle ones to other servers are closed first", async () => {
    const own = new HttpClient({ maxConnections: 1, maxPerOrigin: 1 });
    const response = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    await withResponse(response, (one) =>
      withResponse(response, async (other) => {
        for (const { port } of [one, other, one])
          expect((await own.request(requestTo(port)).response).status).toBe(200);
        expect([one.connections, other.connections, own.open]).toEqual([2, 1, 1]);
      }),
    );
    own.close();
  });

  test("to a server that stops reading are closed", async () => {
    const own = new HttpClient();
    const server = await Scripted.start(() => {});
    const body = new Body(undefined);
    const { response } = own.request(requestTo(server.port, { method: "POST", body, sendTimeoutSeconds: 5 }));
    await until(() => server.sockets.length === 1);
    for (const socket of server.sockets) socket.pause();
    for (let megabytes = 0; megabytes < 20; megabytes++) body.push(Buffer.alloc(1024 * 1024));
    for (let second = 0; second < 5; second++) own.checkTimeouts();
    expect(body.isConsumed).toBe(true);
    for (let second = 0; second < 2; second++) own.checkTimeouts();
    await expect(response).rejects.toThrow("did not read the request in time");
    expect(own.open).toBe(0);
    own.close();
    await server.stop();
  });

  test("are tried at every address of a name, the one that worked last first", async () => {
    await withResponse("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok", async ({ port }) => {
      const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.1"];
      const host = `name.test:${port}`;
      const origin = { key: host, host, connect: { hostname: "127.0.0.2", addresses, port, tls: undefined } };
      const refused = { reason: "connection_refused", ended: expect.any(Number) };
      for (const failed of [addresses.slice(0, 2).map((address) => ({ ...refused, address })), undefined]) {
        const { response, pending } = client.request(requestTo(port, { origin }));
        expect((await response).status).toBe(200);
        expect(pending.failedAttempts).toEqual(failed as typeof pending.failedAttempts);
      }
      const rejected = { ...origin, key: "x", connect: { ...origin.connect, addresses: ["127.0.0.2", "127.0.0.3"] } };
      await expect(client.request(requestTo(port, { origin: rejected })).response).rejects.toThrow();
    });
  });

  test("that turn out to be closed: an idempotent request is retried once", async () => {
    for (const [method, body, connections] of [
      ["GET", undefined, 2],
      ["DELETE", undefined, 2],
      ["POST", "x", 1],
      ["PATCH", "x", 1],
    ] as const) {
      // The first connection responds once and then closes on the next request.
      let requests = 0;
      const server = await Scripted.start((socket, _, connection) => {
        requests += 1;
        if (connection === 1 && requests > 1) socket.destroy();
        else socket.write(ok);
      });
      await client.request(requestTo(server.port)).response;
      const again = client.request(requestTo(server.port, { method, body })).response;
      if (connections === 2) expect((await again).status).toBe(200);
      else await expect(again).rejects.toThrow("closed before a response");
      expect(server.connections).toBe(connections);
      await server.stop();
    }
  });

  test("a request with noRetry is not retried", async () => {
    let requests = 0;
    const server = await Scripted.start((socket) => {
      requests += 1;
      if (requests > 1) socket.destroy();
      else socket.write(ok);
    });
    await client.request(requestTo(server.port)).response;
    await expect(client.request(requestTo(server.port, { noRetry: true })).response).rejects.toThrow(
      "closed before a response",
    );
    expect(requests).toBe(2);
    await server.stop();
  });

  test("are not closed by canceling a request that they have finished", async () => {
    let isPending = false;
    const server = await Scripted.start((socket) => {
      if (!isPending) socket.write(ok);
    });
    const first = client.request(requestTo(server.port));
    await first.response;
    isPending = true;
    const second = client.request(requestTo(server.port));
    await until(() => server.received.length === 2);
    first.pending.cancel(new Error("never mind"));
    server.sockets[0]!.write(ok);
    expect((await second.response).status).toBe(200);
    expect(server.connections).toBe(1);
    await server.stop();
  });

  test("are not reused if the response arrived before the whole request was written", async () => {
    const server = await Scripted.start((socket) => {
      socket.pause();
      socket.write(ok);
    });
    for (const parts of [{ method: "POST", body: Buffer.alloc(30_000_000) }, {}])
      expect((await client.request(requestTo(server.port, parts)).response).status).toBe(200);
    expect(server.connections).toBe(2);
    await server.stop();
  });

  test("are not kept alive by a client that is closed", async () => {
    const own = new HttpClient();
    const server = await Scripted.start(() => {});
    const pending = own.request(requestTo(server.port));
    await until(() => server.received.length === 1);
    own.close();
    server.sockets[0]!.write(ok);
    expect((await pending.response).status).toBe(200);
    await until(() => server.closed === 1);
    await server.stop();
  });

  test("that cannot be made fail", async () => {
    await expect(client.request(requestTo(1)).response).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const unix = { key: "none", host: "x", connect: { unix: "/nowhere/at/all" } };
    await expect(client.request(requestTo(1, { origin: unix })).response).rejects.toThrow();
  });

  test("that upgrade without a request for it are closed, however much was sent already", async () => {
    const server = await Scripted.start((socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: flood\r\n\r\n");
      socket.write(Buffer.alloc(20_000_000));
    });
    const response = await client.request(requestTo(server.port, { upgrade: "flood" })).response;
    response.discard();
    await until(() => server.closed === 1);
    await server.stop();
  });

  test("switch to another protocol once both sides agree", async () => {
    const server = await Scripted.start((socket, text) => {
      if (text.startsWith("GET"))
        socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nearly");
      else socket.write(text.toUpperCase());
    });
    const response = await client.request(requestTo(server.port, { upgrade: "echo" })).response;
    expect(response.status).toBe(101);
    expect(response.tunnel).toBeDefined();
    expect(server.received[0]).toContain("connection: upgrade\r\nupgrade: echo\r\n");
    response.discard();
    await until(() => server.closed === 1);
    await server.stop();
  });
});
