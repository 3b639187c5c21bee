import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnProgram, stopChild } from "./child-process.ts";
import type { LoadedServer } from "./load-plan.ts";

export const adminToken = "tgt_benchmark_admin_token_0123456789";
const startTimeoutMilliseconds = 60_000;

export interface RunningServer extends LoadedServer, AsyncDisposable {
  /** From the spawn to the first 200 of /readyz. */
  readonly startMilliseconds: number;
}

/**
 * Starts the server as users run it: its own process, logging at info, into a file beside its data directory. `flags` are Bun's.
 */
export function startServer(
  dataDirectory: string,
  environment: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<RunningServer> {
  return startProgram([process.execPath, ...flags, "src/main.ts"], dataDirectory, environment);
}

/** The same from another program, such as the built one. */
export async function startProgram(
  program: readonly string[],
  dataDirectory: string,
  environment: Record<string, string> = {},
): Promise<RunningServer> {
  mkdirSync(dataDirectory, { recursive: true });
  const port = findFreePort();
  const startedAt = performance.now();
  const child = spawnProgram([...program, "serve"], {
    env: {
      TOLLGATE_PORT: String(port),
      TOLLGATE_DATA_DIR: dataDirectory,
      TOLLGATE_ADMIN_TOKEN: adminToken,
      TOLLGATE_LOG: "info",
      ...environment,
    },
    stdout: Bun.file(join(dataDirectory, "..", `server-${port}.log`)),
  });
  const protocol = environment.TOLLGATE_TLS_CERT === undefined ? "http" : "https";
  while (!(await isReady(`${protocol}://127.0.0.1:${port}`))) {
    if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`);
    if (performance.now() - startedAt > startTimeoutMilliseconds) throw new Error("the server did not become ready");
    await Bun.sleep(2);
  }
  const startMilliseconds = performance.now() - startedAt;
  return { port, processId: child.pid, startMilliseconds, [Symbol.asyncDispose]: () => stopChild(child) };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { tls: { rejectUnauthorized: false } });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

export function findFreePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** A call of the API for preparation and checks, never for measurements. */
export async function call<Body>(server: RunningServer, method: string, path: string, body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}

/** Linux only: elsewhere there is no /proc, and the benchmark fails. */
export function residentMegabytes(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("the kernel does not report the resident memory");
  return Number(kilobytes) / 1024;
}
