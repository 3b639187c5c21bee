import type { BuildReport } from "../../../../core/artifact/build-report.ts";
import { imageTypeOf, type SiteContents } from "../../../../core/artifact/site.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findDeploymentIfAny } from "../deployments.ts";
import * as store from "./site-store.ts";
import { versionOrLive } from "./version-store.ts";

/** The site of a live version: its reference and its guides. */
export interface LiveSite {
  deployment: { name: string; project: string };
  key: store.SiteKey;
  /** The number of the version. */
  version: number;
  contents: SiteContents;
}

/** Stores what the builder has written for an artifact. */
export function addSite(
  transaction: WriteTransaction,
  deploymentSeq: number,
  artifactHash: string,
  { contents, pack }: NonNullable<BuildReport["site"]>,
): Promise<void> {
  const site = { contents: Buffer.from(contents, "base64"), pack: Buffer.from(pack, "base64") };
  return store.insertSite(transaction, { deploymentSeq, artifactHash }, site);
}

/** The examples of an artifact's routes. None if it has no site. */
export async function readTargets(reads: Reads, key: store.SiteKey): Promise<SiteContents["targets"]> {
  const packed = await store.readContents(reads, key);
  return packed ? (JSON.parse(Buffer.from(Bun.gunzipSync(packed)).toString()) as SiteContents).targets : {};
}

/** The cached contents, in bytes of their JSON. */
const maxCachedBytes = 32 * 1024 * 1024;

/** Reads sites of live versions. Contents are cached by artifact, which never changes; pages are read one by one. */
export class Sites {
  readonly #cached = new Map<string, { contents: SiteContents; bytes: number }>();
  #cachedBytes = 0;

  /** The site of a deployment's live version. Undefined if there is none. */
  async live(reads: Reads, accountSeq: number, name: string): Promise<LiveSite | undefined> {
    const deployment = await findDeploymentIfAny(reads, accountSeq, name);
    const version = deployment && (await versionOrLive(reads, deployment));
    if (!deployment || !version) return undefined;
    const key = { deploymentSeq: deployment.seq, artifactHash: version.artifact_hash };
    const contents = await this.#contents(reads, key);
    return contents && { deployment, key, version: version.number, contents };
  }

  /** A file of a site. Undefined if there is none. */
  async file(reads: Reads, { key, contents }: LiveSite, name: string): Promise<Uint8Array | undefined> {
    const place = Object.hasOwn(contents.files, name) ? contents.files[name]! : undefined;
    const piece = place && (await store.readPiece(reads, key, place));
    if (!piece) return undefined;
    return imageTypeOf(name) === undefined ? Bun.gunzipSync(piece) : piece;
  }

  async #contents(reads: Reads, key: store.SiteKey): Promise<SiteContents | undefined> {
    const name = `${key.deploymentSeq} ${key.artifactHash}`;
    const cached = this.#cached.get(name);
    if (cached) return cached.contents;
    const packed = await store.readContents(reads, key);
    if (!packed) return undefined;
    const text = Buffer.from(Bun.gunzipSync(packed));
    const contents = JSON.parse(text.toString()) as SiteContents;
    // The oldest first.
    for (const [other, { bytes }] of this.#cached) {
      if (this.#cachedBytes + text.length <= maxCachedBytes) break;
      this.#cached.delete(other);
      this.#cachedBytes -= bytes;
    }
    this.#cached.set(name, { contents, bytes: text.length });
    this.#cachedBytes += text.length;
    return contents;
  }
}
