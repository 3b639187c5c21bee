import { type Clock, systemClock } from "../../lib/time/clock.ts";
import type { CodeProcess, ProcessLimits } from "./code-process.ts";
import type { Sandboxes, SandboxOptions } from "./protocol.ts";
import { type CallLimits, WorkerdSandbox } from "./sandbox.ts";
import { type ProcessesOptions, WorkerdProcesses } from "./workerd-processes.ts";

export interface SandboxLimits extends ProcessLimits, CallLimits {
  /** A process without requests for this long is ended until the next request. */
  idleSeconds: number;
}

export const defaultLimits: SandboxLimits = {
  memoryMegabytes: 320,
  stuckCpuSeconds: 2,
  idleSeconds: 600,
  maxInFlight: 1_000,
  stopSeconds: 10,
};

export interface SandboxesOptions extends Omit<ProcessesOptions, "limits" | "onWatch"> {
  limits?: Partial<SandboxLimits>;
}

/** Runs code in processes that belong to this one. */
export class WorkerdSandboxes implements Sandboxes {
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #processes: WorkerdProcesses;
  readonly #running = new Map<WorkerdSandbox, CodeProcess>();

  constructor({ limits, ...options }: SandboxesOptions) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#clock = options.clock ?? systemClock;
    this.#processes = new WorkerdProcesses({ ...options, limits: this.#limits, onWatch: () => this.#watch() });
  }

  async start(options: Omit<SandboxOptions, "id">): Promise<WorkerdSandbox> {
    const process = this.#processes.keep(options, () => this.#running.delete(sandbox));
    const sandbox: WorkerdSandbox = new WorkerdSandbox(options, this.#limits, this.#clock, process);
    try {
      await sandbox.start();
    } catch (error) {
      await process.stop(0);
      throw error;
    }
    this.#running.set(sandbox, process);
    return sandbox;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((sandbox) => sandbox.stop()));
    await this.#processes.stop();
  }

  /** Ends late requests and idle processes. */
  #watch(): void {
    for (const [sandbox, process] of this.#running) {
      sandbox.endLateRequests();
      if (sandbox.idleMilliseconds >= this.#limits.idleSeconds * 1000) process.retire();
    }
  }
}
