import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Dataset, seedDataset } from "./dataset.ts";

/** The temporary directory of one run, and the seeded data directories that its benchmarks share. */
export class Workspace implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
  readonly #datasets = new Map<number, Promise<Dataset>>();
  #directoryCount = 0;

  /** A data directory with so many consumers, each with one key; made when first asked for. */
  dataset(consumerCount: number): Promise<Dataset> {
    const known = this.#datasets.get(consumerCount);
    if (known) return known;
    const dataset = seedDataset(this.newDirectory(`seeded-${consumerCount}`), consumerCount);
    this.#datasets.set(consumerCount, dataset);
    return dataset;
  }

  newDirectory(name: string): string {
    this.#directoryCount += 1;
    return join(this.directory, `${this.#directoryCount}-${name}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
