import { readFile } from "node:fs/promises";
import type { CodeRunner } from "./code-runner.ts";
import { type ConsoleLine, SandboxFailure } from "./protocol.ts";
import { memoryFailure, type WorkerdProcess } from "./workerd-process.ts";

export interface ProcessLimits {
  memoryMegabytes: number;
  /** The CPU time that may pass without a response to a ping. */
  stuckCpuSeconds: number;
}

interface Ping {
  readonly process: WorkerdProcess;
  readonly cpuSeconds: number;
}

/** The count of crashes starts over if the last one is older than this. */
const forgivenSeconds = 60;
const maxPauseSeconds = 30;

/** The workerd of one version's code. It is started when it is needed, and ended when it exceeds limits. */
export class CodeProcess implements CodeRunner {
  #process: WorkerdProcess | undefined;
  #starting: Promise<WorkerdProcess> | undefined;
  #ping: Ping | undefined;
  #seenCpuSeconds = 0;
  #deaths = 0;
  #lastDeath = Number.NEGATIVE_INFINITY;
  #lastFailure: SandboxFailure | undefined;
  #stopping = false;
  /** Every process that has not ended, including draining ones. */
  readonly #alive = new Set<WorkerdProcess>();

  constructor(
    private readonly limits: ProcessLimits,
    private readonly startProcess: () => Promise<WorkerdProcess>,
    private readonly onConsole: (line: ConsoleLine) => void,
    private readonly onStopped: () => void,
  ) {}

  get current(): WorkerdProcess | undefined {
    return this.#process;
  }

  get processIds(): number[] {
    return [...this.#alive].map((process) => process.processId);
  }

  environmentId(): undefined {
    return undefined;
  }

  start(): Promise<WorkerdProcess> {
    this.#starting ??= this.#startOnce().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async stop(milliseconds: number): Promise<void> {
    this.#stopping = true;
    await this.#starting?.catch(() => undefined);
    const tooLate = setTimeout(() => {
      for (const process of this.#alive) process.kill(new SandboxFailure("crashed", "The version was stopped"));
    }, milliseconds);
    for (const process of this.#alive) process.drain();
    await Promise.all([...this.#alive].map((process) => process.ended));
    clearTimeout(tooLate);
    this.onStopped();
  }

  /** Called a few times a second: ends processes that exceed limits. */
  async watch(): Promise<void> {
    for (const process of this.#alive) await this.#watchProcess(process);
  }

  /** Lets the process finish its streams; the next request starts another one. */
  retire(): void {
    const process = this.#process;
    this.#process = undefined;
    process?.drain();
  }

  async #startOnce(): Promise<WorkerdProcess> {
    if (this.#stopping) throw new SandboxFailure("crashed", "The version was stopped");
    const pauseLeft = this.#lastDeath + this.#pauseMilliseconds() - performance.now();
    if (pauseLeft > 0) {
      const seconds = Math.ceil(pauseLeft / 1000);
      const { reason, message } = this.#lastFailure!;
      throw new SandboxFailure(reason, `${message}. It keeps crashing; the next attempt is in ${seconds} s`);
    }
    const process = await this.startProcess().catch((error: unknown) => {
      if (error instanceof SandboxFailure) this.#died(error);
      throw error;
    });
    this.#process = process;
    this.#seenCpuSeconds = 0;
    this.#alive.add(process);
    process.ended.then((failure) => this.#ended(process, failure));
    return process;
  }

  /**
   * The pause after a crash. There is none after the first, so that one bad request does not fail the others; after the
   * second it is a second, and it doubles with each further crash.
   */
  #pauseMilliseconds(): number {
    if (this.#deaths < 2) return 0;
    return Math.min(maxPauseSeconds, 2 ** (this.#deaths - 2)) * 1000;
  }

  #ended(process: WorkerdProcess, failure: SandboxFailure): void {
    this.#alive.delete(process);
    // A draining process is expected to end, and was already replaced.
    if (this.#process !== process) return;
    this.#process = undefined;
    if (!this.#stopping) this.#died(failure);
  }

  #died(failure: SandboxFailure): void {
    const now = performance.now();
    this.#deaths = now - this.#lastDeath > forgivenSeconds * 1000 ? 1 : this.#deaths + 1;
    this.#lastDeath = now;
    this.#lastFailure = failure;
    this.onConsole({ level: "error", message: failure.message });
  }

  async #watchProcess(process: WorkerdProcess): Promise<void> {
    const usage = await readUsage(process.processId);
    if (!usage || process.isOver) return;
    if (usage.residentBytes > this.limits.memoryMegabytes * 1024 * 1024) {
      process.kill(memoryFailure(this.limits.memoryMegabytes));
      return;
    }
    this.#watchForLoops(process, usage.cpuSeconds);
  }

  /**
   * A busy process is pinged. Only CPU time counts: on an overloaded machine, code that gets no CPU time is not at
   * fault.
   */
  #watchForLoops(process: WorkerdProcess, cpuSeconds: number): void {
    if (this.#ping?.process === process) {
      if (cpuSeconds - this.#ping.cpuSeconds < this.limits.stuckCpuSeconds) return;
      const message = `The code kept its process busy for ${this.limits.stuckCpuSeconds} s without a pause`;
      process.kill(new SandboxFailure("stuck", message));
      return;
    }
    const hasWorked = cpuSeconds > this.#seenCpuSeconds;
    this.#seenCpuSeconds = cpuSeconds;
    if (!hasWorked) return;
    const ping: Ping = { process, cpuSeconds };
    this.#ping = ping;
    const settled = () => {
      if (this.#ping === ping) this.#ping = undefined;
    };
    process.connection.ping().then(settled, settled);
  }
}

/** The resource usage of a process. */
interface ProcessUsage {
  cpuSeconds: number;
  residentBytes: number;
}

/** The kernel's unit of CPU time for programs; the same on every Linux. */
const ticksPerSecond = 100;

/** Returns undefined for a process that has ended. */
export function readUsage(processId: number): Promise<ProcessUsage | undefined> {
  return process.platform === "linux" ? readProc(processId) : askPs(processId);
}

async function readProc(processId: number): Promise<ProcessUsage | undefined> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${processId}/stat`, "utf8"),
      readFile(`/proc/${processId}/status`, "utf8"),
    ]);
    // The program's name comes second, in parentheses, and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const residentKilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      residentBytes: residentKilobytes * 1024,
    };
  } catch {
    return undefined;
  }
}

/** `rss` in kilobytes and `time` as [[hours:]minutes:]seconds with hundredths. */
async function askPs(processId: number): Promise<ProcessUsage | undefined> {
  const ps = Bun.spawn(["ps", "-o", "rss=,time=", "-p", String(processId)], { stdout: "pipe", stderr: "ignore" });
  const [resident, time] = (await new Response(ps.stdout).text()).trim().split(/\s+/);
  if (!resident || !time) return undefined;
  const cpuSeconds = time.split(":").reduce((total, part) => total * 60 + Number(part), 0);
  return { cpuSeconds, residentBytes: Number(resident) * 1024 };
}
