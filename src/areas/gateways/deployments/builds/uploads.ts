import { timingSafeEqual } from "node:crypto";
import type { Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../../lib/crypto/secret-text.ts";
import { ArchiveRejected } from "../../../../lib/text/archive-rejected.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import { lockRow } from "../../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { type Deployment, deploymentOfBranch, findDeploymentForUpdate, shown } from "../deployments.ts";
import { type BuildSteps, begunStep, newSteps, succeeded } from "../steps.ts";
import { versionOrLive } from "../versions/version-store.ts";
import * as buildStore from "./build-store.ts";
import { authorOf, buildActOf, failBuild, queueBuild } from "./builds.ts";
import { buildLeaseMilliseconds, keepLease } from "./lease.ts";

const uploadMilliseconds = 60 * 60 * 1000;
const pieceBytes = 1024 * 1024;
const maxArchiveBytes = 50 * 1024 * 1024;

/** Reads an archive completely without storing it. Throws an ArchiveRejected. */
export type InspectArchive = (chunks: AsyncIterable<Uint8Array>) => Promise<void>;

/** The timeout of a client that sends nothing. */
const silenceMilliseconds = 60_000;

/** An interrupted upload makes the address valid again, so that a client that lost the response can retry. */
function taken({ state }: buildStore.BuildRow): Problem {
  return state === "uploading"
    ? new Problem("upload_in_progress", { retryAfterSeconds: 2 })
    : new Problem("upload_used");
}

/** The lease of an upload whose node died. The address is valid again when it expires. */
function isOpen({ state, worker_until }: buildStore.BuildRow, now: number): boolean {
  return state === "waiting" || (state === "uploading" && (worker_until ?? 0) < now);
}

interface UploadRequest {
  project: string;
  branch: string;
  /** The version is built without traffic. */
  isStaged?: boolean;
  /** The build must not become production, nor change the production branch. */
  isPreviewOnly?: boolean;
  /** The access of the caller is limited to projects or deployments. */
  isLimited?: boolean;
  /** Describes the version. */
  note?: string | undefined;
  /** The version that must be live. */
  basedOn?: number | undefined;
}

interface UploadAddress {
  statusId: string;
  secret: string;
  deployment: Deployment;
}

/** Creates an upload address for one archive, valid for an hour. */
export async function requestUpload(
  transaction: WriteTransaction,
  act: Act,
  { project, branch, isStaged = false, isPreviewOnly = false, isLimited = false, note, basedOn }: UploadRequest,
): Promise<UploadAddress> {
  const deployment = await deploymentOfBranch(transaction, act, project, branch);
  const changed = basedOn === undefined ? undefined : await changeSince(transaction, deployment, basedOn);
  if (changed) throw changed;
  const secret = generateSecret("up");
  const statusId = crypto.randomUUID();
  const build = {
    id: statusId,
    deployment_seq: deployment.seq,
    upload_hash: secretHash(secret),
    upload_until: act.now + uploadMilliseconds,
    source_seq: null,
    is_staged: isStaged ? 1 : 0,
    author: authorOf(act),
    note: note ?? null,
    is_preview_only: isPreviewOnly ? 1 : 0,
    is_limited: isLimited ? 1 : 0,
    steps: JSON.stringify(newSteps()),
  };
  await buildStore.insertBuild(transaction, build, act.now);
  const resource = await shown(transaction, act, deployment.name, { statusId });
  const action = "deployment.upload_requested";
  recordChange(transaction, act, "deployment.upload-requested", { ...resource, action }, { statusId });
  return { statusId, secret, deployment };
}

/** The problem if another version is live, or will be when a build ends. The deployment must be locked. */
async function changeSince(
  transaction: WriteTransaction,
  deployment: Deployment,
  basedOn: number,
): Promise<Problem | undefined> {
  const live = await versionOrLive(transaction, deployment);
  if (live?.number !== basedOn)
    return new Problem("conflict", {
      detail: `${live ? `Version ${live.number}` : "None"} is live instead of version ${basedOn}.`,
    });
  const isBuilding = await buildStore.hasUnfinishedBuild(transaction, deployment.seq);
  return isBuilding ? new Problem("conflict", { detail: "Another build has begun." }) : undefined;
}

interface Upload {
  statusId: string;
  secret: string | undefined;
  /** The version that must be live when the build is queued. */
  basedOn?: number | undefined;
  body: AsyncIterable<Uint8Array>;
  now: number;
  requestId?: string | undefined;
  ip?: string | undefined;
}

interface Claim {
  sourceSeq: number;
  steps: BuildSteps;
  worker: string;
}

/** Receives archives: each piece is stored as it arrives, and the whole is validated on the way. */
export class Uploads {
  constructor(
    private readonly storage: Storage,
    private readonly inspect: InspectArchive,
    private readonly clock: Clock,
  ) {}

  async receive(upload: Upload): Promise<void> {
    const claimed = await this.#claim(upload);
    const { sourceSeq, steps } = claimed;
    const { now } = upload;
    let problem: Problem | undefined;
    let lastReceivedOn = this.clock.now();
    const lease = keepLease(() => this.#renew(upload, claimed, lastReceivedOn));
    try {
      const body = this.#stored(sourceSeq, upload.body, () => {
        lastReceivedOn = this.clock.now();
      });
      await this.inspect(body);
    } catch (error) {
      if (!(error instanceof ArchiveRejected)) {
        // The upload was interrupted or the server failed: the archive may be sent again.
        await this.#end(upload, sourceSeq, (transaction) => this.#reopen(transaction, upload, sourceSeq));
        throw error instanceof Problem ? error : new Problem("upload_cut_short", { cause: error });
      }
      problem = new Problem(error.isTooLarge ? "body_too_large" : "archive_refused", { detail: error.message });
    } finally {
      await lease.stop();
    }
    const isOurs = await this.#end(upload, sourceSeq, async (transaction, build) => {
      if (problem) return this.#reject(transaction, build, claimed, problem.detail, now);
      if (upload.basedOn !== undefined) {
        const deployment = await findDeploymentForUpdate(transaction, build.account_seq, build.deployment_name);
        problem = await changeSince(transaction, deployment, upload.basedOn);
      }
      if (problem) await this.#reopen(transaction, upload, sourceSeq);
      else {
        const { requestId, ip } = upload;
        const act = { ...buildActOf(build, now), actor: "upload address", requestId, ip };
        await queueBuild(transaction, act, build, succeeded(steps, "upload", now), "deployment.uploaded");
      }
    });
    if (!isOurs) throw new Problem("upload_used");
    if (problem) throw problem;
  }

  async #renew({ statusId }: Upload, { worker }: Claim, lastReceivedOn: number): Promise<void> {
    const now = this.clock.now();
    if (now - lastReceivedOn > silenceMilliseconds) return;
    await this.storage.write((transaction) =>
      buildStore.renewBuildLease(transaction, { id: statusId, worker, now, until: now + buildLeaseMilliseconds }),
    );
  }

  /** Returns false if the address was taken by another upload or deleted. Then only the stored pieces are removed. */
  #end(
    { statusId }: Upload,
    sourceSeq: number,
    work: (transaction: WriteTransaction, build: buildStore.BuildOfDeployment) => Promise<void>,
  ): Promise<boolean> {
    return this.storage.write(async (transaction) => {
      const locked = await lockRow(transaction, "deployment_builds", { id: statusId });
      const build = locked?.source_seq === sourceSeq ? await buildStore.findBuild(transaction, statusId) : undefined;
      if (build) await work(transaction, build);
      else await transaction.delete("deployment_sources", sourceSeq);
      return build !== undefined;
    });
  }

  /** The address is valid for one upload, and the first one takes it. */
  async #claim({ statusId, secret, now }: Upload): Promise<Claim> {
    return this.storage.write(async (transaction) => {
      const build = await lockRow(transaction, "deployment_builds", { id: statusId });
      if (!build?.upload_hash) throw new Problem("not_found");
      if (secret === undefined || !timingSafeEqual(secretHash(secret), build.upload_hash))
        throw new Problem("upload_forbidden");
      if (!isOpen(build, now)) throw taken(build);
      if (now >= build.upload_until) throw new Problem("upload_expired");
      const sourceSeq = await transaction.insert("deployment_sources", {
        deployment_seq: build.deployment_seq,
        is_limited: build.is_limited,
        created_on: now,
      });
      const steps = begunStep(JSON.parse(build.steps), "upload", now);
      const worker = crypto.randomUUID();
      await buildStore.updateBuild(transaction, statusId, now, {
        state: "uploading",
        source_seq: sourceSeq,
        steps: JSON.stringify(steps),
        worker,
        worker_until: now + buildLeaseMilliseconds,
      });
      return { sourceSeq, steps, worker };
    });
  }

  async *#stored(
    sourceSeq: number,
    body: AsyncIterable<Uint8Array>,
    onReceived: () => void,
  ): AsyncGenerator<Uint8Array> {
    const piece = new Uint8Array(pieceBytes);
    let filled = 0;
    let position = 0;
    let size = 0;
    const storePiece = async () => {
      const data = piece.subarray(0, filled);
      await this.storage.write((transaction) =>
        transaction.insertAll("deployment_source_chunks", [{ source_seq: sourceSeq, position, data }]),
      );
      filled = 0;
      position += 1;
    };
    for await (const chunk of body) {
      onReceived();
      size += chunk.byteLength;
      if (size > maxArchiveBytes) throw new ArchiveRejected("The archive is larger than 50 MiB.", true);
      for (let at = 0; at < chunk.byteLength; ) {
        const taken = chunk.subarray(at, at + pieceBytes - filled);
        piece.set(taken, filled);
        filled += taken.byteLength;
        at += taken.byteLength;
        if (filled === pieceBytes) await storePiece();
      }
      yield chunk;
    }
    if (filled > 0) await storePiece();
  }

  async #reject(
    transaction: WriteTransaction,
    build: buildStore.BuildOfDeployment,
    claimed: Claim,
    reason: string,
    now: number,
  ): Promise<void> {
    await transaction.delete("deployment_sources", claimed.sourceSeq);
    await failBuild(transaction, { ...build, source_seq: null }, claimed.steps, "upload", reason, now);
  }

  async #reopen(transaction: WriteTransaction, { statusId, now }: Upload, sourceSeq: number): Promise<void> {
    await transaction.delete("deployment_sources", sourceSeq);
    await buildStore.updateBuild(transaction, statusId, now, {
      state: "waiting",
      source_seq: null,
      steps: JSON.stringify(newSteps()),
    });
  }
}
