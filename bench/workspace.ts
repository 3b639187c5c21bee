import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Dataset, seedDataset } from "./dataset.ts";
import type { Profiler } from "./profiler.ts";
import { type RunningServer, startServer } from "./server.ts";

/** The temporary directory of one run, the seeded data directories that its benchmarks share, and the servers they measure. */
export class Workspace implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
  readonly #datasets = new Map<number, Promise<Dataset>>();
  readonly #profiler: Profiler | undefined;
  #directoryCount = 0;

  constructor(profiler?: Profiler) {
    this.#profiler = profiler;
  }

  /** A data directory with so many consumers, each with one key; made when first needed. */
  dataset(consumerCount: number): Promise<Dataset> {
    const known = this.#datasets.get(consumerCount);
    if (known) return known;
    const dataset = seedDataset(this.newDirectory(`seeded-${consumerCount}`), consumerCount);
    this.#datasets.set(consumerCount, dataset);
    return dataset;
  }

  /** Starts a server that is measured, and so the one to profile; those that only prepare something start by themselves. */
  startServer(dataDirectory: string, environment: Record<string, string> = {}): Promise<RunningServer> {
    return startServer(dataDirectory, environment, this.#profiler?.nextFlags());
  }

  newDirectory(name: string): string {
    this.#directoryCount += 1;
    return join(this.directory, `${this.#directoryCount}-${name}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
