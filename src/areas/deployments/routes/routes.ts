import { z } from "zod";
import { list, read, stream, write } from "../../../api/endpoint.ts";
import { noBody } from "../../../api/request.ts";
import type { AccountReference } from "../../../core/access.ts";
import { notFound } from "../../../core/problems/problem.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { BuildQueue } from "../builds/build-queue.ts";
import { type Build, findBuild, redeploy } from "../builds/builds.ts";
import { requestUpload, type Uploads } from "../builds/uploads.ts";
import {
  type Deployment,
  deleteDeployment,
  findDeployment,
  listAccountDeployments,
  listDeployments,
  revisionOf,
} from "../deployments.ts";
import { presentDeployment } from "../present.ts";
import {
  deployment,
  deploymentList,
  deploymentQuery,
  deploymentStatus,
  received,
  redeployed,
  rollbackInput,
  sourceInput,
  sourceUpload,
} from "../schema.ts";
import type { Starter } from "../versions/starter.ts";
import { versionContents } from "../versions/version-contents.ts";
import { version, versionWithContents } from "../versions/version-schema.ts";
import { listVersions, prepareRollback, rollBack, type Version } from "../versions/versions.ts";
import { routeTableEndpoint } from "./route-table-routes.ts";

export const deploymentAreas = {
  Deployments: "Gateway projects: uploaded as an archive, built, and reached under a host name of their own.",
};

const area = "Deployments";
const inAccountOfCaller = true;
const projectPath = "/v1/accounts/{accountName}/projects/{projectName}";
const sourcesPath = "/v1/deployments/sources";
const deploymentPath = "/v1/deployments/{deploymentName}";
const archiveName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.tar\.gz$/;

export interface DeploymentServices {
  uploads: Uploads;
  builds: Pick<BuildQueue, "ended">;
  starter: Starter;
  /** Where clients reach the management interface. */
  publicUrl(): string;
  /** Where the world reaches a deployment. */
  urlOf(deploymentName: string): string;
}

export function deploymentRoutes(services: DeploymentServices) {
  return [
    ...sourceEndpoints(services),
    ...deploymentEndpoints(services),
    ...versionEndpoints(services),
    routeTableEndpoint(area),
  ];
}

function sourceEndpoints({ builds, uploads, publicUrl, urlOf }: DeploymentServices) {
  return [
    write({
      operationId: "requestSourceUpload",
      method: "POST",
      path: sourcesPath,
      area,
      inAccountOfCaller,
      summary: "Request an upload address for a project",
      access: "edit",
      body: sourceInput,
      response: sourceUpload,
      handle: async ({ act, body }, transaction) => {
        if (body.accountName !== act.account.name) throw notFound("account");
        const { statusId, secret } = await requestUpload(transaction, act, body.projectName, body.branchName);
        return { body: { uploadUrl: `${publicUrl()}${sourcesPath}/${statusId}.tar.gz?token=${secret}` } };
      },
    }),
    stream({
      operationId: "uploadSource",
      method: "PUT",
      path: `${sourcesPath}/{archive}`,
      area,
      summary: "Upload a project",
      description:
        "A gzip tar of the project, at most 50 MiB packed, 250 MiB and 5,000 files unpacked. Returns when it is stored; " +
        "the deployment status shows the progress.",
      access: "anyone",
      query: z.object({ token: z.string().optional() }),
      bodyType: "application/gzip",
      response: received,
      problems: [
        "archive_refused",
        "upload_cut_short",
        "upload_forbidden",
        "upload_expired",
        "upload_in_progress",
        "upload_used",
        "body_too_large",
      ],
      handle: async ({ params, query, act }, request) => {
        const statusId = archiveName.exec(params.archive)?.[1];
        if (!statusId) throw notFound("upload address");
        const body = request.body ?? Body.of(Buffer.alloc(0));
        await uploads.receive({ ...act, statusId, secret: query.token, body });
        return { body: { status: "queued", statusId } };
      },
    }),
    read({
      operationId: "getDeploymentStatus",
      path: `${projectPath}/deployment-status/{statusId}`,
      area,
      summary: "Read how far an upload has come",
      access: "read",
      response: deploymentStatus,
      handle: async ({ reads, account, params }) => {
        const found = await findBuild(reads, account.seq, params.projectName, params.statusId);
        // Storage has the result a moment before this node follows it: whoever reads SUCCESS must find the version serving.
        if (found.state === "succeeded") await builds.ended(found.id);
        return { body: presentStatus(found, urlOf), revision: found };
      },
    }),
  ];
}

function deploymentEndpoints({ urlOf }: DeploymentServices) {
  return [
    read({
      operationId: "listDeployments",
      path: `${projectPath}/deployments`,
      area,
      summary: "List the deployments of a project",
      access: "read",
      response: deploymentList,
      handle: async ({ reads, account, params }) => {
        const rows = await listDeployments(reads, account.seq, params.projectName);
        const body = { data: rows.map((row) => present(row, account, urlOf)) };
        // Not the project's name, which is any text here: an ETag cannot hold that.
        return { body, revision: { id: "deployments", version: 0 }, composed: true };
      },
    }),
    list({
      operationId: "listAccountDeployments",
      path: "/v1/deployments",
      area,
      inAccountOfCaller,
      summary: "List the deployments of all projects",
      access: "read",
      query: deploymentQuery,
      item: deployment,
      listName: "AccountDeploymentList",
      handle: async ({ reads, account, query: { projectName: project, branchName: branch, ...paging } }) => {
        const { data, total } = await listAccountDeployments(reads, account.seq, { project, branch, ...paging });
        return { data: data.map((row) => present(row, account, urlOf)), total };
      },
    }),
    read({
      operationId: "getDeployment",
      path: deploymentPath,
      area,
      inAccountOfCaller,
      summary: "Read a deployment",
      access: "read",
      response: deployment,
      handle: async ({ reads, account, params }) => {
        const found = await findDeployment(reads, account.seq, params.deploymentName);
        return { body: present(found, account, urlOf), revision: revisionOf(found) };
      },
    }),
    write({
      operationId: "deleteDeployment",
      method: "DELETE",
      path: deploymentPath,
      area,
      inAccountOfCaller,
      summary: "Delete a deployment",
      description: "Its address returns 404 at once.",
      access: "edit",
      handle: async ({ act, params, precondition }, transaction) => {
        await deleteDeployment(transaction, act, params.deploymentName, precondition);
        return {};
      },
    }),
    write({
      operationId: "redeploy",
      method: "POST",
      path: `${deploymentPath}/deploy`,
      area,
      inAccountOfCaller,
      summary: "Build the stored source again",
      access: "edit",
      body: noBody,
      response: redeployed,
      problems: ["no_source"],
      handle: async ({ act, params }, transaction) => {
        const statusId = await redeploy(transaction, act, params.deploymentName);
        return { body: { status: "request enqueued" as const, statusId } };
      },
    }),
  ];
}

function versionEndpoints({ starter, urlOf }: DeploymentServices) {
  return [
    list({
      operationId: "listDeploymentVersions",
      path: `${deploymentPath}/versions`,
      area,
      inAccountOfCaller,
      summary: "List the versions of a deployment",
      access: "read",
      query: z.strictObject({}),
      item: version,
      listName: "DeploymentVersionList",
      handle: async ({ reads, account, params, query }) => {
        const found = await findDeployment(reads, account.seq, params.deploymentName);
        const { data, total } = await listVersions(reads, found, query);
        return { data: data.map((row) => presentVersion(row, found)), total };
      },
    }),
    read({
      operationId: "getDeploymentVersion",
      path: `${deploymentPath}/versions/{versionNumber}`,
      area,
      inAccountOfCaller,
      summary: "Read a version with its contents",
      description:
        "The OpenAPI document, routes, policies with their options, plain variables and code. These may hold credentials: readers may not.",
      access: "edit",
      response: versionWithContents,
      handle: async ({ reads, account, params }) => {
        const found = await versionContents(reads, account.seq, params.deploymentName, params.versionNumber);
        const { isActive, ...shown } = presentVersion(found.version, found.deployment);
        const revision = { id: shown.id, version: isActive ? 1 : 0 };
        return { body: { ...shown, isActive, contents: found.contents }, revision };
      },
    }),
    write({
      operationId: "rollBackDeployment",
      method: "POST",
      path: `${deploymentPath}/rollback`,
      area,
      inAccountOfCaller,
      summary: "Put an earlier version back",
      description: "Without building: the version is started, checked, and given the traffic.",
      access: "edit",
      body: rollbackInput,
      response: deployment,
      problems: ["no_earlier_version", "version_does_not_start"],
      before: ({ reads, account, params, body }) =>
        prepareRollback(reads, starter, account, params.deploymentName, body?.version),
      handle: async ({ act, params, body }, transaction) => {
        const rolledBack = await rollBack(transaction, act, params.deploymentName, body?.version);
        return { body: present(rolledBack, act.account, urlOf), revision: revisionOf(rolledBack) };
      },
    }),
  ];
}

function present(row: Deployment, account: AccountReference, urlOf: (name: string) => string) {
  return { ...presentDeployment(row, account.name), url: urlOf(row.name) };
}

function presentStatus(build: Build, urlOf: (name: string) => string) {
  const status = build.state === "succeeded" ? "SUCCESS" : build.state === "failed" ? "ERROR" : "IN_PROGRESS";
  return {
    status: status as "SUCCESS" | "ERROR" | "IN_PROGRESS",
    url: urlOf(build.deployment_name),
    steps: JSON.parse(build.steps),
    buildResult: build.result === null ? {} : JSON.parse(build.result),
  };
}

function presentVersion(row: Version, { active_version_seq }: Deployment) {
  return {
    id: row.id,
    number: row.number,
    createdOn: formatDateTime(row.created_on),
    artifact: { sha256: row.artifact_hash, bytes: row.artifact_bytes },
    routes: row.routes,
    isActive: row.seq === active_version_seq,
    statusId: row.build_id,
  };
}
