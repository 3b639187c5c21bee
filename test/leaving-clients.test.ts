import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import { openDescriptors } from "../torture/process-figures.ts";
import { sqlite } from "./support/engines.ts";
import { deploy, openApi } from "./support/project.ts";
import { rawRequest } from "./support/raw-http.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const clients = 20;
const mebibyte = 1024 * 1024;
/** Much less than the timeout of the patient route, so that the client's disconnect ends a request. */

let server: SpawnedServer;
let host: string;
let upstream: Server;
const upstreamSockets = new Set<Socket>();

beforeAll(async () => {
  // Accepts connections and reads nothing.
  upstream = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => {});
    socket.on("close", () => upstreamSockets.delete(socket));
    upstreamSockets.add(socket);
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as { port: number };
  server = await spawnServer(sqlite);
  const route = (timeoutSeconds: number) => ({
    "x-tollgate": { upstream: `http://127.0.0.1:${port}`, timeoutSeconds },
  });
  const document = openApi({ "post /patient": route(300), "post /hasty": route(6) });
  const { name } = await deploy(server, { project: "stuck", branch: "main" }, { "openapi.json": document });
  host = `${name}.localhost`;
});
afterAll(async () => {
  for (const socket of upstreamSockets) socket.destroy();
  upstream.close();
  await server.stop();
});

/** Sends half of a body, or as much as the socket accepts. */
function post(path: string, bytes: number): Socket {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => {
    socket.write(rawRequest("POST", host, path, [`content-length: ${bytes * 2}`]));
    socket.write(Buffer.alloc(bytes, "x"));
  });
  socket.on("error", () => {});
  socket.resume();
  return socket;
}

/** Clients whose body is not read further, and the number of descriptors without them. */
async function stalledClients(path: string, bytes: number) {
  for (const socket of upstreamSockets) socket.destroy();
  await until(() => upstreamSockets.size === 0);
  const before = openDescriptors(server.processId);
  const sockets = Array.from({ length: clients }, () => post(path, bytes));
  await until(() => upstreamSockets.size === clients, { what: "all requests to reach the upstream" });
  // Checked before they stall: on a busy machine that takes longer than the hasty route's timeout.
  expect(openDescriptors(server.processId)).toBeGreaterThanOrEqual(before + clients);
  let sent = -1;
  await until(
    async () => {
      const last = sent;
      sent = sockets.reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0);
      await Bun.sleep(100);
      return last === sent;
    },
    { what: "the senders to stall" },
  );
  return { sockets, before };
}

const allGone = (before: number) =>
  until(() => openDescriptors(server.processId) <= before + 2, {
    what: () => `${openDescriptors(server.processId) - before} descriptors to be closed`,
  });

test("disconnects in the middle of a body are detected, even if the upstream does not read it", async () => {
  const { sockets, before } = await stalledClients("/patient", mebibyte);
  for (const socket of sockets) socket.destroy();
  await allGone(before);
});

test("connection resets are detected while the sockets are paused", async () => {
  const { sockets, before } = await stalledClients("/patient", 20 * mebibyte);
  for (const socket of sockets) socket.resetAndDestroy();
  await allGone(before);
});

// Their FIN follows data that is still in kernel buffers and is never read: the route's timeout ends them.
test("clients that disconnect with unread data are closed at the route's timeout", async () => {
  const { sockets, before } = await stalledClients("/hasty", 20 * mebibyte);
  for (const socket of sockets) socket.destroy();
  await allGone(before);
});
