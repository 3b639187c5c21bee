import { fileURLToPath } from "node:url";

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
export function spawnScript(script: string, scriptArguments: readonly string[], options: SpawnOptions = {}) {
  const child = Bun.spawn([process.execPath, script, ...scriptArguments], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...options.env },
    stdin: "ignore",
    stdout: options.stdout ?? "pipe",
    stderr: "inherit",
  });
  running.add(child);
  child.exited.then(() => running.delete(child));
  return child;
}

/** Runs a script to its end and gives back the JSON that it printed. */
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

export interface RivalServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts a rival that prints its port as its first line. */
export async function startRival(script: string, scriptArguments: readonly string[]): Promise<RivalServer> {
  const child = spawnScript(script, scriptArguments);
  const reader = (child.stdout as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { port: Number(new TextDecoder().decode(value)), [Symbol.asyncDispose]: () => stopChild(child) };
}
