import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programBeside } from "../../lib/files/program-beside.ts";
import { type Repetition, repeat } from "../../lib/tasks/repeat.ts";
import { type Clock, systemClock } from "../../lib/time/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { EgressServer } from "../../platform/egress/server.ts";
import { type ClientLimits, HttpClient } from "../../platform/http1/client/http-client.ts";
import { ConnectionLimiter, type ConnectionLimits } from "../../platform/http1/server/connection-limiter.ts";
import { CodeProcess, type ProcessLimits } from "./code-process.ts";
import type { SandboxOptions } from "./protocol.ts";
import { WorkerdProcess } from "./workerd-process.ts";

const watchSeconds = 0.25;

export interface SandboxConnections {
  calls: ClientLimits;
  egressServer: ConnectionLimits;
  egress: ClientLimits;
}

export interface ProcessesOptions {
  egress: Egress;
  /** The path of workerd, if it is not in the npm package. */
  workerdPath?: string;
  /**
   * The folder of the sockets, by default the system's run-time folder. Its path must be short, because socket paths
   * are limited.
   */
  temporaryFolder?: string;
  limits: ProcessLimits;
  /** Limits of connections to sandboxes, from them, and from their code to the internet; unlimited by default. */
  connections?: SandboxConnections;
  clock?: Clock;
  /** Called when checking a process failed; the check is retried. */
  warn(error: unknown): void;
  /** Called with each check of the processes. */
  onWatch?(): void;
}

type Code = Pick<SandboxOptions, "code" | "environment" | "onConsole">;

/** Shared by all processes and created with the first one, so that a server without code does not have it. */
interface Ground {
  root: string;
  client: HttpClient;
  egressClient: HttpClient;
  egressSocket: string;
  egressServer: EgressServer;
  watch: Repetition;
}

/**
 * Starts a separate workerd for the code of each version: an infinite loop, high memory use or a crash affects only
 * that version. Their only way out is the egress server.
 */
export class WorkerdProcesses {
  readonly #kept = new Set<CodeProcess>();
  #ground: Promise<Ground> | undefined;
  #started = 0;

  constructor(private readonly options: ProcessesOptions) {}

  keep(code: Code, onStopped: () => void): CodeProcess {
    const kept: CodeProcess = new CodeProcess(
      this.options.limits,
      () => this.#start(code),
      code.onConsole,
      () => {
        this.#kept.delete(kept);
        onStopped();
      },
    );
    this.#kept.add(kept);
    return kept;
  }

  /** Stops the egress, when all processes have been stopped. */
  async stop(): Promise<void> {
    const ground = await this.#ground?.catch(() => undefined);
    this.#ground = undefined;
    if (!ground) return;
    await ground.watch.stop();
    await ground.egressServer.stop();
    ground.client.close();
    ground.egressClient.close();
    await rm(ground.root, { recursive: true, force: true });
  }

  async #start({ code, environment, onConsole }: Code): Promise<WorkerdProcess> {
    this.#ground ??= this.#prepareGround();
    const { root, client, egressSocket } = await this.#ground;
    this.#started += 1;
    return WorkerdProcess.start({
      client,
      workerd: findWorkerd(this.options.workerdPath),
      root,
      folder: join(root, String(this.#started)),
      egressSocket,
      memoryMegabytes: this.options.limits.memoryMegabytes,
      code,
      environment,
      onConsole,
    });
  }

  async #prepareGround(): Promise<Ground> {
    const root = await mkdtemp(join(this.options.temporaryFolder ?? tmpdir(), "tollgate-"));
    const egressSocket = join(root, "egress");
    const { egress, connections, clock = systemClock, onWatch } = this.options;
    const client = new HttpClient(connections?.calls);
    // A separate client: code that waits for its fetches would otherwise use up the connections that they need.
    const egressClient = new HttpClient(connections?.egress);
    const watchAll = async () => {
      onWatch?.();
      await Promise.all([...this.#kept].map((kept) => kept.watch()));
    };
    return {
      root,
      client,
      egressClient,
      egressSocket,
      egressServer: new EgressServer({
        egress,
        client: egressClient,
        socket: egressSocket,
        now: () => clock.now(),
        ...(connections && { limiter: new ConnectionLimiter(connections.egressServer) }),
      }),
      watch: repeat(watchSeconds, watchAll, (error) => this.options.warn(error)),
    };
  }
}

/** The package with the program for each platform; npm installs the matching one. */
const packages: Record<string, string> = {
  "linux-x64": "@cloudflare/workerd-linux-64",
  "linux-arm64": "@cloudflare/workerd-linux-arm64",
  "darwin-x64": "@cloudflare/workerd-darwin-64",
  "darwin-arm64": "@cloudflare/workerd-darwin-arm64",
};

/** The path of the workerd program: the given one, the one beside the compiled Tollgate, or that of the npm package. */
export function findWorkerd(given?: string): string {
  if (given !== undefined) {
    if (existsSync(given)) return given;
    throw new Error(`There is no workerd at ${given}`);
  }
  const beside = programBeside("workerd");
  if (beside) return beside;
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (!name) throw new Error(`Code cannot run here: there is no workerd for ${platform}`);
  try {
    // The package `workerd` depends on the platform's package: resolving from there works in any node_modules layout.
    const workerd = createRequire(import.meta.url).resolve("workerd/package.json");
    return createRequire(workerd).resolve(`${name}/bin/workerd`);
  } catch {
    throw new Error(`Code cannot run: the package ${name} is not installed; install with optional dependencies`);
  }
}
