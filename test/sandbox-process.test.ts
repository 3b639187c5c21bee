import { afterAll, beforeAll, expect, test } from "bun:test";
import { childrenOf, isRunning } from "./support/child-processes.ts";
import { eachEngine } from "./support/engines.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const files = (text: string) => ({
  "openapi.json": openApi({ "/code": { "x-tollgate": { handler: "modules/count.ts" } } }),
  "tollgate.json": {},
  "modules/count.ts": `
    let count = 0;
    export default async (request, context) => {
      count += 1;
      console.log("call " + count);
      const outside = await fetch("http://127.0.0.1:1/").catch(() => undefined);
      return Response.json({ text: ${JSON.stringify(text)}, count, reached: outside?.status === 200 });
    };
  `,
});

// Processes that are replaced read the live versions from storage.
eachEngine((engine) => {
  let server: SpawnedServer;
  let deployed: Deployed;

  beforeAll(async () => {
    server = await spawnServer(engine, { environment: { TOLLGATE_WORKERS: "2" } });
    await until(() => childrenOf(server.processId, "worker-process").length === 2);
    deployed = await deploy(server, { project: "shop", branch: "main" }, files("first"));
  });
  afterAll(() => server.stop());

  const child = (word: string) => childrenOf(server.processId, word);
  /** The workerd processes, whichever process they belong to. */
  const sandboxes = () =>
    [...child("sandbox-process"), ...child("primary-process"), ...child("worker-process")].flatMap((pid) =>
      childrenOf(pid, "workerd"),
    );
  const call = async () => {
    const response = await deployed.call("/code", { headers: { connection: "close" }, keepalive: false });
    return { status: response.status, ...((await response.json()) as { count: number; text: string }) };
  };

  test("one workerd runs the code for all processes of the machine", async () => {
    const calls = await Promise.all(Array.from({ length: 20 }, call));
    expect(calls.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    // One process has counted them all.
    expect(Math.max(...calls.map(({ count }) => count))).toBe(20);
    expect(sandboxes()).toHaveLength(1);
    expect(child("sandbox-process").flatMap((pid) => childrenOf(pid, "workerd"))).toEqual(sandboxes());
  });

  test("a killed primary does not end code: no request fails, and the process remains", async () => {
    const before = sandboxes();
    const [killed] = child("primary-process");
    process.kill(killed!, "SIGKILL");
    const statuses = new Set<number>();
    const hasSuccessor = () => child("primary-process").some((pid) => pid !== killed);
    do {
      for (const { status } of await Promise.all([call(), call(), call()])) statuses.add(status);
    } while (!hasSuccessor());
    await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
    for (const { status } of await Promise.all([call(), call(), call()])) statuses.add(status);
    expect([...statuses]).toEqual([200]);
    expect(sandboxes()).toEqual(before);
  });

  test("killed workers find the code running", async () => {
    const before = sandboxes();
    const { count } = await call();
    const workers = child("worker-process");
    for (const pid of workers) process.kill(pid, "SIGKILL");
    await until(() => !workers.some(isRunning));
    expect((await call()).count).toBeGreaterThan(count);
    expect(sandboxes()).toEqual(before);
  });

  test("a successor of the process for sandboxes starts what was live", async () => {
    const before = sandboxes();
    const [killed] = child("sandbox-process");
    process.kill(killed!, "SIGKILL");
    // Without a request.
    await until(() => sandboxes().length === 1 && !sandboxes().includes(before[0]!));
    expect(isRunning(before[0]!)).toBe(false);
    const [after] = sandboxes();
    expect((await call()).status).toBe(200);
    expect(sandboxes()).toEqual([after!]);
  });

  test("lines of the console are logged once", async () => {
    const { headers } = await deployed.call("/code");
    const lines = async () => {
      const { body } = await server.client.get(`/v1/deployments/${deployed.name}/logs?limit=100`);
      const logged = body.data as { kind: string; message?: string; requestId?: string }[];
      return logged.filter(
        ({ requestId, message }) => requestId === headers.get("x-request-id") && message?.startsWith("call "),
      );
    };
    await until(async () => (await lines()).length > 0);
    expect(await lines()).toHaveLength(1);
  });

  test("the process of a version that was replaced ends", async () => {
    const before = sandboxes();
    await deploy(server, { project: "shop", branch: "main" }, files("second"));
    expect(await call()).toMatchObject({ status: 200, text: "second" });
    await until(() => !isRunning(before[0]!));
    expect(sandboxes()).toHaveLength(1);
  });

  test("SIGTERM ends all processes", async () => {
    const pids = [...sandboxes(), ...child("sandbox-process"), ...child("primary-process")];
    expect(pids).toHaveLength(3);
    expect(await server.kill("SIGTERM")).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
  });
});
