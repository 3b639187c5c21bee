import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installProgram } from "../../test/support/cli.ts";
import { sqlite } from "../../test/support/engines.ts";
import { commandsIn, runPasted } from "../../test/support/pasted-commands.ts";
import { adminToken } from "../../test/support/server-settings.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const root = join(import.meta.dir, "../..");

/** In the order of the blocks. */
const expected = [
  /Role +admin/,
  /Name +acme[\s\S]*Key +tg_[0-9a-f]{32}_[0-9a-f]{8}[\s\S]*Valid +yes[\s\S]*seats=12/,
  /Key +tg_[\s\S]*acme +csmr_[\s\S]*name must be 1 to 128[\s\S]*exit code 1\n[\s\S]*did you mean "consumers"\?[\s\S]*exit code 2/,
  /Id +mtr_[\s\S]*1 counted[\s\S]*Allowed, and taken[\s\S]*Not allowed[\s\S]*exit code 1[\s\S]*requests +10 +10 +0[\s\S]*The books are right/,
  /\+ shop\/openapi\.json[\s\S]*✓ Start[\s\S]*Live after[\s\S]*\{"greeting":"Hello, world!","from":"acme"\}/,
  /(?=[\s\S]*acme greets world)[\s\S]*200 GET \/hello\/world[\s\S]*\n1 +yes[\s\S]*Backed up/,
  /Deleted the deployment[\s\S]*Deleted the consumer acme[\s\S]*Deleted the metering bucket[\s\S]*Forgot profile default/,
];

test("the tour with the command line works as pasted, and shows what it promises", async () => {
  const folder = await temporaryFolder("cli-tour");
  const data = join(folder.path, "data");
  mkdirSync(data);
  writeFileSync(join(data, "admin-token"), `${adminToken}\n`);
  // In the place of npx, which would take a second for each command.
  const bin = await installProgram(folder.path);
  const database = { environment: { TOLLGATE_DATA_DIR: data }, drop: async () => {} };
  const server = await spawnServer(sqlite, { database });

  const tour = readFileSync(join(root, "docs/tour.md"), "utf8")
    .split("## From the command line\n")[1]!
    .split("\n## ")[0]!;
  const shown = await runPasted(commandsIn(tour), {
    cwd: folder.path,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path, TOLLGATE_PORT: new URL(server.url).port },
    before: "exec 2>&1",
  });
  expect(shown).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(shown[index]).toMatch(pattern);
  await server.stop();
  await folder.remove();
}, 60_000);
