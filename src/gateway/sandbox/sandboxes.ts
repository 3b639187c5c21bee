import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Repetition, repeat } from "../../lib/tasks/repeat.ts";
import { type Clock, systemClock } from "../../lib/time/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { EgressServer } from "../../platform/egress/server.ts";
import { type ClientLimits, HttpClient } from "../../platform/http1/client/http-client.ts";
import { ConnectionLimiter, type ConnectionLimits } from "../../platform/http1/server/connection-limiter.ts";
import type { Sandboxes, SandboxOptions } from "./protocol.ts";
import { type SandboxLimits, WorkerdSandbox } from "./sandbox.ts";
import { findWorkerd } from "./workerd-binary.ts";
import { WorkerdProcess } from "./workerd-process.ts";

const defaultLimits: SandboxLimits = {
  memoryMegabytes: 320,
  stuckCpuSeconds: 2,
  idleSeconds: 600,
  maxInFlight: 1_000,
  stopSeconds: 10,
};

const watchSeconds = 0.25;

export interface SandboxConnections {
  calls: ClientLimits;
  egressServer: ConnectionLimits;
  egress: ClientLimits;
}

export interface SandboxesOptions {
  egress: Egress;
  /** The path of workerd, if it is not in the npm package. */
  workerdPath?: string;
  /**
   * The folder of the sockets, by default the system's run-time folder. Its path must be short, because socket paths
   * are limited.
   */
  temporaryFolder?: string;
  limits?: Partial<SandboxLimits>;
  /** Limits of connections to sandboxes, from them, and from their code to the internet; unlimited by default. */
  connections?: SandboxConnections;
  clock?: Clock;
  /** Called when checking a sandbox failed; the check is retried. */
  warn(error: unknown): void;
}

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
 * Runs the code of each version in a separate workerd: an infinite loop, high memory use or a crash affects only that
 * version.
 */
export class WorkerdSandboxes implements Sandboxes {
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #sandboxes = new Set<WorkerdSandbox>();
  #ground: Promise<Ground> | undefined;
  #processes = 0;

  constructor(private readonly options: SandboxesOptions) {
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
  }

  async start(options: SandboxOptions): Promise<WorkerdSandbox> {
    const sandbox: WorkerdSandbox = new WorkerdSandbox(
      options,
      this.#limits,
      this.#clock,
      (wanted) => this.#startProcess(wanted),
      () => this.#sandboxes.delete(sandbox),
    );
    await sandbox.start();
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sandboxes].map((sandbox) => sandbox.stop()));
    const ground = await this.#ground?.catch(() => undefined);
    this.#ground = undefined;
    if (!ground) return;
    await ground.watch.stop();
    await ground.egressServer.stop();
    ground.client.close();
    ground.egressClient.close();
    await rm(ground.root, { recursive: true, force: true });
  }

  async #startProcess({ code, environment, onConsole }: SandboxOptions): Promise<WorkerdProcess> {
    this.#ground ??= this.#prepareGround();
    const { root, client, egressSocket } = await this.#ground;
    this.#processes += 1;
    return WorkerdProcess.start({
      client,
      workerd: findWorkerd(this.options.workerdPath),
      root,
      folder: join(root, String(this.#processes)),
      egressSocket,
      memoryMegabytes: this.#limits.memoryMegabytes,
      code,
      environment,
      onConsole,
    });
  }

  async #prepareGround(): Promise<Ground> {
    const root = await mkdtemp(join(this.options.temporaryFolder ?? tmpdir(), "tollgate-"));
    const egressSocket = join(root, "egress");
    const { egress, connections } = this.options;
    const client = new HttpClient(connections?.calls);
    // A separate client: code that waits for its fetches would otherwise use up the connections that they need.
    const egressClient = new HttpClient(connections?.egress);
    const watchAll = async () => {
      await Promise.all([...this.#sandboxes].map((sandbox) => sandbox.watch()));
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
        now: () => this.#clock.now(),
        ...(connections && { limiter: new ConnectionLimiter(connections.egressServer) }),
      }),
      watch: repeat(watchSeconds, watchAll, (error) => this.options.warn(error)),
    };
  }
}
