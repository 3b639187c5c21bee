import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installProgram } from "../../test/support/cli.ts";
import { sqlite } from "../../test/support/engines.ts";
import { commandsIn, runPasted } from "../../test/support/pasted-commands.ts";
import { adminToken } from "../../test/support/server-settings.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

/** In the order of the document's blocks. */
const expected = [
  /Name +acme/,
  /✓ Start/,
  /^/,
  /429: consumer acme has used 2 of 2 requests of plan Gold in this period; it resets on \d+ \w+ \d{4} at [\d:]+ UTC\.\n {2}GET \/hello to shop-main-\w+, version 1, [\s\S]*x-request-id order-3\n {2}keys \(api-key\): passed, \d+ ms\n {2}plan \(quota\): rejected[\s\S]*401: the request had no API key; it belongs into the header authorization\./,
  /401 GET \/hello \d+ ms req_\w{24} the request had no API key[\s\S]*429 GET \/hello \d+ ms acme req_[\s\S]*"status": 200\n"status": 200/,
];

test("the commands of docs/requests.md work as pasted, and show what they promise", async () => {
  const folder = await temporaryFolder("requests-tour");
  const data = join(folder.path, "data");
  mkdirSync(data);
  writeFileSync(join(data, "admin-token"), `${adminToken}\n`);
  const bin = await installProgram(folder.path);
  const server = await spawnServer(sqlite, {
    database: { environment: { TOLLGATE_DATA_DIR: data }, drop: async () => {} },
  });
  const document = readFileSync(join(import.meta.dir, "../../docs/requests.md"), "utf8");
  const shown = await runPasted(commandsIn(document), {
    cwd: folder.path,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path, TOLLGATE_PORT: new URL(server.url).port },
    before: "exec 2>&1",
  });
  expect(shown).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(shown[index]).toMatch(pattern);
  await server.stop();
  await folder.remove();
}, 60_000);
