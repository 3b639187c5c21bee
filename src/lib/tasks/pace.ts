import { pause } from "./pause.ts";

/** A pause takes this many times what the work before it took, while the process has other work. */
const pauseFactor = 4;
const maxPauseMilliseconds = 1_000;
/** Long enough to see whether the process has other work. */
const minPauseMilliseconds = 10;
/** The share of a core from which on it has. */
const busyShare = 0.2;

export interface PaceOptions {
  /** The CPU time of the process so far. */
  cpuMilliseconds(): number;
  pause(milliseconds: number): Promise<void>;
  elapsed(): number;
}

const ofProcess: PaceOptions = {
  cpuMilliseconds: () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  pause,
  elapsed: () => performance.now(),
};

/**
 * Gives background work a fifth of the time while requests need the process, and nearly all of it otherwise. What the process
 * does in the pauses shows which it is.
 */
export class Pace {
  /** Whether the process has other work. */
  isBusy = true;

  constructor(private readonly options: PaceOptions = ofProcess) {}

  /** Runs a piece of the work, and pauses after it. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { cpuMilliseconds, elapsed, pause } = this.options;
    const began = elapsed();
    const result = await work();
    const ended = elapsed();
    const cpu = cpuMilliseconds();
    const wanted = this.isBusy ? Math.min((ended - began) * pauseFactor, maxPauseMilliseconds) : 0;
    await pause(Math.max(wanted, minPauseMilliseconds));
    this.isBusy = cpuMilliseconds() - cpu > (elapsed() - ended) * busyShare;
    return result;
  }
}
