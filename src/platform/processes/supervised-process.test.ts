import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { existsSync } from "node:fs";
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

interface Limits {
  silenceMilliseconds?: number;
  startMilliseconds?: number;
}

/** `executables` are those of the first starts; by default this one. */
async function supervised(name: string, program: string, limits: Limits = {}, executables: string[] = []) {
  const path = join(folder.path, `${name}.ts`);
  await Bun.write(path, `import { SupervisorConnection } from ${connection};\n${program}`);
  const starts: boolean[] = [];
  const command = (isFirst: boolean) => {
    starts.push(isFirst);
    return [executables[starts.length - 1] ?? process.execPath, path];
  };
  const environment = { PATH: process.env.PATH };
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const options = { name, command, descriptors: [], environment, log, silenceMilliseconds: 60_000, ...limits };
  return { started: new SupervisedProcess(options), starts, logged };
}

const absent = "/absent/program";

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
  const { started } = await supervised("blocked", blocked, { silenceMilliseconds: 1_000 });
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

test("tries again if a process cannot be started", async () => {
  const { started, starts, logged } = await supervised("absent", serving, {}, [absent]);
  expect(await started.firstReady).toBe(false);
  await started.ready;
  const first = started.pid!;
  process.kill(first, "SIGKILL");
  await until(() => started.pid !== undefined && started.pid !== first);
  expect(starts).toEqual([true, false, false]);
  expect(logged).toEqual(["a process cannot be started and is tried again", "a process ended and is replaced"]);
  await started.stop(30_000);
});

test("tries again if a replacement cannot be started", async () => {
  const { started, starts } = await supervised("no-replacement", serving, {}, [process.execPath, absent, absent]);
  expect(await started.firstReady).toBe(true);
  process.kill(started.pid!, "SIGKILL");
  await until(() => starts.length === 4);
  await started.started;
  expect(started.pid).toBeDefined();
  await started.stop(30_000);
});

test("replaces a process that was ready within a second, however often it ends", async () => {
  const delays: number[] = [];
  const { setTimeout: set } = globalThis;
  const spy = spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, delay = 0) => {
    if (callback.toString().includes("#start()")) delays.push(delay);
    return set(callback, callback.toString().includes("#start()") ? 0 : delay);
  }) as typeof setTimeout);
  const { started, starts } = await supervised("often", serving);
  for (let kills = 1; kills <= 5; kills++) {
    await started.started;
    process.kill(started.pid!, "SIGKILL");
    await until(() => starts.length === kills + 1);
  }
  spy.mockRestore();
  expect(delays).toEqual([0, 200, 400, 500, 500]);
  await started.stop(30_000);
});

test("an order waits until the process is ready", async () => {
  const [starting, gate, result] = ["starting", "gate", "result"].map((name) => join(folder.path, name));
  const { started } = await supervised(
    "ordered",
    `import { existsSync, writeFileSync } from "node:fs";
    const supervisor = new SupervisorConnection();
    writeFileSync(${JSON.stringify(starting)}, "");
    while (!existsSync(${JSON.stringify(gate)})) await Bun.sleep(5);
    supervisor.onOrder = async (message) => writeFileSync(${JSON.stringify(result)}, message);
    supervisor.ready();
    await supervisor.stopped;
    process.exit(0);`,
  );
  const ordered = started.order("hold");
  await until(() => existsSync(starting!));
  await Bun.write(gate!, "");
  await ordered;
  expect(existsSync(result!)).toBe(true);
  await started.stop(30_000);
});

test("a process without a limit of its start may take as long as it needs", async () => {
  const starting = "new SupervisorConnection(); setInterval(() => {}, 1000);";
  const unlimited = await supervised("unlimited", starting, { startMilliseconds: Number.POSITIVE_INFINITY });
  const limited = await supervised("limited", starting);
  const [first, other] = [unlimited.started.pid!, limited.started.pid!];
  const { now } = performance;
  const spy = spyOn(performance, "now").mockImplementation(() => now.call(performance) + 3_600_000);
  // The process that was created later is checked later.
  await until(() => limited.started.pid !== other);
  spy.mockRestore();
  expect(unlimited.started.pid).toBe(first);
  await Promise.all([unlimited, limited].map(({ started }) => started.stop(1)));
});
