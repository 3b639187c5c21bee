import { beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { createAccount } from "../../../access/accounts/accounts.ts";
import { deleteDeployment, deploymentOfBranch } from "../deployments.ts";
import { levelOf } from "./log-bounds.ts";
import type { LogEntry } from "./log-sink.ts";
import { logSizes } from "./log-store.ts";
import { DeploymentLogs, readLog } from "./logs.ts";
import { PendingLines } from "./pending-lines.ts";

const day = 24 * 60 * 60 * 1000;
const line = { kind: "console", level: "info" } as const;

eachEngine((engine) => {
  const storage = useStorage(engine);
  let act: Parameters<typeof deploymentOfBranch>[1];
  beforeAll(async () => {
    const now = storage.clock.now();
    const account = await storage.open.write((transaction) =>
      createAccount(transaction, { actor: "test", now }, "logging"),
    );
    act = { account, actor: "test", now };
  });
  const deployment = (branch: string) =>
    storage.open.write((transaction) => deploymentOfBranch(transaction, act, "project", branch));
  const failed = (error: unknown) => {
    throw error;
  };
  const messages = async (seq: number) =>
    (await readLog(storage.open.reads, seq, { limit: 100_000 })).map(({ message }) => message);
  const sizeOf = async (seq: number) =>
    (await logSizes(storage.open.reads)).find(({ deployment_seq }) => deployment_seq === seq)?.bytes;
  /** Without the limits of pending lines. */
  const insert = (seq: number, count: number, { time = storage.clock.now(), length = 10 } = {}) =>
    storage.open.write(async (transaction) => {
      const rows = Array.from({ length: count }, (_, at) => {
        const entry = JSON.stringify({ level: "info", message: `${at}`.padEnd(length, ".") });
        return { id: `log_${at}`, deployment_seq: seq, time, kind: "console", entry, bytes: entry.length };
      });
      await transaction.insertAll("deployment_logs", rows);
      const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
      await transaction.insert("deployment_log_sizes", { deployment_seq: seq, bytes });
    });

  test("lines are kept for seven days, and all that are older go at once", async () => {
    const { seq } = await deployment("aged");
    const logs = new DeploymentLogs(storage.open, failed);
    const now = storage.clock.now();
    await insert(seq, 12_000, { time: now - 7 * day - 1 });
    logs.add(seq, { ...line, time: now - 7 * day - 1, message: "old" });
    logs.add(seq, { ...line, time: now - 7 * day, message: "kept" });
    await logs.flush();
    expect(await messages(seq)).toHaveLength(12_002);
    await logs.trim(now);
    expect(await messages(seq)).toEqual(["kept"]);
    expect(await sizeOf(seq)).toBeLessThan(500);
    await logs.stop();
  });

  test("lines that come after their deployment was deleted are not kept; those of others are", async () => {
    const gone = await deployment("gone");
    const { seq: other } = await deployment("stays");
    const logs = new DeploymentLogs(storage.open, failed);
    for (const seq of [gone.seq, other]) logs.add(seq, { ...line, time: storage.clock.now(), message: "late" });
    await storage.open.write((transaction) => deleteDeployment(transaction, act, gone.name, () => {}));
    await logs.flush();
    expect(await messages(gone.seq)).toEqual([]);
    expect(await sizeOf(gone.seq)).toBeUndefined();
    expect(await messages(other)).toEqual(["late"]);
    // Also if both happen at once.
    const both = await deployment("both");
    logs.add(both.seq, { ...line, time: storage.clock.now(), message: "late" });
    await Promise.all([
      storage.open.write((transaction) => deleteDeployment(transaction, act, both.name, () => {})),
      logs.flush(),
    ]);
    expect(await messages(both.seq)).toEqual([]);
    await logs.stop();
  });

  test("a deployment keeps its newest lines up to its bound", async () => {
    const { seq } = await deployment("much");
    const { seq: other } = await deployment("little");
    await insert(seq, 5_000, { length: 100 });
    await insert(other, 10);
    const logs = new DeploymentLogs(storage.open, failed, { deploymentBytes: 100_000, accountBytes: 1_000_000 });
    await logs.trim(storage.clock.now());
    const kept = await messages(seq);
    expect(await sizeOf(seq)).toBeLessThanOrEqual(100_000);
    expect(await sizeOf(seq)).toBeGreaterThan(99_000);
    expect(kept.at(-1)).toStartWith("4999");
    expect(await messages(other)).toHaveLength(10);
    await logs.stop();
  });

  test("the deployments of an account share its bound, and those that log little lose nothing", async () => {
    const [much, more, little] = await Promise.all(["a", "b", "c"].map(deployment));
    await insert(much!.seq, 1_000, { length: 100 });
    await insert(more!.seq, 2_000, { length: 100 });
    await insert(little!.seq, 10, { length: 100 });
    const logs = new DeploymentLogs(storage.open, failed, { deploymentBytes: 1_000_000, accountBytes: 150_000 });
    await logs.trim(storage.clock.now());
    const sizes = await logSizes(storage.open.reads);
    const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(all).toBeLessThanOrEqual(150_000);
    expect(all).toBeGreaterThan(145_000);
    expect(await messages(little!.seq)).toHaveLength(10);
    expect((await messages(more!.seq)).at(-1)).toStartWith("1999");
    await logs.stop();
  });

  test("all lines of a deleted deployment are removed, however many", async () => {
    const { seq, name } = await deployment("deleted");
    await insert(seq, 2_500);
    await storage.open.write((transaction) => deleteDeployment(transaction, act, name, () => {}));
    const logs = new DeploymentLogs(storage.open, failed);
    await logs.trim(storage.clock.now());
    expect(await messages(seq)).toEqual([]);
    expect(await sizeOf(seq)).toBeUndefined();
    await logs.stop();
  });
});

test("a flush also waits for the lines that an earlier one is writing", async () => {
  const writing = Promise.withResolvers<void>();
  const storage = { write: () => writing.promise } as unknown as Storage;
  const logs = new DeploymentLogs(storage, () => {});
  logs.add(1, { ...line, time: 0, message: "first" });
  const first = logs.flush();
  const second = logs.flush().then(() => "written");
  const soon = new Promise((resolve) => setImmediate(resolve, "still writing"));
  expect(await Promise.race([second, soon])).toBe("still writing");
  writing.resolve();
  await first;
  expect(await second).toBe("written");
  await logs.stop();
});

test("the largest are cut to one level", () => {
  const sizes = [10, 50, 100].map((bytes) => ({ bytes }));
  expect(levelOf(sizes, 200)).toBe(Number.POSITIVE_INFINITY);
  expect(levelOf(sizes, 120)).toBe(60);
  expect(levelOf(sizes, 70)).toBe(30);
  expect(levelOf(sizes, 15)).toBe(5);
});

test("console output is bounded in bytes, and dropped lines are counted and logged", () => {
  const pending = new PendingLines();
  const start = 1_000_000;
  const message = "x".repeat(8_000);
  let kept = 0;
  let leftOut = 0;
  // 100 lines of 8 KB between two flushes, for ten seconds: 32 MB.
  for (let flush = 0; flush < 40; flush++) {
    for (let at = 0; at < 100; at++) pending.add({ ...line, time: start + flush * 250, message });
    const lines = pending.take();
    kept += lines.filter((each) => each.entry.message === message).length;
    const reported = lines.map(({ entry }) => /^(\d+) lines \(\d+ KiB\) were dropped/.exec(entry.message)?.[1]);
    leftOut += reported.reduce((sum, count) => sum + Number(count ?? 0), 0);
  }
  expect(kept + leftOut).toBe(4_000);
  expect(kept * 8_000).toBeLessThan(512 * 1024 + 10 * 64 * 1024);
  expect(kept * 8_000).toBeGreaterThan(800_000);
});

test("dropped lines of one kind do not affect others, and a pause refills the budget", () => {
  const pending = new PendingLines();
  const flood: LogEntry = { ...line, time: 0, message: "x".repeat(8_000) };
  for (let at = 0; at < 1_000; at++) pending.add(flood);
  pending.add({ kind: "build", level: "info", time: 0, message: "built" });
  const first = pending.take().map(({ entry }) => entry.message);
  expect(first).toContain("built");
  expect(first.at(-1)).toMatch(/were dropped: the console log accepts 64 KiB a second\.$/);
  pending.add({ ...flood, time: 10_000 });
  expect(pending.take().map(({ entry }) => entry.message)).toEqual([flood.message]);
});
