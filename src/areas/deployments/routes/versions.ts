import { z } from "zod";
import { list, read, write } from "../../../api/endpoint.ts";
import type { Actor } from "../../../core/access.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { type Deployment, deploymentRevisionOf, findDeployment } from "../deployments.ts";
import { deployment, rollbackInput } from "../schema.ts";
import { withoutSchemas } from "../versions/route-table.ts";
import { versionContents } from "../versions/version-contents.ts";
import { version, versionWithContents } from "../versions/version-schema.ts";
import { listVersions, prepareRollback, rollBack, type Version } from "../versions/versions.ts";
import { area, type DeploymentServices, deploymentPath, inAccountOfCaller, present } from "./shared.ts";

export function versionRoutes({ starter, urlOf }: DeploymentServices) {
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
        "The OpenAPI document, routes, policies with their options, plain variables and code. They may contain credentials, so readers may not read them.",
      access: "edit",
      response: versionWithContents,
      handle: async ({ reads, account, params }) => {
        const found = await versionContents(reads, account.seq, params.deploymentName, params.versionNumber);
        const { isActive, ...shown } = presentVersion(found.version, found.deployment);
        const revision = { id: shown.id, version: isActive ? 1 : 0 };
        const routes = found.contents.routes.map((route) => ({ ...route, target: withoutSchemas(route.target) }));
        return { body: { ...shown, isActive, contents: { ...found.contents, routes } }, revision };
      },
    }),
    write({
      operationId: "rollBackDeployment",
      method: "POST",
      path: `${deploymentPath}/rollback`,
      area,
      inAccountOfCaller,
      summary: "Roll back to an earlier version",
      description: "Without a build: the version is started and checked, and then gets the traffic.",
      access: "edit",
      body: rollbackInput,
      response: deployment,
      problems: ["no_earlier_version", "version_does_not_start"],
      before: ({ reads, account, params, body }) =>
        prepareRollback(reads, starter, account, params.deploymentName, body?.version),
      handle: async ({ act, params, body }, transaction) => {
        const rolledBack = await rollBack(transaction, act, params.deploymentName, body?.version);
        return { body: present(rolledBack, act.account, urlOf), revision: deploymentRevisionOf(rolledBack) };
      },
    }),
  ];
}

function presentVersion(version: Version, { active_version_seq }: Deployment) {
  return {
    id: version.id,
    number: version.number,
    createdOn: formatDateTime(version.created_on),
    artifact: { sha256: version.artifact_hash, bytes: version.artifact_bytes },
    routes: version.routes,
    isActive: version.seq === active_version_seq,
    statusId: version.build_id,
    author: JSON.parse(version.author) as Actor,
    ...(version.note === null ? {} : { note: version.note }),
  };
}
