import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlite } from "./engines.ts";
import { failIfAnythingRuns } from "./left-running.ts";
import { spawnServer } from "./spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { TollgateProcess } from "./tollgate-process.ts";

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder("spawned");
});
afterEach(async () => {
  await folder.remove();
  failIfAnythingRuns();
});

async function programOf(text: string): Promise<string[]> {
  const file = join(folder.path, "main.ts");
  await writeFile(file, text);
  return [process.execPath, file];
}

test("the error of a server that ends before it listens contains its status and its output", async () => {
  const program = await programOf(`console.log("on stdout"); console.error("on stderr"); process.exit(7);`);
  const error = await spawnServer(sqlite, { program }).catch((failure: Error) => failure);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toMatch(
    /^The server ended with 7 before it listened\. It used [\d.]+ s of CPU time\. It wrote:\non stdout\non stderr$/,
  );
});

test("a process whose output does not end is reported, because another process holds it open", async () => {
  const program = await programOf(`
    const holder = Bun.spawn(["sleep", "600"], { stdout: "inherit", stderr: "ignore" });
    holder.unref();
    console.log(String(holder.pid));
    process.exit(0);
  `);
  const ended = new TollgateProcess(["serve"], {}, [], program, 300);
  const error = await ended.exited.catch((failure: Error) => failure);
  process.kill(Number(ended.stdout[0]), "SIGKILL");
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toStartWith(
    "The process `tollgate serve` ended with 0, and its output did not end. It used ",
  );
  expect((error as Error).message).toEndWith(`It wrote:\n${ended.stdout[0]}`);
});
