import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { cpuCount } from "./cpu-count.ts";

const cores = availableParallelism();
const files = (content: Record<string, string>) => (path: string) => content[path.replace("/sys/fs/cgroup/", "")];

test.each([
  ["no cgroup", {}, cores],
  ["no quota in version 2", { "cpu.max": "max 100000\n" }, cores],
  ["no quota in version 1", { "cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n" }, cores],
  ["a part of a core in version 2", { "cpu.max": "20000 100000\n" }, 1],
  ["a core in version 1", { "cpu/cpu.cfs_quota_us": "100000\n", "cpu/cpu.cfs_period_us": "100000\n" }, 1],
  ["more than the machine has", { "cpu.max": `${(cores + 4) * 100_000} 100000\n` }, cores],
])("%s", (_, content, expected) => {
  expect(cpuCount(files(content))).toBe(expected);
});
