import { expect } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { type Deployed, deploy, openApi } from "../../test/support/project.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import type { Part, Torture } from "../part.ts";
import { LargeBodies } from "./large-bodies.ts";
import { memoryDuring } from "./memory-during.ts";

/** Enough for the heaps of both processes to reach their size. */
const warmUpMebibytes = 128;
/** The growth in a stream of any size after that. */
const allowedGrowthMegabytes = 192;

const bufferedMebibytes = 4;
/** All buffers of a server together, of which one client has at most a third. */
const bufferMebibytes = 256;
const buffering = 40;
const served = 4;

const modules = {
  // Every byte passes through JavaScript, and the last chunk is changed.
  "modules/stream.ts": `import type { Policy, OnResponse } from "tollgate";
const enter: Policy = () => undefined;
export default enter;
export const onResponse: OnResponse = (response) => {
  let bytes = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      controller.enqueue(chunk);
    },
    flush(controller) {
      controller.enqueue(new TextEncoder().encode(String(bytes).padStart(20)));
    },
  });
  return new Response(response.body!.pipeThrough(counted), response);
};
`,
  "modules/buffer.ts": `import type { Policy, OnResponse } from "tollgate";
const enter: Policy = () => undefined;
export default enter;
export const onResponse: OnResponse = async (response) => {
  const { byteLength } = await response.arrayBuffer();
  return new Response(String(byteLength), response);
};
`,
};

/** Large bodies through policies in code: as a stream, and as more buffers than fit. */
export const bodies: Part = async (torture) => {
  const upstream = new LargeBodies();
  const server = await spawnServer(sqlite);
  try {
    const deployed = await deploy(
      server,
      { project: "bodies", branch: "main" },
      {
        "openapi.json": openApi({
          "/stream": { "x-tollgate": { policies: ["stream"] } },
          "/buffer": { "x-tollgate": { policies: ["buffer"] } },
        }),
        "tollgate.json": {
          upstream: upstream.url,
          policies: {
            stream: { type: "modules/stream.ts", body: { response: "stream" } },
            buffer: { type: "modules/buffer.ts", body: { response: "buffer", maxBytes: 16 * 1024 * 1024 } },
          },
        },
        ...modules,
      },
    );
    await stream(server, deployed, torture);
    await buffer(server, deployed, upstream, torture);
  } finally {
    await server.stop();
    await upstream.stop();
  }
};

async function stream(server: SpawnedServer, deployed: Deployed, { effort, report }: Torture): Promise<void> {
  const before = await memoryDuring(server, () => receive(deployed, warmUpMebibytes));
  const most = await memoryDuring(server, () => receive(deployed, effort.streamMebibytes));
  expect(most - before).toBeLessThan(allowedGrowthMegabytes);
  report(
    `${effort.streamMebibytes} MiB through code as a stream: server and sandbox used ${Math.round(most)} MB at most, ` +
      `for ${warmUpMebibytes} MiB before ${Math.round(before)} MB`,
  );
}

async function receive(deployed: Deployed, mebibytes: number): Promise<void> {
  const size = mebibytes * 1024 * 1024;
  const response = await deployed.call(`/stream?bytes=${size}`);
  expect(response.status).toBe(200);
  let received = 0;
  let end = Buffer.alloc(0);
  for await (const chunk of response.body!) {
    received += chunk.length;
    end = Buffer.concat([end, chunk.subarray(-20)]).subarray(-20);
  }
  expect([received, Number(end.toString())]).toEqual([size + 20, size]);
}

/**
 * The upstream holds back the last byte of each response, so that as many as fit are in buffers. Most clients then
 * disconnect: the code of all of them at once would exceed the memory of the sandbox, not that of buffers.
 */
async function buffer(
  server: SpawnedServer,
  deployed: Deployed,
  upstream: LargeBodies,
  { report }: Torture,
): Promise<void> {
  const fitting = Math.floor(bufferMebibytes / 3 / bufferedMebibytes);
  const most = await memoryDuring(server, async () => {
    // The second round fits only if the first one has released everything.
    for (let round = 0; round < 2; round++) await fillBuffers(deployed, upstream, fitting);
  });
  report(
    `${buffering} responses of ${bufferedMebibytes} MiB for buffers at once, twice: at most ${fitting} fit, the others got 503; ` +
      `server and sandbox used ${Math.round(most)} MB at most`,
  );
}

async function fillBuffers(deployed: Deployed, upstream: LargeBodies, fitting: number): Promise<void> {
  const size = bufferedMebibytes * 1024 * 1024;
  const results: string[] = [];
  upstream.hold();
  const clients = Array.from({ length: buffering }, () => {
    const controller = new AbortController();
    const client = { controller, isWaiting: true, ended: Promise.resolve() };
    const call = async () => {
      const response = await deployed.call(`/buffer?bytes=${size}`, { signal: controller.signal });
      const text = await response.text();
      client.isWaiting = false;
      results.push(
        response.status === 200 ? text : `${response.status} ${response.headers.get("retry-after")} ${text}`,
      );
    };
    client.ended = call().catch((error) => {
      if (!controller.signal.aborted) throw error;
    });
    return client;
  });
  // Not all 40 at once: what a busy server has not read yet is in the buffers of sockets, and not decided.
  const isDecided = () =>
    upstream.held <= fitting && results.length + upstream.held === buffering && upstream.responding === upstream.held;
  try {
    await until(isDecided, { what: () => `rejections; there are ${results.length}, and ${upstream.held} wait` });
  } catch (error) {
    for (const { controller } of clients) controller.abort();
    throw error;
  }
  expect(upstream.held).toBeGreaterThanOrEqual(served);
  for (const text of results.splice(0)) expect(text).toMatch(/^503 1 .*buffers_full/s);
  const waiting = clients.filter(({ isWaiting }) => isWaiting);
  for (const { controller } of waiting.slice(served)) controller.abort();
  await until(() => upstream.responding === served, { what: () => `aborts; ${upstream.responding} respond` });
  upstream.release();
  await Promise.all(clients.map(({ ended }) => ended));
  expect(results).toEqual(Array(served).fill(String(size)));
}
