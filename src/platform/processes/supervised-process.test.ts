import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { until } from "../../../test/support/until.ts";
import { SupervisedProcess } from "./supervised-process.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("supervised");
});
afterAll(() => folder.remove());

const connection = JSON.stringify(join(import.meta.dir, "supervisor-connection.ts"));

async function supervised(name: string, program: string, silenceMilliseconds = 60_000) {
  const path = join(folder.path, `${name}.ts`);
  await Bun.write(path, `import { SupervisorConnection } from ${connection};\n${program}`);
  const starts: boolean[] = [];
  const command = (isFirst: boolean) => {
    starts.push(isFirst);
    return [process.execPath, path];
  };
  const environment = { PATH: process.env.PATH };
  const log = () => {};
  const started = new SupervisedProcess({ name, command, descriptors: [], environment, silenceMilliseconds, log });
  return { started, starts };
}

const serving =
  "const supervisor = new SupervisorConnection(); supervisor.ready(); await supervisor.stopped; process.exit(0);";

test("replaces a process that is killed, until it is stopped", async () => {
  const { started, starts } = await supervised("killed", serving);
  expect(await started.firstReady).toBe(true);
  const first = started.pid!;
  process.kill(first, "SIGKILL");
  await until(() => started.pid !== undefined && started.pid !== first);
  expect(starts).toEqual([true, false]);
  await started.stop(30_000);
  expect(started.pid).toBeUndefined();
  expect(starts).toHaveLength(2);
});

test("replaces a process that does not respond", async () => {
  const blocked = "new SupervisorConnection().ready(); setTimeout(() => { for (;;); }, 50);";
  const { started } = await supervised("blocked", blocked, 1_000);
  expect(await started.firstReady).toBe(true);
  const first = started.pid!;
  await until(() => started.pid !== undefined && started.pid !== first);
  await started.stop(1);
});

test("reports a process that ends before it is ready", async () => {
  const { started } = await supervised("failing", "process.exit(3);");
  expect(await started.firstReady).toBe(false);
  await started.stop(30_000);
});
