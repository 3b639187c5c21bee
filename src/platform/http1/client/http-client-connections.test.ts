import { afterAll, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { ok, requestTo, ScriptedServer, withResponse } from "../../../../test/support/scripted-server.ts";
import { until } from "../../../../test/support/until.ts";
import { Body } from "../message/body.ts";
import { HttpClient } from "./http-client.ts";

const client = new HttpClient();
afterAll(() => client.close());

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

  test("connections that are idle too long are closed, also by the Keep-Alive of the server", async () => {
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
    const server = await ScriptedServer.start((socket) => sockets.push(socket));
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

  test("are limited in all: a request to another server is sent when a connection becomes idle", async () => {
    const own = new HttpClient({ maxConnections: 1, maxPerOrigin: 1 });
    const response = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    await withResponse(response, (one) =>
      withResponse(response, async (other) => {
        const both = [one, other].map(({ port }) => own.request(requestTo(port)).response);
        expect(own.queued).toBe(1);
        expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
      }),
    );
    own.close();
  });

  test("connections to a server that stops reading are closed", async () => {
    const own = new HttpClient();
    const server = await ScriptedServer.start(() => {});
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

  test("connections that turn out to be closed: an idempotent request is retried once", async () => {
    for (const [method, body, connections] of [
      ["GET", undefined, 2],
      ["DELETE", undefined, 2],
      ["POST", "x", 1],
      ["PATCH", "x", 1],
    ] as const) {
      // The first connection responds once and then closes on the next request.
      let requests = 0;
      const server = await ScriptedServer.start((socket, _, connection) => {
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
    const server = await ScriptedServer.start((socket) => {
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
    const server = await ScriptedServer.start((socket) => {
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
    const server = await ScriptedServer.start((socket) => {
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
    const server = await ScriptedServer.start(() => {});
    const pending = own.request(requestTo(server.port));
    await until(() => server.received.length === 1);
    own.close();
    server.sockets[0]!.write(ok);
    expect((await pending.response).status).toBe(200);
    await until(() => server.closed === 1);
    await server.stop();
  });

  test("connections that cannot be made fail", async () => {
    await expect(client.request(requestTo(1)).response).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const unix = { key: "none", host: "x", connect: { unix: "/nowhere/at/all" } };
    await expect(client.request(requestTo(1, { origin: unix })).response).rejects.toThrow();
  });

  test("connections that upgrade without a request for it are closed, however much was sent already", async () => {
    const server = await ScriptedServer.start((socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: flood\r\n\r\n");
      socket.write(Buffer.alloc(20_000_000));
    });
    const response = await client.request(requestTo(server.port, { upgrade: "flood" })).response;
    response.discard();
    await until(() => server.closed === 1);
    await server.stop();
  });

  test("switch to another protocol once both sides agree", async () => {
    const server = await ScriptedServer.start((socket, text) => {
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
