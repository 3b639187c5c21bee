/**
 * The load generator, a separate process: `bun bench/load.ts LOADED-SERVER LOAD-PLAN`, both as JSON, prints a
 * LoadResult. It uses raw sockets and pre-rendered requests, because `fetch` would cost more than the measured server.
 */
import type { LoadedServer, LoadPlan, LoadResult } from "./load-plan.ts";
import { cpuMicrosecondsOfTree } from "./process-cpu.ts";
import { RequestTemplate } from "./request-template.ts";
import { ResponseReader } from "./response-reader.ts";
import { sampleOf } from "./sample.ts";

/** How long a load may exceed its plan while it waits for responses. */
const graceSeconds = 30;

interface Connection {
  readonly reader: ResponseReader;
  readonly request: Buffer;
  unsent: number;
  sentAt: number;
}

const [server, plan] = process.argv.slice(2).map((text) => JSON.parse(text)) as [LoadedServer, LoadPlan];
const template = new RequestTemplate(plan, server.port);
const latencies: number[] = [];
let measuring = false;
let stopping = false;
let unexpected = 0;
let busyConnections = 0;
const finished = Promise.withResolvers<void>();

function sendNext(socket: Bun.Socket<Connection>): void {
  const connection = socket.data;
  if (stopping || !template.fill(connection.request)) {
    busyConnections -= 1;
    if (busyConnections === 0) finished.resolve();
    return;
  }
  connection.sentAt = performance.now();
  connection.unsent = connection.request.length;
  sendRest(socket);
}

function sendRest(socket: Bun.Socket<Connection>): void {
  const { request, unsent } = socket.data;
  const sent = socket.write(unsent === request.length ? request : request.subarray(request.length - unsent));
  socket.data.unsent -= Math.max(sent, 0);
}

function serverCpuNow(): number {
  const { processId, databaseProcessId } = server;
  const database = databaseProcessId === undefined ? 0 : cpuMicrosecondsOfTree(databaseProcessId);
  return cpuMicrosecondsOfTree(processId) + database;
}

function isExpected(status: number): boolean {
  if (status === plan.rejectedStatus) return true;
  return plan.status === undefined ? status >= 200 && status <= 299 : status === plan.status;
}

function receive(socket: Bun.Socket<Connection>, piece: Buffer): void {
  const { reader, sentAt } = socket.data;
  if (!reader.take(piece)) return;
  if (measuring) {
    latencies.push(performance.now() - sentAt);
    if (!isExpected(reader.status)) unexpected += 1;
  }
  sendNext(socket);
}

const handler: Bun.SocketHandler<Connection> = {
  binaryType: "buffer",
  open() {},
  data(socket, piece) {
    try {
      receive(socket, piece);
    } catch (error) {
      finished.reject(error);
    }
  },
  drain(socket) {
    if (socket.data.unsent > 0) sendRest(socket);
  },
  error: (_socket, error) => finished.reject(error),
  close: () => finished.reject(new Error("the server closed a connection")),
};

function openConnection(): Promise<Bun.Socket<Connection>> {
  const data = { reader: new ResponseReader(), request: template.forConnection(), unsent: 0, sentAt: 0 };
  return Bun.connect({ hostname: "127.0.0.1", port: server.port, data, socket: handler });
}

async function openConnections(): Promise<Bun.Socket<Connection>[]> {
  const { connections, connectMilliseconds } = plan;
  if (connectMilliseconds === undefined) return Promise.all(Array.from({ length: connections }, openConnection));
  const opened: Bun.Socket<Connection>[] = [];
  for (let count = 0; count < connections; count++) {
    opened.push(await openConnection());
    await Bun.sleep(connectMilliseconds);
  }
  return opened;
}

const sockets = await openConnections();
busyConnections = sockets.length;
const stuck = setTimeout(
  () => finished.reject(new Error("the server did not respond in time")),
  (plan.warmSeconds + plan.seconds + graceSeconds) * 1000,
);
for (const socket of sockets) sendNext(socket);
await Promise.race([Bun.sleep(plan.warmSeconds * 1000), finished.promise]);

measuring = true;
const cpuAtStart = process.cpuUsage();
const serverCpuAtStart = serverCpuNow();
const startedAt = performance.now();
await Promise.race([Bun.sleep(plan.seconds * 1000), finished.promise]);
const seconds = (performance.now() - startedAt) / 1000;
const serverCpu = serverCpuNow() - serverCpuAtStart;
const cpu = process.cpuUsage(cpuAtStart);
measuring = false;
stopping = true;
await finished.promise;
clearTimeout(stuck);

const result: LoadResult = {
  ...sampleOf(latencies, seconds, serverCpu),
  requests: latencies.length,
  unexpected,
  loadCpu: (cpu.user + cpu.system) / 1e6 / seconds,
  slotsUsed: template.slotsUsed,
};
console.log(JSON.stringify(result));
process.exit(0);
