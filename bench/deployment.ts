import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { call, type RunningServer } from "./server.ts";

const builtWithinMilliseconds = 60_000;

/** Text as it is, everything else as JSON, by path. */
export type ProjectFiles = Record<string, unknown>;

/** An OpenAPI document of GET routes: by path, the `x-tollgate` of each. */
export function openApiOf(routes: Record<string, object>) {
  const paths = Object.entries(routes).map(([path, route]) => [path, { get: operation(path, route) }]);
  return { openapi: "3.1.0", info: { title: "Bench", version: "1" }, paths: Object.fromEntries(paths) };
}

function operation(path: string, route: object) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const parameters = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  return { parameters, responses: {}, "x-tollgate": route };
}

export async function archiveOf(files: ProjectFiles): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(files))
    tar.entry({ name }, typeof content === "string" ? content : JSON.stringify(content));
  tar.finalize();
  return gzipSync(Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Uint8Array>)));
}

/** Uploads to a project's main branch. Returns the status id once the archive is stored; the build follows. */
export async function upload(server: RunningServer, projectName: string, archive: Buffer): Promise<string> {
  const { uploadUrl } = await call<{ uploadUrl: string }>(server, "POST", "/v1/deployments/sources", {
    accountName: "default",
    projectName,
    branchName: "main",
  });
  const response = await fetch(uploadUrl, { method: "PUT", body: archive });
  if (!response.ok) throw new Error(`the upload was rejected: ${await response.text()}`);
  const { statusId } = (await response.json()) as { statusId: string };
  return statusId;
}

export interface Deployed {
  readonly name: string;
  /** The Host header of requests to it. */
  readonly host: string;
}

interface DeploymentStatus {
  readonly status: "IN_PROGRESS" | "SUCCESS" | "ERROR";
  readonly url: string;
}

/** Uploads and waits until it is live. */
export async function deploy(server: RunningServer, projectName: string, files: ProjectFiles): Promise<Deployed> {
  const statusId = await upload(server, projectName, await archiveOf(files));
  const path = `/v1/accounts/default/projects/${projectName}/deployment-status/${statusId}`;
  const giveUpAt = performance.now() + builtWithinMilliseconds;
  while (performance.now() < giveUpAt) {
    const found = await call<DeploymentStatus>(server, "GET", path);
    if (found.status === "ERROR") throw new Error(`the build failed: ${JSON.stringify(found)}`);
    if (found.status === "SUCCESS") {
      const { hostname } = new URL(found.url);
      return { name: hostname.split(".")[0]!, host: hostname };
    }
    await Bun.sleep(5);
  }
  throw new Error(`${projectName} was not built in time`);
}

/** Calls a deployment by its host name, without DNS. */
export function callDeployed(server: RunningServer, { host }: Deployed, path: string, key?: string): Promise<Response> {
  const authorization = key === undefined ? undefined : { authorization: `Bearer ${key}` };
  return fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { host, ...authorization } });
}
