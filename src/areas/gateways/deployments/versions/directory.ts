import type { Artifact } from "../../../../core/artifact/artifact.ts";
import { SecondChanceCache } from "../../../../lib/cache/second-chance-cache.ts";
import { FollowedCache } from "../../../../platform/storage/change-feed/followed-cache.ts";
import type { GapListener } from "../../../../platform/storage/change-feed.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { findLive, findLiveCanary } from "../store.ts";
import { type LiveDeployment, type LiveDeployments, liveCanaryOf } from "./live.ts";
import { readArtifact } from "./versions.ts";

const cacheBytes = 16 * 1024 * 1024;
const entryBytes = 512;
/**
 * The cache of names without a deployment. Any client can invent such names: in the same cache they would evict
 * deployments that serve.
 */
const absentBytes = 4 * 1024 * 1024;
const absentEntryBytes = 200;

const absent = Object.freeze({});

/** Called when other versions serve a deployment. `deployment` is undefined if it was deleted. */
type LiveListener = (name: string, deployment: LiveDeployment | undefined) => void;

interface LiveFollower {
  onSwap: LiveListener;
  /** Called when changes were missed: other versions may serve any deployment. */
  onGap: GapListener;
}

/** The deployments that serve, each with its version, kept current by the change feed. */
export class DeploymentDirectory implements LiveDeployments {
  readonly cache: FollowedCache<LiveDeployment>;
  /** Names without a deployment in storage. */
  readonly #absent: FollowedCache<object>;
  readonly #followers: LiveFollower[] = [];

  constructor(private readonly storage: Storage) {
    this.cache = new FollowedCache(storage.feed, new SecondChanceCache(cacheBytes, () => entryBytes));
    this.#absent = new FollowedCache(storage.feed, new SecondChanceCache(absentBytes, () => absentEntryBytes));
    storage.feed.follow(
      "deployments",
      {
        // Uses the data of the change, so that a swap needs no query.
        "deployment.activated": ({ subject, accountSeq, data }) =>
          this.#swapped(subject, { name: subject, accountSeq: accountSeq!, ...data }),
        "deployment.traffic-changed": ({ subject, accountSeq, data: { canary, ...data } }) =>
          this.#swapped(subject, {
            name: subject,
            accountSeq: accountSeq!,
            ...data,
            ...(canary && { canary }),
          }),
        "deployment.deleted": ({ subject }) => this.#swapped(subject, undefined),
      },
      () => this.#missed(),
    );
  }

  follow(onSwap: LiveListener, onGap: GapListener): void {
    this.#followers.push({ onSwap, onGap });
  }

  find(name: string): LiveDeployment | undefined | Promise<LiveDeployment | undefined> {
    const known = this.cache.peek(name);
    if (known || this.#absent.peek(name)) return known;
    return this.#query(name);
  }

  async #query(name: string): Promise<LiveDeployment | undefined> {
    // Counted before the query, so that a name is not cached as absent if a deployment is created during it.
    const { evictions } = this.#absent;
    const live = await this.cache.load(name, () => this.#queryLive(name));
    if (!live) this.#absent.keep(name, absent, evictions);
    return live;
  }

  async artifact({
    deploymentSeq,
    artifactHash,
  }: Pick<LiveDeployment, "deploymentSeq" | "artifactHash">): Promise<Artifact> {
    const artifact = await readArtifact(this.storage.reads, deploymentSeq, artifactHash);
    if (!artifact) throw new Error("The artifact of a live version is missing in storage.");
    return artifact;
  }

  #swapped(name: string, live: LiveDeployment | undefined): void {
    this.cache.evict(name);
    this.#absent.evict(name);
    for (const { onSwap } of this.#followers) onSwap(name, live);
  }

  async #missed(): Promise<void> {
    this.cache.outdate();
    this.#absent.clear();
    await Promise.all(this.#followers.map(({ onGap }) => onGap()));
  }

  async #queryLive(name: string): Promise<LiveDeployment | undefined> {
    const row = await findLive(this.storage.reads, name);
    if (!row) return undefined;
    const canary = await findLiveCanary(this.storage.reads, row);
    return {
      name,
      deploymentSeq: row.deployment_seq,
      accountSeq: row.account_seq,
      accountName: row.account_name,
      versionSeq: row.version_seq,
      versionNumber: row.version_number,
      artifactHash: row.artifact_hash,
      ...(canary && { canary: liveCanaryOf(canary) }),
    };
  }
}
