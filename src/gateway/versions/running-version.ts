import type { VersionCounts } from "../../areas/gateways/deployments/canary-releases/version-counts.ts";
import type { DeploymentLogSink } from "../../areas/gateways/deployments/logs/log-sink.ts";
import type { LiveCanary } from "../../areas/gateways/deployments/versions/live.ts";
import { type StartableVersion, StartFailure } from "../../areas/gateways/deployments/versions/starter.ts";
import type { DeploymentSecrets } from "../../areas/gateways/variables/open-secrets.ts";
import type { Artifact, ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { ModelsTarget } from "../../core/artifact/models-schema.ts";
import { isModule } from "../../core/artifact/policy-order.ts";
import { PathRouter } from "../../lib/http/path-router.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { codePolicy } from "../code/code-policy.ts";
import type { IncomingRequest } from "../exchange/exchange.ts";
import type { ModelErrorShape } from "../exchange/model-errors.ts";
import type { Policy, PolicyPlace } from "../exchange/policy.ts";
import type { RunningRoute, ServingVersion } from "../exchange/running-route.ts";
import { mcpRoute, routeKey } from "../mcp/running-mcp.ts";
import { messagePolicy } from "../mcp/tool-call-policy.ts";
import { ModelPrefixes } from "../models/model-prefixes.ts";
import { type ModelsRoute, RunningModels } from "../models/targets/running-models.ts";
import type { Sandbox, Sandboxes } from "../sandbox/protocol.ts";
import type { BalancedUpstream } from "../upstreams/balanced-upstream.ts";
import { plainEnvironment, ResolvedArtifact, UnusableSecret } from "./resolved-artifact.ts";
import { UnavailablePolicy } from "./unavailable-policy.ts";
import { type UpstreamFactory, VersionUpstreams } from "./version-upstreams.ts";

/** Creates the built-in policies. Throws for an unknown type. */
export interface PolicyFactory {
  create(type: string, options: unknown, place: PolicyPlace, route: ArtifactRoute): Policy;
}

/** Opens the secrets of a deployment. */
export interface SecretSource {
  /** With `willBeProduction`, returns the secrets of the deployment's future environment. */
  open(deploymentSeq: number, willBeProduction?: boolean): Promise<DeploymentSecrets>;
}

/** The dependencies of a version. */
export interface VersionDependencies {
  sandboxes: Sandboxes;
  secrets: SecretSource;
  policies: PolicyFactory;
  logs: DeploymentLogSink;
  clock: Clock;
  upstreams: UpstreamFactory;
  /** The protocol of the deployments' addresses. */
  protocol: "http" | "https";
}

/** A version that serves a share of the requests beside the live one. */
export interface CanaryRelease {
  readonly id: string;
  readonly version: RunningVersion;
  /** The same release with other weights. */
  update(split: LiveCanary): void;
  /** The version that serves a request. Undefined if the request has an invalid `x-tollgate-version`. */
  choose(incoming: IncomingRequest): RunningVersion | undefined;
  /** The live version serves all requests from now on. The caller stops the canary, or makes it live. */
  end(): void;
}

/** A version that can serve: with compiled routes, created policies and started code. */
export class RunningVersion implements ServingVersion {
  router = new PathRouter<RunningRoute>(true);
  /** Why some of its routes reject every request: their secrets are not set or not usable. */
  faults: UnusableSecret[] = [];
  lastUsed = performance.now();
  /** Another version that serves a share of the requests, if this one is live. */
  canary: CanaryRelease | undefined;
  /** Counts its requests during a canary release. */
  counts: VersionCounts | undefined;
  #upstreams: VersionUpstreams | undefined;
  #inFlight = 0;
  #isRetired = false;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #forgetSecrets: (() => void) | undefined;
  readonly #modelPrefixes: ModelPrefixes;

  private constructor(
    readonly deployment: Omit<StartableVersion, "artifact" | "willBeProduction">,
    private readonly artifact: Artifact,
    readonly sandbox: Sandbox | undefined,
    private readonly secrets: DeploymentSecrets | undefined,
    private readonly dependencies: VersionDependencies,
  ) {
    this.#modelPrefixes = new ModelPrefixes(artifact);
    this.#resolve();
    const used = new Set(Object.values(artifact.secrets ?? {}));
    this.#forgetSecrets = secrets?.onChange((names) => {
      if ([...names].some((name) => used.has(name))) this.#resolve();
      else this.#setEnvironment();
    });
  }

  /** Throws a StartFailure if it cannot serve. */
  static async start(version: StartableVersion, dependencies: VersionDependencies): Promise<RunningVersion> {
    const { artifact, willBeProduction, ...deployment } = version;
    if (artifact.format !== 1) throw new StartFailure("The version was built for another release of the server.");
    const usesSecrets = artifact.code !== null || artifact.secrets !== undefined;
    const secrets = usesSecrets
      ? await dependencies.secrets.open(deployment.deploymentSeq, willBeProduction)
      : undefined;
    let sandbox: Sandbox | undefined;
    try {
      if (artifact.code !== null) sandbox = await startCode(deployment, artifact, artifact.code, dependencies);
      return new RunningVersion(deployment, artifact, sandbox, secrets, dependencies);
    } catch (error) {
      await sandbox?.stop();
      const message = secrets?.redact(messageOf(error)) ?? messageOf(error);
      secrets?.close();
      throw error instanceof StartFailure ? error : new StartFailure(message, { cause: error });
    }
  }

  /** Resolves with the current secrets. Requests in progress keep the old ones. */
  #resolve(): void {
    const resolved = new ResolvedArtifact(this.artifact, this.secrets?.values ?? new Map(), this.secrets?.limited);
    this.faults = [];
    const upstreams = new VersionUpstreams(resolved, this.deployment, this.dependencies.upstreams);
    try {
      this.router = this.#routerOf(resolved, upstreams);
    } catch (error) {
      upstreams.release();
      throw error;
    }
    // The old upstreams are released after the new ones are created, so that shared state is kept.
    this.#upstreams?.release();
    this.#upstreams = upstreams;
    this.#setEnvironment(resolved);
  }

  #routerOf(resolved: ResolvedArtifact, upstreams: VersionUpstreams): PathRouter<RunningRoute> {
    const router = new PathRouter<RunningRoute>(true);
    const shared = new Map<string, Policy>();
    const running = new Map<string, RunningRoute>();
    const models = this.#usable(() => this.#modelsOf(resolved));
    for (const route of this.artifact.routes) {
      // Routes share policies to save memory (a thousand deployments have many routes), and because a write by one route
      // invalidates what a cache has stored for another. Validation is specific to a route.
      const own = new Map<string, Policy>();
      const named = route.policies.map((name) => {
        const known = this.artifact.policies[name]?.type === "validate" ? own : shared;
        const policy = known.get(name) ?? this.#makePolicy(name, resolved, route);
        known.set(name, policy);
        const { type, mode } = this.artifact.policies[name]!;
        return { policy, step: { policy: name, type, observes: mode === "observe" } };
      });
      // Policies with a preflight come first: rejections by the others must have their headers too.
      named.sort((one, other) => Number(hasPreflight(other.policy)) - Number(hasPreflight(one.policy)));
      const { credentialHeaders } = this;
      const mcp = "mcp" in route.target ? mcpRoute(route.target, { router, running, credentialHeaders }) : undefined;
      if (mcp) for (const each of named) each.policy = messagePolicy(each.policy, each.step, mcp);
      const isOfModels = "operation" in route.target;
      const target = isOfModels
        ? modelsTarget(route, models)
        : mcp
          ? { route, origin: undefined, balanced: undefined, models: undefined }
          : this.#usable(() => ({ ...upstreams.of(resolved.route(route)), models: undefined }));
      if (target instanceof UnusableSecret)
        named.push({
          policy: new UnavailablePolicy(target),
          step: { policy: "secrets", type: "secrets", observes: false },
        });
      const observing = named.flatMap(({ step: { policy, observes } }, at) => (observes ? { at, policy, route } : []));
      const added: RunningRoute = {
        ...(target instanceof UnusableSecret
          ? { route, origin: undefined, balanced: undefined, models: undefined }
          : target),
        mcp,
        policies: named.map(({ policy }) => policy),
        steps: named.map(({ step }) => step),
        observing: observing.length === 0 ? undefined : observing,
        forwardHeaders: route.forwardHeaders && new Set(route.forwardHeaders),
        awaitsDone: named.some(({ policy }) => policy.done !== undefined),
        freeMarks: [],
        lastPath: undefined,
        lastOrigin: undefined,
        requests: undefined,
      };
      router.add(route.path, route.method, added);
      running.set(routeKey(route), added);
    }
    return router;
  }

  #modelsOf(resolved: ResolvedArtifact): RunningModels | undefined {
    const models = resolved.models();
    return models && new RunningModels(models, this.deployment.deploymentSeq);
  }

  #setEnvironment(resolved = new ResolvedArtifact(this.artifact, this.secrets?.values ?? new Map())): void {
    this.sandbox?.setEnvironment(resolved.environment);
  }

  #usable<Result>(work: () => Result): Result | UnusableSecret {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UnusableSecret)) throw error;
      this.faults.push(error);
      return error;
    }
  }

  /** The build rejects handlers without code. */
  get code(): Sandbox {
    if (!this.sandbox) throw new Error("A route or a policy names a module, but the version has no code.");
    return this.sandbox;
  }

  #makePolicy(name: string, resolved: ResolvedArtifact, route: ArtifactRoute): Policy {
    const described = this.artifact.policies[name];
    if (!described) throw new Error(`A route names the policy ${name}, which does not exist.`);
    const { type, mode } = described;
    const observes = mode === "observe";
    const policy = this.#usable(() => {
      const options = resolved.policyOptions(name);
      try {
        return this.#createPolicy({ name, type, observes, isLimited: resolved.isLimited(name) }, options, route);
      } catch (error) {
        throw resolved.hasSecrets(described.options) ? resolved.unusableOptions(name) : error;
      }
    });
    return policy instanceof UnusableSecret ? new UnavailablePolicy(policy) : policy;
  }

  #createPolicy(
    { name, type, observes, isLimited }: { name: string; type: string; observes: boolean; isLimited: boolean },
    options: unknown,
    route: ArtifactRoute,
  ): Policy {
    const { policies, protocol } = this.dependencies;
    if (isModule(type)) {
      return codePolicy(
        { sandbox: this.code, module: type, options, protocol, observes },
        this.artifact.policies[name]!,
      );
    }
    const { accountSeq: seq, accountName, deploymentName: deployment, deploymentSeq } = this.deployment;
    const { logs, clock } = this.dependencies;
    const warn = (message: string, requestId: string) =>
      logs.add(deploymentSeq, { time: clock.now(), kind: "console", level: "warn", message, requestId });
    const place = { account: { seq, name: accountName }, deployment, name, observes, isLimited, protocol, warn };
    return policies.create(type, options, place, route);
  }

  /** The format of errors of a request that has no route: that of an API below the prefix of a models route. */
  errorShape({ path, request }: IncomingRequest): ModelErrorShape | undefined {
    return this.#modelPrefixes.errorShape(path, request.headers);
  }

  /** The upstreams with options, by their index in the artifact. */
  get upstreams(): ReadonlyMap<number, BalancedUpstream> {
    return this.#upstreams?.balanced ?? new Map();
  }

  /** The headers in which its clients present credentials, in lower case. */
  get credentialHeaders(): string[] {
    const headers = Object.values(this.artifact.policies).flatMap(({ type, options }) =>
      type === "api-key" ? [(options as { header: string | string[] }).header].flat() : [],
    );
    return [...new Set(["authorization", ...headers])];
  }

  /** Ends the canary release and returns the canary's version, which the caller stops or makes live. */
  endCanary(): RunningVersion | undefined {
    const { canary } = this;
    this.canary = undefined;
    canary?.end();
    return canary?.version;
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
   * Stops once its requests have responses, each within its route's timeout. The sandbox waits for bodies that still
   * stream, up to its own limit.
   */
  retire(): Promise<void> {
    if (!this.#isRetired) {
      this.#isRetired = true;
      void this.endCanary()?.retire();
      if (this.#inFlight === 0) this.#stop();
    }
    return this.#stopped.promise;
  }

  #stop(): void {
    this.#forgetSecrets?.();
    this.#upstreams?.release();
    this.#stopped.resolve(this.sandbox?.stop());
    // Only after the code has ended: its log lines are redacted until then.
    if (this.secrets) void this.#stopped.promise.finally(() => this.secrets?.close());
  }
}

/** The target of a route with the handler `models`. The artifact of such a route has providers and aliases. */
function modelsTarget(route: ArtifactRoute, models: RunningModels | UnusableSecret | undefined) {
  if (models instanceof UnusableSecret) return models;
  const { operation, options } = route.target as ModelsTarget;
  const running: ModelsRoute = { models: models!, operation, options };
  return { route, origin: undefined, balanced: undefined, models: running };
}

function startCode(
  deployment: Omit<StartableVersion, "artifact" | "willBeProduction">,
  artifact: Artifact,
  code: string,
  { sandboxes, logs, clock }: VersionDependencies,
): Promise<Sandbox> {
  const { deploymentSeq, versionSeq, artifactHash } = deployment;
  return sandboxes.start({
    id: `${deploymentSeq} ${versionSeq} ${artifactHash}`,
    code,
    environment: plainEnvironment(artifact),
    name: deployment.deploymentName,
    onConsole: (line) => logs.add(deployment.deploymentSeq, { time: clock.now(), kind: "console", ...line }),
  });
}

function hasPreflight(policy: Policy): boolean {
  return policy.preflight !== undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
