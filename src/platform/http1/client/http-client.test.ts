import { afterAll, describe, expect, test } from "bun:test";
import { ok, requestTo, ScriptedServer, withResponse } from "../../../../test/support/scripted-server.ts";
import { until } from "../../../../test/support/until.ts";
import { Body } from "../message/body.ts";
import { HttpHeaders } from "../message/headers.ts";
import { ProtocolError } from "../message/protocol-error.ts";
import { HttpClient } from "./http-client.ts";

const client = new HttpClient();
afterAll(() => client.close());

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
      const server = await ScriptedServer.start((socket, text) => {
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
    const server = await ScriptedServer.start(() => {});
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
    const server = await ScriptedServer.start(() => {});
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

  test("responses that end with the connection fail if the connection breaks", async () => {
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
    const server = await ScriptedServer.start((socket) => {
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
