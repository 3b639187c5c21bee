import { type BuildOptions, waitForBuild } from "../resources/builds.ts";
import type { RequestOptions } from "../transport/options.ts";
import type { Deployment, TrafficSplit } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import { type Archive, type UploadOptions, upload } from "./upload.ts";

export interface DeployOptions extends BuildOptions, Pick<UploadOptions, "onProgress"> {
  project: string;
  /** `main` by default, which is production; every other branch is a preview. */
  branch?: string;
  /** Describes the version, such as the subject of a commit. */
  note?: string | undefined;
  /** The number of the version that the project was changed from: fails with 409 if another one is live. */
  basedOn?: number | undefined;
  /** Gives the new version a percentage of the requests instead of all, unless it is the first. */
  canary?: CanaryOptions | undefined;
}

export interface CanaryOptions extends Omit<TrafficSplit, "splits"> {
  /** From 0 to 100. */
  percent: number;
}

/** Deploys a folder, or an archive of one. Resolves when the deployment is live, or its canary serves. */
export async function deploy(
  transport: Transport,
  source: string | Archive,
  { project, branch = "main", note, basedOn, onProgress, onStep, canary, ...options }: DeployOptions,
): Promise<Deployment> {
  const archive = typeof source === "string" ? await packed(source) : source;
  const accountName = await transport.account();
  const activate = canary === undefined;
  const more = { ...(note ? { note } : {}), ...(basedOn === undefined ? {} : { basedOn }) };
  const body = { accountName, projectName: project, branchName: branch, activate, ...more };
  const { uploadUrl } = await transport.call("requestSourceUpload", { body, options });
  await upload(transport.connection, transport.reachable(uploadUrl), archive, { onProgress, ...options });
  const status = await waitForBuild(transport, project, statusIdIn(uploadUrl), { onStep, ...options });
  const { data } = await transport.call("listDeployments", { params: { projectName: project }, options });
  const deployment = data.find(({ branchName }) => branchName === branch)!;
  if (canary) await startCanary(transport, deployment.name, status.buildResult.version!, { ...canary, options });
  return deployment;
}

async function startCanary(
  transport: Transport,
  deploymentName: string,
  versionNumber: number,
  { percent, stickyBy, abort, options }: CanaryOptions & { options: RequestOptions },
): Promise<void> {
  const params = { deploymentName };
  const { liveVersionNumber } = await transport.call("getTraffic", { params, options });
  if (liveVersionNumber === versionNumber || liveVersionNumber === null) return;
  const splits = [
    { versionNumber: liveVersionNumber, weight: 100 - percent },
    { versionNumber, weight: percent },
  ];
  const body = { splits, ...(stickyBy && { stickyBy }), ...(abort && { abort }) };
  await transport.call("splitTraffic", { params, body, options });
}

async function packed(folder: string): Promise<Blob> {
  const { packFolder } = await import("./folder.ts");
  return packFolder(folder);
}

/** The URL ends in `/<uuid>.tar.gz`, and a query may follow. */
function statusIdIn(uploadUrl: string): string {
  return /([^/]+)\.tar\.gz(\?|$)/.exec(uploadUrl)![1]!;
}
