import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { ArtifactUpstream } from "../../core/artifact/upstream-schema.ts";
import type { BalancedUpstream } from "../upstreams/balanced-upstream.ts";
import { OwnOrigin } from "../upstreams/own-origin.ts";
import type { ResolvedArtifact } from "./resolved-artifact.ts";

/** Creates upstreams with options. The caller must release them. */
export interface UpstreamFactory {
  /** `labels` are the URLs of its targets without secrets. */
  create(
    options: ArtifactUpstream,
    labels: readonly string[],
    deployment: { deploymentSeq: number; deploymentName: string },
  ): BalancedUpstream;
}

/** The upstreams of a version. Routes with the same upstream share it. */
export class VersionUpstreams {
  readonly #plain = new Map<string, OwnOrigin>();
  readonly #balanced = new Map<number, BalancedUpstream>();

  constructor(
    private readonly resolved: ResolvedArtifact,
    private readonly deployment: { deploymentSeq: number; deploymentName: string },
    private readonly factory: UpstreamFactory,
  ) {}

  /** The target of a route. Throws an UnusableSecret. */
  of(route: ArtifactRoute) {
    const { target } = route;
    if (!("upstream" in target)) return { route, origin: undefined, balanced: undefined };
    const { upstream, balanced } = target;
    if (balanced === undefined) return { route, origin: this.#plainOf(upstream), balanced: undefined };
    return { route, origin: undefined, balanced: this.#balancedOf(balanced) };
  }

  /** By their index in the artifact. */
  get balanced(): ReadonlyMap<number, BalancedUpstream> {
    return this.#balanced;
  }

  release(): void {
    for (const upstream of this.#balanced.values()) upstream.release();
  }

  #plainOf(url: string): OwnOrigin {
    const origin = this.#plain.get(url) ?? new OwnOrigin(url, this.deployment.deploymentSeq);
    this.#plain.set(url, origin);
    return origin;
  }

  #balancedOf(index: number): BalancedUpstream {
    const known = this.#balanced.get(index);
    if (known) return known;
    const options = this.resolved.upstream(index);
    const created = this.factory.create(options, this.resolved.labelsOf(index), this.deployment);
    this.#balanced.set(index, created);
    return created;
  }
}
