import { expect } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { GatewayScene } from "../gateway-scene.ts";
import type { Part } from "../part.ts";
import { descendants, openDescriptors, residentMegabytes } from "../process-figures.ts";
import { swapOf, type Work, workOf } from "./load.ts";

/** During the warm-up, code is compiled and memory grows to the size of the load. */
const warmUpShare = 0.2;
const thirds = 3;
const swapEveryMs = 3_000;
const sampleEveryMs = 250;

/** Limits that noise on a busy machine does not reach, but a leak does, because it keeps growing. */
const maxMemoryGrowth = 1.15;
const maxMemoryMegabytes = 30;
const maxDescriptors = 30;
const maxDrift = 3;
const maxDriftMs = 100;
/** A shorter run, beside other tests, measures what else the machine does in a few seconds. */
const minDriftSeconds = 60;

interface Sample {
  third: number;
  megabytes: number;
  descriptors: number;
}

/** Mixed load on everything at once: memory levels off, no descriptor is left open, and responses do not become slower. */
export const soak: Part = async ({ random, effort, report }) => {
  const server = await spawnServer(sqlite);
  const scene = await GatewayScene.open(() => server);
  const works = workOf(server.client, scene, random.branch("load"));
  const swap = swapOf(server.client, scene, random.branch("swaps"));
  /** By the name of the work, for each third, in milliseconds. */
  const timings = new Map(
    [...works, swap].map(({ name }) => [name, Array.from({ length: thirds }, (): number[] => [])]),
  );
  const samples: Sample[] = [];
  const started = performance.now();
  const soakMs = effort.soakSeconds * 1000;
  const measuredFrom = soakMs * warmUpShare;
  /** 0, 1 or 2; less during the warm-up, more at the end. */
  const third = () => Math.floor(((performance.now() - started - measuredFrom) * thirds) / (soakMs - measuredFrom));
  let swaps = 0;

  const repeated = async (work: Work, pauseMs: number) => {
    while (third() < thirds) {
      const began = performance.now();
      const during = third();
      await work.run();
      if (during >= 0) timings.get(work.name)![during]!.push(performance.now() - began);
      if (pauseMs > 0) await Bun.sleep(pauseMs);
      if (work === swap) swaps += 1;
    }
  };
  const watch = async () => {
    while (third() < thirds) {
      const { processId } = server;
      if (third() >= 0)
        samples.push({
          third: third(),
          megabytes: residentMegabytes(processId),
          descriptors: openDescriptors(processId),
        });
      const faults = server.takeLog().filter(({ level }) => level === "error");
      expect(faults, "faults in the server's log").toEqual([]);
      await Bun.sleep(sampleEveryMs);
    }
  };
  await Promise.all([...works.map((work) => repeated(work, 0)), repeated(swap, swapEveryMs), watch()]);

  const sampleOf = (which: number, value: "megabytes" | "descriptors") =>
    median(samples.filter((sample) => sample.third === which).map((sample) => sample[value]));
  const [early, late] = [sampleOf(1, "megabytes"), sampleOf(2, "megabytes")];
  expect(late, `MB in the last third, after ${early}`).toBeLessThan(early * maxMemoryGrowth + maxMemoryMegabytes);
  const [first, last] = [sampleOf(0, "descriptors"), sampleOf(2, "descriptors")];
  expect(last, `open descriptors in the last third, after ${first}`).toBeLessThan(first + maxDescriptors);
  const drifts = works.map(({ name }) => {
    const [before, , after] = timings.get(name)!.map((each) => percentile(each, 0.99)) as [number, number, number];
    if (effort.soakSeconds >= minDriftSeconds)
      expect(after, `p99 of ${name} in ms in the last third, after ${before}`).toBeLessThan(
        before * maxDrift + maxDriftMs,
      );
    return `${name} ${before.toFixed(1)} → ${after.toFixed(1)}`;
  });
  const sandboxes = descendants(server.processId, "workerd").length;
  expect(sandboxes, "sandboxes at the end: the live version's, and one that finishes").toBeLessThanOrEqual(2);
  await scene.close();
  await server.stop();
  const done = [...timings.values()].flat().reduce((sum, each) => sum + each.length, 0);
  report(`${effort.soakSeconds} s, ${done} pieces of work, ${swaps} deployments and rollbacks`);
  report(
    `resident memory ${sampleOf(0, "megabytes").toFixed(0)} → ${early.toFixed(0)} → ${late.toFixed(0)} MB; descriptors ${first} → ${last}`,
  );
  report(`p99 in ms, first and last third: ${drifts.join(", ")}`);
};

function median(values: number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)]!;
}
