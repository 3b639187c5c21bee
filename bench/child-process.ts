import { fileURLToPath } from "node:url";
import runtimeEnvironment from "../src/cli/local-server/runtime-environment.json" with { type: "json" };
import type { LoadedServer } from "./load-plan.ts";

export const projectRoot = fileURLToPath(new URL("..", import.meta.url));

const running = new Set<Bun.Subprocess>();
// A benchmark that fails or is interrupted must not leave servers behind.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

interface SpawnOptions {
  readonly env?: Record<string, string>;
  readonly stdout?: Bun.BunFile;
}

/** Runs a script of this project under the same Bun; its stdout is a pipe unless it is sent to a file. */
function spawnScript(script: string, scriptArguments: readonly string[], options: SpawnOptions = {}) {
  return spawnProgram([process.execPath, script, ...scriptArguments], options);
}

export function spawnProgram(command: string[], options: SpawnOptions = {}) {
  const child = Bun.spawn(command, {
    cwd: projectRoot,
    // Servers and rivals on Bun have what `bin/tollgate.js` sets; other programs ignore it.
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...runtimeEnvironment, ...options.env },
    stdin: "ignore",
    stdout: options.stdout ?? "pipe",
    stderr: "inherit",
  });
  running.add(child);
  child.exited.then(() => running.delete(child));
  return child;
}

/** Runs a script to its end and returns the JSON that it printed. */
export async function runForJson<Result>(script: string, scriptArguments: readonly string[]): Promise<Result> {
  const child = spawnScript(script, scriptArguments);
  const output = await new Response(child.stdout as ReadableStream).text();
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`${script} ended with exit code ${exitCode}`);
  return JSON.parse(output) as Result;
}

export async function stopChild(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGTERM");
  const tooLate = setTimeout(() => child.kill("SIGKILL"), 30_000);
  await child.exited;
  clearTimeout(tooLate);
}

export type RivalServer = LoadedServer & AsyncDisposable;

/** Starts a rival that prints its port as its first line. */
export async function startRival(script: string, scriptArguments: readonly string[]): Promise<RivalServer> {
  const child = spawnScript(script, scriptArguments);
  const reader = (child.stdout as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  const port = Number(new TextDecoder().decode(value));
  return { port, processId: child.pid, [Symbol.asyncDispose]: () => stopChild(child) };
}

const listensWithinMilliseconds = 30_000;

/** Starts a rival that is not one of our scripts, and waits until it accepts connections. */
export async function startProgram(command: string[], port: number): Promise<RivalServer> {
  const child = spawnProgram(command);
  const giveUpAt = performance.now() + listensWithinMilliseconds;
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`${command[0]} ended with exit code ${child.exitCode}`);
    if (performance.now() > giveUpAt) throw new Error(`${command[0]} does not take connections`);
    await Bun.sleep(5);
  }
  return { port, processId: child.pid, [Symbol.asyncDispose]: () => stopChild(child) };
}

async function takesConnections(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
