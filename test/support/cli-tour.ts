import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installProgram } from "./cli.ts";
import { sqlite } from "./engines.ts";
import { commandsIn, runPasted } from "./pasted-commands.ts";
import { adminToken } from "./server-settings.ts";
import { spawnServer } from "./spawned-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Runs the commands of a document against a new server, as pasted; each block must print what is expected. */
export async function expectTour(document: string, expected: RegExp[]): Promise<void> {
  const folder = await temporaryFolder("tour");
  const data = join(folder.path, "data");
  mkdirSync(data);
  writeFileSync(join(data, "admin-token"), `${adminToken}\n`);
  // Replaces npx, which would take a second for each command.
  const bin = await installProgram(folder.path);
  // Programs import the client from the sources.
  writeFileSync(join(bin, "node"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  const client = join(folder.path, "node_modules/tollgate");
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, "package.json"), JSON.stringify({ exports: { "./client": "./client.ts" } }));
  writeFileSync(join(client, "client.ts"), `export * from "${join(import.meta.dir, "../../src/client/index.ts")}";`);
  const database = { environment: { TOLLGATE_DATA_DIR: data }, drop: async () => {} };
  const server = await spawnServer(sqlite, { database });
  const shown = await runPasted(commandsIn(document.replaceAll("http://127.0.0.1:8787", server.url)), {
    cwd: folder.path,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path, TOLLGATE_PORT: new URL(server.url).port },
    before: "exec 2>&1",
  });
  expect(shown).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(shown[index]).toMatch(pattern);
  await server.stop();
  await folder.remove();
}
