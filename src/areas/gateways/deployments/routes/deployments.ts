import { noBody } from "../../../../api/body.ts";
import { list, read, remove, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { type Caller, isForPreviews, isLimited } from "../../../../core/access.ts";
import { type BuildLimits, promoteBuild, redeploy } from "../builds/builds.ts";
import {
  deleteDeployment,
  deploymentRevisionOf,
  findDeployment,
  listAccountDeployments,
  listDeployments,
} from "../deployments.ts";
import { deployment, deploymentList, deploymentQuery, promotionInput, redeployed } from "../schema.ts";
import { type DeploymentServices, deploymentPath, present, projectPath } from "./shared.ts";

export function deploymentManagementRoutes({ urlOf }: DeploymentServices) {
  return [
    read({
      operationId: "listDeployments",
      path: `${projectPath}/deployments`,
      summary: "List the deployments of a project",
      access: "read",
      inEnvironments: "always",
      response: deploymentList,
      handle: async ({ reads, account, params }) => {
        const rows = await listDeployments(reads, account.seq, params.projectName);
        const body = { data: rows.map((row) => present(row, account, urlOf)) };
        // Not the project's name, which may be any text and is not valid in an ETag.
        return { body, revision: { id: "deployments", version: 0 }, composed: true };
      },
    }),
    list({
      operationId: "listAccountDeployments",
      path: "/v1/deployments",
      inAccountOfCaller: true,
      summary: "List the deployments of all projects",
      access: "read",
      inProjects: "always",
      inEnvironments: "always",
      query: deploymentQuery,
      item: deployment,
      listName: "AccountDeploymentList",
      handle: async ({ reads, account, caller, query: { projectName: project, branchName: branch, ...paging } }) => {
        const projects = caller.projects?.map((each) => each.project);
        const filter = { project, branch, projects, ...paging };
        return presentPage(await listAccountDeployments(reads, account.seq, filter), (row) =>
          present(row, account, urlOf),
        );
      },
    }),
    read({
      operationId: "getDeployment",
      path: deploymentPath,
      inAccountOfCaller: true,
      summary: "Read a deployment",
      access: "read",
      response: deployment,
      handle: async ({ reads, account, params }) => {
        const found = await findDeployment(reads, account.seq, params.deploymentName);
        return { body: present(found, account, urlOf), revision: deploymentRevisionOf(found) };
      },
    }),
    remove({
      operationId: "deleteDeployment",
      path: deploymentPath,
      inAccountOfCaller: true,
      summary: "Delete a deployment",
      description: "Its address returns 404 immediately.",
      access: "edit",
      handle: ({ act, params, precondition }, transaction) =>
        deleteDeployment(transaction, act, params.deploymentName, precondition),
    }),
    write({
      operationId: "redeploy",
      method: "POST",
      path: `${deploymentPath}/deploy`,
      inAccountOfCaller: true,
      summary: "Build the stored source again",
      access: "edit",
      body: noBody,
      response: redeployed,
      problems: ["no_source"],
      handle: async ({ act, params, caller }, transaction) => {
        const statusId = await redeploy(transaction, act, params.deploymentName, limitsOf(caller));
        return { body: { status: "request enqueued" as const, statusId } };
      },
    }),
    write({
      operationId: "promoteDeployment",
      method: "POST",
      path: `${deploymentPath}/$promote`,
      inAccountOfCaller: true,
      summary: "Build what is live in another deployment of the project",
      description:
        "The source of the version that is live there, with the variables of this deployment, and without an upload. " +
        "The current version keeps serving until the new one is live.",
      access: "edit",
      body: promotionInput,
      response: redeployed,
      problems: ["no_live_version", "no_source"],
      handle: async ({ act, params, body, caller }, transaction) => {
        const statusId = await promoteBuild(transaction, act, params.deploymentName, body.from, limitsOf(caller));
        return { body: { status: "request enqueued" as const, statusId } };
      },
    }),
  ];
}

function limitsOf(caller: Caller): BuildLimits {
  return { isPreviewOnly: isForPreviews(caller), isLimited: isLimited(caller), scope: caller.scope };
}
