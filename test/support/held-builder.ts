import type { RunBuilder } from "../../src/areas/gateways/deployments/builds/build-run.ts";
import { cachedBuilder } from "./cached-builder.ts";
import { until } from "./until.ts";

/** The real builder, which begins when the test releases it, with a count of starts. */
export class HeldBuilder {
  runs = 0;
  readonly #build = cachedBuilder({ egress: "any" });
  #held: PromiseWithResolvers<void> | undefined;
  #inProgress = 0;

  readonly run: RunBuilder = async (archive, variables, signal) => {
    this.runs++;
    this.#inProgress++;
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve());
    try {
      await Promise.race([this.#held?.promise, stopped.promise]);
      signal.throwIfAborted();
      return await this.#build(archive, variables, signal);
    } finally {
      this.#inProgress--;
    }
  };

  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Waits for a number of starts. */
  async startedTimes(runs: number): Promise<void> {
    await until(() => this.runs >= runs, { what: `builder run ${runs}` });
  }

  /** Waits until no build is in progress. */
  async ended(): Promise<void> {
    await until(() => this.#inProgress === 0, { what: "the builders to end" });
  }
}
