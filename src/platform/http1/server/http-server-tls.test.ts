import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect as connectPlain, createServer, type Socket } from "node:net";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { rawRequest, talk } from "../../../../test/support/raw-http.ts";
import { until } from "../../../../test/support/until.ts";
import { HttpHeaders } from "../message/headers.ts";
import { deferred, type HttpRequest } from "../message/http-request.ts";
import { HttpResponse } from "../message/http-response.ts";
import { ConnectionLimiter } from "./connection-limiter.ts";
import { HttpServer, type HttpServerOptions } from "./http-server.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

const contextFor = (name: string) => {
  const { certificate, key } = makeCertificate([name]);
  return createSecureContext({ cert: certificate, key });
};
const fallback = contextFor("fallback.test");
const contexts = new Map(["a.test", "b.test"].map((name) => [name, contextFor(name)]));
const large = Buffer.alloc(8 * 1024 * 1024, "large");

/** The last request to `/pending`. */
let pending: HttpRequest | undefined;

const handle = (request: HttpRequest) => {
  if (request.target === "/pending") {
    pending = request;
    return deferred;
  }
  if (request.target === "/large") return new HttpResponse(200, new HttpHeaders(), large);
  if (request.target === "/mirror") return new HttpResponse(200, new HttpHeaders(), request.body);
  return new HttpResponse(200, new HttpHeaders(), JSON.stringify({ ip: request.ip }));
};

let outcomes: string[] = [];
const servers: HttpServer[] = [];

function serve(options: Partial<HttpServerOptions> = {}): HttpServer {
  const server = new HttpServer({
    address: { hostname: "127.0.0.1", port: 0 },
    now: () => 0,
    handle,
    reject: ({ status, message }) => new HttpResponse(status, new HttpHeaders(), message),
    onError: () => new HttpResponse(500),
    tls: {
      defaultContext: () => fallback,
      contextOf: (name) => contexts.get(name),
      onHandshake: (outcome) => outcomes.push(outcome),
    },
    ...options,
  });
  servers.push(server);
  return server;
}

let server: HttpServer;
beforeAll(() => {
  server = serve();
});
afterAll(async () => {
  for (const each of servers) await each.stop(0);
});

interface ConnectOptions {
  servername?: string;
  minVersion?: "TLSv1.1" | "TLSv1.2" | "TLSv1.3";
  maxVersion?: "TLSv1.1" | "TLSv1.2" | "TLSv1.3";
  socket?: Socket;
}

/** Rejects if the handshake fails. */
function open(port: number, options: ConnectOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const target = options.socket ? {} : { port, host: "127.0.0.1" };
    const socket = connect({ ...target, ...options, rejectUnauthorized: false }, () => resolve(socket));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed")));
  });
}

async function exchange(socket: Socket, request: string): Promise<string> {
  let text = "";
  socket.on("data", (piece) => (text += piece.toString("latin1")));
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.write(request);
  await closed;
  return text;
}

const closing = rawRequest("GET", "x", "/", ["connection: close"]);

describe("certificates", () => {
  test.each([
    ["a.test", "a.test"],
    ["b.test", "b.test"],
    ["B.Test", "b.test"],
    ["unknown.test", "fallback.test"],
    ["", "fallback.test"],
  ])("the certificate for %p is that of %p", async (servername, expected) => {
    const socket = await open(server.port, { servername });
    expect(socket.getPeerCertificate().subject.CN).toBe(expected);
    expect(await exchange(socket, closing)).toEndWith('{"ip":"127.0.0.1"}');
  });

  test("a replaced certificate is used by the next connection, and open connections stay open", async () => {
    let current = contexts.get("a.test")!;
    const swapping = serve({ tls: { defaultContext: () => current, contextOf: () => undefined } });
    const before = await open(swapping.port);
    current = contexts.get("b.test")!;
    const after = await open(swapping.port);
    expect(after.getPeerCertificate().subject.CN).toBe("b.test");
    expect(before.getPeerCertificate().subject.CN).toBe("a.test");
    expect(await exchange(before, closing)).toStartWith("HTTP/1.1 200");
    after.destroy();
  });

  test("without any, the client gets an alert", async () => {
    const none = createSecureContext({});
    const empty = serve({ tls: { defaultContext: () => none, contextOf: () => undefined } });
    await expect(open(empty.port, { servername: "a.test" })).rejects.toThrow();
    const again = await open(server.port);
    again.destroy();
  });
});

describe("versions", () => {
  test.each(["TLSv1.2", "TLSv1.3"] as const)("%s", async (version) => {
    const socket = await open(server.port, { minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    expect(await exchange(socket, closing)).toStartWith("HTTP/1.1 200");
  });

  test("an older one is rejected, and counted", async () => {
    outcomes = [];
    await expect(open(server.port, { minVersion: "TLSv1.1", maxVersion: "TLSv1.1" })).rejects.toThrow();
    await until(() => outcomes.includes("failed"));
  });
});

describe("HTTP over TLS", () => {
  test("keeps connections, pipelines, and streams both ways", async () => {
    const url = `https://127.0.0.1:${server.port}`;
    const tls = { rejectUnauthorized: false };
    for (let index = 0; index < 5; index += 1) expect((await fetch(url, { tls })).status).toBe(200);
    const downloaded = await (await fetch(`${url}/large`, { tls })).bytes();
    expect(Buffer.compare(downloaded, large)).toBe(0);
    const mirrored = await (await fetch(`${url}/mirror`, { tls, method: "POST", body: large })).bytes();
    expect(Buffer.compare(mirrored, large)).toBe(0);
    const piped = await exchange(await open(server.port), rawRequest("GET", "x", "/") + closing);
    expect(piped.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  test("a slow reader gets all of a large response", async () => {
    const socket = await open(server.port);
    socket.pause();
    socket.write(rawRequest("GET", "x", "/large", ["connection: close"]));
    let received = 0;
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("data", (piece) => {
      received += piece.length;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    socket.resume();
    await closed;
    expect(received).toBeGreaterThan(large.length);
  });

  const versions = ["TLSv1.2", "TLSv1.3"] as const;
  test.each(versions)("a client of %s that half-closes early gets its response", async (version) => {
    const socket = await open(server.port, { minVersion: version, maxVersion: version });
    let text = "";
    socket.on("data", (piece) => (text += piece.toString("latin1")));
    const closed = new Promise((resolve) => socket.on("close", resolve));
    pending = undefined;
    socket.end(rawRequest("GET", "x", "/pending"));
    await until(() => pending);
    pending!.respond(new HttpResponse(200, new HttpHeaders(), "late"));
    await closed;
    expect(text).toContain("HTTP/1.1 200 OK");
    expect(text).toEndWith("late");
  });

  test("a client that disconnects is detected", async () => {
    const socket = await open(server.port);
    pending = undefined;
    socket.write(rawRequest("GET", "x", "/pending"));
    await until(() => pending);
    socket.destroy();
    await until(() => pending!.isAborted);
  });

  test("plain HTTP gets a response that explains it", async () => {
    const { text } = await talk(server.port, rawRequest("GET", "x", "/"), () => false);
    expect(text).toStartWith("HTTP/1.1 400");
    expect(text).toEndWith("this port requires TLS: use https");
    expect((await talk(server.port, "\x01\x02not HTTP", () => false)).text).toStartWith("HTTP/1.1 400");
  });
});

describe("handshakes", () => {
  test("have a deadline: the connection closes if the client sends nothing or only half of it", async () => {
    const limiter = new ConnectionLimiter({ maxConnections: 10, maxPerAddress: 10 });
    const own = serve({ limiter });
    const silent = [connectPlain(own.port, "127.0.0.1"), connectPlain(own.port, "127.0.0.1")];
    for (const socket of silent) socket.on("error", () => {});
    silent[1]!.write("\x16\x03\x01\x02", "latin1");
    outcomes = [];
    const established = await open(own.port);
    await until(() => limiter.open === 3 && outcomes.includes("completed"));
    const closed = silent.map((socket) => new Promise((resolve) => socket.on("close", resolve)));
    for (let second = 0; second <= 16; second += 1) own.checkTimeouts();
    await Promise.all(closed);
    await until(() => limiter.open === 1);
    expect(await exchange(established, closing)).toStartWith("HTTP/1.1 200");
  });

  test("count in the limits, and make room for new ones", async () => {
    const limiter = new ConnectionLimiter({ maxConnections: 4, maxPerAddress: 4 });
    const own = serve({ limiter });
    const silent = Array.from({ length: 4 }, () => connectPlain(own.port, "127.0.0.1").on("error", () => {}));
    await until(() => limiter.open === 4);
    own.checkTimeouts();
    own.checkTimeouts();
    expect(await exchange(await open(own.port), closing)).toStartWith("HTTP/1.1 200");
    for (const socket of silent) socket.destroy();
    await until(() => limiter.open === 0);
  });

  test("beyond the limits are completed, and get a response that explains the limit", async () => {
    const limiter = new ConnectionLimiter({ maxConnections: 1, maxPerAddress: 1 });
    const own = serve({ limiter });
    const busy = await open(own.port);
    pending = undefined;
    busy.write(rawRequest("GET", "x", "/pending"));
    await until(() => pending);
    const rejected = await exchange(await open(own.port), rawRequest("GET", "x", "/"));
    expect(rejected).toStartWith("HTTP/1.1 503");
    expect(rejected).toEndWith("there are too many connections");
    busy.destroy();
    await until(() => limiter.open === 0);
  });

  test("stopping closes connections in any state", async () => {
    const own = serve();
    const sockets: Socket[] = [connectPlain(own.port, "127.0.0.1"), await open(own.port), await open(own.port)];
    sockets[2]!.write("GET /unfinished HTTP/1.1\r\n");
    const closed = sockets.map((socket) => new Promise((resolve) => socket.on("error", () => {}).on("close", resolve)));
    for (const socket of sockets) socket.resume();
    await own.stop(0);
    await Promise.all(closed);
  });
});

describe("the PROXY protocol before TLS", () => {
  const header = "PROXY TCP4 203.0.113.5 10.0.0.1 4711 443\r\n";
  const proxied = () => serve({ proxyProtocol: true, trustedProxies: new TrustedProxies(["loopback"]) });

  const through = async (port: number, pieces: string[]) => {
    const socket = connectPlain(port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    for (const piece of pieces) {
      await new Promise((resolve) => socket.write(piece, resolve));
      await Bun.sleep(10);
    }
    return socket;
  };

  test.each([[[header]], [[header.slice(0, 9), header.slice(9)]]])("names the client: %p", async (pieces) => {
    const { port } = proxied();
    const secured = await open(port, { socket: await through(port, pieces), servername: "a.test" });
    expect(secured.getPeerCertificate().subject.CN).toBe("a.test");
    expect(await exchange(secured, closing)).toEndWith('{"ip":"203.0.113.5"}');
  });

  test("may come with the first bytes of the handshake", async () => {
    const { port } = proxied();
    const proxy = createServer((client) => {
      const upstream = connectPlain(port, "127.0.0.1");
      client.once("data", (first) => {
        upstream.write(Buffer.concat([Buffer.from(header), first as Buffer]));
        client.pipe(upstream).pipe(client);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const secured = await open((proxy.address() as { port: number }).port, { servername: "b.test" });
    expect(secured.getPeerCertificate().subject.CN).toBe("b.test");
    expect(await exchange(secured, closing)).toEndWith('{"ip":"203.0.113.5"}');
    proxy.close();
  });

  test("is required", async () => {
    await expect(open(proxied().port)).rejects.toThrow();
    const { text } = await talk(proxied().port, header + closing, () => false);
    expect(text).toEndWith("this port requires TLS: use https");
  });
});
