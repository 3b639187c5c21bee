import { type BuildOptions, waitForBuild } from "../resources/builds.ts";
import type { Deployment } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import { type Archive, type UploadOptions, upload } from "./upload.ts";

export interface DeployOptions extends BuildOptions, Pick<UploadOptions, "onProgress"> {
  project: string;
  /** `main` by default, which is production; every other branch is a preview. */
  branch?: string;
}

/** Deploys a folder, or an archive of one. Resolves when the deployment is live. */
export async function deploy(
  transport: Transport,
  source: string | Archive,
  { project, branch = "main", onProgress, onStep, ...options }: DeployOptions,
): Promise<Deployment> {
  const archive = typeof source === "string" ? await packed(source) : source;
  const body = { accountName: await transport.account(), projectName: project, branchName: branch };
  const { uploadUrl } = await transport.call("requestSourceUpload", { body, options });
  await upload(transport.connection, transport.reachable(uploadUrl), archive, { onProgress, ...options });
  await waitForBuild(transport, project, statusIdIn(uploadUrl), { onStep, ...options });
  const { data } = await transport.call("listDeployments", { params: { projectName: project }, options });
  return data.find(({ branchName }) => branchName === branch)!;
}

async function packed(folder: string): Promise<Blob> {
  const { packFolder } = await import("./folder.ts");
  return packFolder(folder);
}

/** The URL ends in `/<uuid>.tar.gz`, and a query may follow. */
function statusIdIn(uploadUrl: string): string {
  return /([^/]+)\.tar\.gz(\?|$)/.exec(uploadUrl)![1]!;
}
