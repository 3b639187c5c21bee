import type { DeploymentLogSink } from "../areas/deployments/live.ts";
import { type StartableVersion, StartFailure } from "../areas/deployments/starter.ts";
import type { Artifact, ArtifactRoute } from "../core/artifact/artifact.ts";
import { isModule, undoneByCache } from "../core/artifact/policy-order.ts";
import type { Clock } from "../lib/clock.ts";
import { PathRouter } from "../lib/path-router.ts";
import { codePolicy } from "./code-policy.ts";
import type { Policy, PolicyPlace } from "./policy.ts";
import type { RunningRoute, ServingVersion } from "./running-route.ts";
import type { Sandbox, Sandboxes } from "./sandbox/protocol.ts";

/** Makes the built-in policies. Throws where there is no such type. */
export interface PolicyFactory {
  create(type: string, options: unknown, place: PolicyPlace, route: ArtifactRoute): Policy;
}

/** What versions are started with. */
export interface Surroundings {
  sandboxes: Sandboxes;
  policies: PolicyFactory;
  logs: DeploymentLogSink;
  clock: Clock;
  /** Of the addresses at which deployments answer. */
  protocol: "http" | "https";
}

/** A version that can serve: its routes compiled, its policies made, its code started. */
export class RunningVersion implements ServingVersion {
  readonly router = new PathRouter<RunningRoute>();
  lastUsed = performance.now();
  #inFlight = 0;
  #isRetired = false;
  readonly #stopped = Promise.withResolvers<void>();

  private constructor(
    readonly deployment: Omit<StartableVersion, "artifact">,
    artifact: Artifact,
    readonly sandbox: Sandbox | undefined,
    surroundings: Surroundings,
  ) {
    const shared = new Map<string, Policy>();
    for (const route of artifact.routes) {
      // What routes share is made once: a thousand deployments are many routes. Validation is a route's own.
      const known = route.validation === undefined ? shared : new Map<string, Policy>();
      const policies = safelyOrdered(route.policies, artifact).map((name) => {
        const policy = known.get(name) ?? this.#makePolicy(name, artifact, route, surroundings);
        known.set(name, policy);
        return policy;
      });
      // Those that answer browsers' preflights come first: what the others refuse must carry their headers too.
      policies.sort((one, other) => Number(other.preflight !== undefined) - Number(one.preflight !== undefined));
      this.router.add(route.path, route.method, {
        route,
        policies,
        lastPath: undefined,
        lastOrigin: undefined,
        requests: undefined,
      });
    }
  }

  /** Throws a StartFailure that says why it cannot serve. */
  static async start(version: StartableVersion, surroundings: Surroundings): Promise<RunningVersion> {
    const { artifact, ...deployment } = version;
    if (artifact.format !== 1) throw new StartFailure("The version was built for another release of the server.");
    let sandbox: Sandbox | undefined;
    try {
      if (artifact.code !== null) sandbox = await startCode(deployment, artifact, artifact.code, surroundings);
      return new RunningVersion(deployment, artifact, sandbox, surroundings);
    } catch (error) {
      await sandbox?.stop();
      throw error instanceof StartFailure ? error : new StartFailure(messageOf(error), { cause: error });
    }
  }

  /** The build lets no handler through without code. */
  get code(): Sandbox {
    if (!this.sandbox) throw new Error("A route or a policy names a module, but the version has no code.");
    return this.sandbox;
  }

  #makePolicy(name: string, artifact: Artifact, route: ArtifactRoute, surroundings: Surroundings): Policy {
    const described = artifact.policies[name];
    if (!described) throw new Error(`A route names the policy ${name}, which does not exist.`);
    const { type, options } = described;
    if (isModule(type)) return codePolicy(this.code, type, options, surroundings.protocol);
    const { accountSeq: seq, accountName, deploymentName: deployment } = this.deployment;
    return surroundings.policies.create(
      type,
      options,
      { account: { seq, name: accountName }, deployment, name },
      route,
    );
  }

  enter(now: number): void {
    this.#inFlight += 1;
    this.lastUsed = now;
  }

  leave(): void {
    this.#inFlight -= 1;
    if (this.#isRetired && this.#inFlight === 0) this.#stop();
  }

  /**
   * Lets it go once the requests that it has begun are answered: each is, within its route's timeout. Bodies that still
   * stream after that are waited for by the sandbox, up to its own bound.
   */
  retire(): Promise<void> {
    if (!this.#isRetired) {
      this.#isRetired = true;
      if (this.#inFlight === 0) this.#stop();
    }
    return this.#stopped.promise;
  }

  #stop(): void {
    this.#stopped.resolve(this.sandbox?.stop());
  }
}

function startCode(
  deployment: Omit<StartableVersion, "artifact">,
  artifact: Artifact,
  code: string,
  { sandboxes, logs, clock }: Surroundings,
): Promise<Sandbox> {
  return sandboxes.start({
    code,
    environment: artifact.environment,
    name: deployment.deploymentName,
    onConsole: (line) => logs.add(deployment.deploymentSeq, { time: clock.now(), kind: "console", ...line }),
  });
}

/** Without the caches that would give away what a policy behind them guards: builds once let them stand there. */
function safelyOrdered(names: readonly string[], artifact: Artifact): readonly string[] {
  const types = names.map((name) => artifact.policies[name]?.type);
  return names.filter((_, at) => undoneByCache(types, at) === undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
