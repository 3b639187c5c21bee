import { z } from "zod";
import { read, stream, write } from "../../../../api/endpoint.ts";
import { isForPreviews, isLimited } from "../../../../core/access.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import { Body } from "../../../../platform/http1/message/body.ts";
import { type Build, findBuild } from "../builds/builds.ts";
import { requestUpload } from "../builds/uploads.ts";
import { deploymentStatus, received, sourceInput, sourceUpload } from "../schema.ts";
import { type DeploymentServices, projectPath } from "./shared.ts";

const sourcesPath = "/v1/deployments/sources";
const archiveName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.tar\.gz$/;

export function sourceRoutes({ builds, uploads, publicUrl, urlOf }: DeploymentServices) {
  return [
    write({
      operationId: "requestSourceUpload",
      method: "POST",
      path: sourcesPath,
      inAccountOfCaller: true,
      summary: "Request an upload address for a project",
      access: "edit",
      inProjects: ({ body }) => body.projectName,
      inEnvironments: ({ body }) => ({ project: body.projectName, branch: body.branchName }),
      body: sourceInput,
      response: sourceUpload,
      problems: ["conflict"],
      handle: async ({ act, body, caller }, transaction) => {
        if (body.accountName !== act.account.name) throw notFound("account");
        const { statusId, secret } = await requestUpload(transaction, act, {
          project: body.projectName,
          branch: body.branchName,
          isStaged: !body.activate,
          note: body.note,
          basedOn: body.basedOn,
          isPreviewOnly: isForPreviews(caller),
          isLimited: isLimited(caller),
        });
        const basedOn = body.basedOn === undefined ? "" : `&basedOn=${body.basedOn}`;
        return { body: { uploadUrl: `${publicUrl()}${sourcesPath}/${statusId}.tar.gz?token=${secret}${basedOn}` } };
      },
    }),
    stream({
      operationId: "uploadSource",
      method: "PUT",
      path: `${sourcesPath}/{archive}`,
      summary: "Upload a project",
      description:
        "A gzip tar of the project, at most 50 MiB packed, 250 MiB and 5,000 files unpacked. The response is sent when it is stored; " +
        "the deployment status shows the progress.",
      access: "anyone",
      query: z.object({ token: z.string().optional(), basedOn: z.coerce.number().int().min(1).optional() }),
      bodyType: "application/gzip",
      response: received,
      problems: [
        "archive_refused",
        "upload_cut_short",
        "upload_forbidden",
        "upload_expired",
        "upload_in_progress",
        "upload_used",
        "conflict",
        "body_too_large",
      ],
      handle: async ({ params, query, act, request }) => {
        const statusId = archiveName.exec(params.archive)?.[1];
        if (!statusId) throw notFound("upload address");
        const body = request.body ?? Body.of(Buffer.alloc(0));
        await uploads.receive({ ...act, statusId, secret: query.token, basedOn: query.basedOn, body });
        return { body: { status: "queued", statusId } };
      },
    }),
    read({
      operationId: "getDeploymentStatus",
      path: `${projectPath}/deployment-status/{statusId}`,
      summary: "Read the progress of an upload",
      access: "read",
      inEnvironments: "always",
      response: deploymentStatus,
      handle: async ({ reads, account, params }) => {
        const found = await findBuild(reads, account.seq, params.projectName, params.statusId);
        // Storage has the result before this node follows it: a client that reads SUCCESS must find the version
        // serving.
        if (found.state === "succeeded") await builds.ended(found.id);
        return { body: presentStatus(found, urlOf), revision: found };
      },
    }),
  ];
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
