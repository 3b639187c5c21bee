import { archiveOf } from "./archives.ts";
import type { Client, ClientResponse } from "./client.ts";
import { account } from "./server-settings.ts";
import { patiently } from "./slowdown.ts";
import { until } from "./until.ts";

const builtWithinMs = patiently(50_000);

/** Strings are written unchanged; other values as JSON. */
export type ProjectFiles = Record<string, unknown>;

function textsOf(files: ProjectFiles): Record<string, string> {
  const text = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, text(content)]));
}

export const projectArchive = (files: ProjectFiles) => archiveOf(textsOf(files));

/** A document with one operation for each path, `get` unless it names another method. */
export function openApi(paths: Record<string, object>, extra: object = {}) {
  return {
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    paths: Object.fromEntries(
      Object.entries(paths).map(([key, operation]) => {
        const [method, path] = key.includes(" ") ? key.split(" ") : ["get", key];
        return [path, { [method!.toLowerCase()]: { responses: {}, ...operation } }];
      }),
    ),
    ...extra,
  };
}

export interface Project {
  project: string;
  /** The default account if omitted. */
  accountName?: string;
}

export interface Branch extends Project {
  branch: string;
  /** False builds a version that gets no traffic. */
  activate?: boolean;
  note?: string;
  /** The version that must be live. */
  basedOn?: number;
}

/** The path includes its query. */
export async function requestUpload(client: Client, { accountName = account, project, branch, ...rest }: Branch) {
  const body = { accountName, projectName: project, branchName: branch, ...rest };
  const response = await client.post(`/v1/deployments/sources?accountName=${accountName}`, body);
  if (response.status !== 200) throw new Error(`No upload address: ${response.text}`);
  const uploadUrl = new URL(response.body.uploadUrl);
  const statusId = uploadUrl.pathname.match(/([0-9a-f-]{36})\.tar\.gz$/)![1]!;
  return { path: uploadUrl.pathname + uploadUrl.search, statusId };
}

export function readStatus(
  client: Client,
  { accountName = account, project }: Project,
  statusId: string,
): Promise<ClientResponse> {
  return client.get(`/v1/accounts/${accountName}/projects/${project}/deployment-status/${statusId}`);
}

/** Waits until the status is final. */
export function settledStatus(client: Client, place: Project, statusId: string) {
  let last = "";
  return until(
    async () => {
      const { body, text } = await readStatus(client, place, statusId);
      last = text;
      return body.status === "IN_PROGRESS" ? undefined : body;
    },
    { withinMs: builtWithinMs, what: () => `the build to end; its status is ${last}` },
  );
}

/** Uploads and waits for the end of the build, successful or not. */
export async function build(client: Client, place: Branch, files: ProjectFiles) {
  const { path, statusId } = await requestUpload(client, place);
  const uploaded = await client.anonymous().raw("PUT", path, await projectArchive(files));
  if (uploaded.status !== 200) throw new Error(`The upload was rejected: ${uploaded.text}`);
  return { statusId, status: await settledStatus(client, place, statusId) };
}

export interface Deployed {
  statusId: string;
  name: string;
  url: string;
  /** Calls the deployment by its host name, without DNS. */
  call(path: string, init?: RequestInit): Promise<Response>;
}

/** Uploads and waits until it serves. */
export async function deploy(
  server: { url: string; client: Client },
  place: Branch,
  files: ProjectFiles,
): Promise<Deployed> {
  const { statusId, status } = await build(server.client, place, files);
  if (status.status !== "SUCCESS") throw new Error(`The build failed: ${JSON.stringify(status, null, 2)}`);
  const { hostname, href: url } = new URL(status.url);
  return {
    statusId,
    name: hostname.split(".")[0]!,
    url,
    call: (path, init) => callHost(server.url, hostname, path, init),
  };
}

/** Builds the stored source again and waits for the end, successful or not. */
export async function rebuild(client: Client, place: Project, name: string) {
  const { body } = await client.post(`/v1/deployments/${name}/deploy`);
  return { statusId: body.statusId as string, status: await settledStatus(client, place, body.statusId) };
}

/** Every step of a status, by its own status. */
export function stepsOf(status: { steps: Record<string, { status: string }> }): Record<string, string> {
  return Object.fromEntries(Object.entries(status.steps).map(([name, step]) => [name, step.status]));
}

/** Resolves a name below localhost like a browser, without the system's resolver. */
export function callHost(serverUrl: string, host: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("host", host);
  return fetch(serverUrl + path, { redirect: "manual", ...init, headers });
}
