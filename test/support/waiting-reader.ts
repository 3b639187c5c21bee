import { execFileSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

/** What a pipe of Linux holds. */
export const pipeBytes = 65_536;

interface Run {
  stdin?: Uint8Array;
  /** The output that is read late. */
  output: "stdout" | "stderr";
  /** How much of the output the process has written before it is read: at most what a pipe holds. */
  writtenFirst: number;
}

/** The output of a process that writes to a pipe from which nothing is read until the pipe is full. */
export async function outputReadLate(command: string[], { stdin, output, writtenFirst }: Run): Promise<string> {
  const folder = await temporaryFolder("waiting-reader");
  const path = join(folder.path, "pipe");
  execFileSync("mkfifo", [path]);
  // Opened for both directions, because opening one waits for the other.
  const keptOpen = await open(path, "r+");
  const reader = createReadStream(path);
  const writer = await open(path, "w");
  const started = Bun.spawn(command, {
    stdin: stdin ?? "ignore",
    stdout: "ignore",
    stderr: "ignore",
    [output]: writer.fd,
  });
  const written = async () => Number(/^wchar: (\d+)/m.exec(await readFile(`/proc/${started.pid}/io`, "utf8"))?.[1]);
  await until(async () => started.exitCode !== null || (await written()) >= writtenFirst);
  await writer.close();
  await keptOpen.close();
  const text = (await Array.fromAsync(reader as AsyncIterable<Buffer>)).join("");
  await started.exited;
  await folder.remove();
  return text;
}
