import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { sqlite } from "./support/engines.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { rawRequest } from "./support/raw-http.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";

const largeBytes = 600_000_000;
const pieceBytes = 1_000_000;
/** The maximum growth of the server's memory while it forwards that body. */
const boundBytes = 200_000_000;

let server: SpawnedServer;
let deployed: Deployed;
let received = { bytes: 0, length: "" as string | null };

/** In this process, so that the measured process contains only the gateway. */
const upstream = Bun.serve({
  idleTimeout: 0,
  port: 0,
  hostname: "127.0.0.1",
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  async fetch(request) {
    if (request.method === "GET") return new Response(pieces(largeBytes));
    received = { bytes: 0, length: request.headers.get("content-length") };
    for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) received.bytes += piece.byteLength;
    return new Response(String(received.bytes));
  },
});

beforeAll(async () => {
  server = await spawnServer(sqlite);
  deployed = await deploy(
    server,
    { project: "large", branch: "main" },
    {
      "openapi.json": openApi({ "/download": {}, "POST /upload": {} }),
      "tollgate.json": { upstream: `http://127.0.0.1:${upstream.port}` },
    },
  );
});

afterAll(async () => {
  await server.stop();
  await upstream.stop(true);
});

function pieces(bytes: number): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(pieceBytes).fill(97);
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      left -= pieceBytes;
      controller.enqueue(piece);
    },
  });
}

/** The peak growth of the server's memory while `work` runs. */
async function peakOf(work: () => Promise<void>): Promise<number> {
  // Resets the kernel's record of the peak.
  writeFileSync(`/proc/${server.processId}/clear_refs`, "5");
  const before = residentBytes("VmRSS");
  await work();
  return residentBytes("VmHWM") - before;
}

function residentBytes(field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${server.processId}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)![1]) * 1024;
}

test("a response of 600 MB is not buffered", async () => {
  const peak = await peakOf(async () => {
    const response = await deployed.call("/download");
    let bytes = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) bytes += piece.byteLength;
    expect(bytes).toBe(largeBytes);
  });
  expect(peak).toBeLessThan(boundBytes);
});

test.each([
  ["a declared length", [`content-length: ${largeBytes}`], String(largeBytes)],
  ["chunks", ["transfer-encoding: chunked"], null],
])("600 MB go up with %s without being held", async (_, headers, length) => {
  const peak = await peakOf(async () => {
    const isChunked = length === null;
    const piece = Buffer.alloc(pieceBytes, 98);
    const framed = isChunked
      ? Buffer.concat([Buffer.from(`${pieceBytes.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
      : piece;
    const response = await new Promise<string>((resolve) => {
      let left = largeBytes / pieceBytes;
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
      const more = () => {
        while (left > 0) {
          left -= 1;
          if (!socket.write(framed)) return void socket.once("drain", more);
        }
        if (isChunked && left === 0) socket.write("0\r\n\r\n");
        left = -1;
      };
      socket.write(rawRequest("POST", new URL(deployed.url).hostname, "/upload", headers));
      more();
      socket.on("data", (data) => {
        resolve(String(data));
        socket.destroy();
      });
    });
    expect(response).toContain("200 OK");
  });
  expect(received).toEqual({ bytes: largeBytes, length });
  expect(peak).toBeLessThan(boundBytes);
});
