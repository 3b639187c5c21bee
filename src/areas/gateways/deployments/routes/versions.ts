import { z } from "zod";
import { list, read, stream, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import type { Actor } from "../../../../core/access.ts";
import { dateTime } from "../../../../core/schemas/schemas.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import { HttpHeaders } from "../../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../../platform/http1/message/http-response.ts";
import { sourceOf } from "../builds/builds.ts";
import { type Deployment, deploymentRevisionOf, findDeployment } from "../deployments.ts";
import { artifact, deployment, rollbackInput } from "../schema.ts";
import { withoutSchemas } from "../versions/route-table.ts";
import { routeTarget } from "../versions/route-table-schema.ts";
import { versionContents } from "../versions/version-contents.ts";
import { listVersions, prepareRollback, rollBack, type Version } from "../versions/versions.ts";
import { type DeploymentServices, deploymentPath, present } from "./shared.ts";

const example = {
  id: "vrsn_0QGzNqW81Kx8VhTb3mPcRdZu",
  number: 3,
  createdOn: "2026-01-31T10:00:00.000Z",
  artifact: { sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", bytes: 4096 },
  routes: 1,
  isActive: true,
  statusId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e",
  author: { type: "person" as const, id: "prsn_0QGzNqW81Kx8VhTb3mPcRdZu", name: "Ada" },
  note: "Limit orders to 100 a minute",
};

const version = z
  .object({
    id: z.string(),
    number: z.int(),
    createdOn: dateTime,
    artifact,
    routes: z.int(),
    isActive: z.boolean(),
    statusId: z.string().meta({ description: "The id of the build that created it." }),
    author: z
      .object({
        type: z.enum(["token", "person", "manager", "client", "operator", "system"]),
        id: z.string(),
        name: z.string().optional(),
      })
      .meta({ description: "The actor that deployed it." }),
    note: z.string().optional().meta({ description: "The note of the deployment." }),
  })
  .meta({
    id: "DeploymentVersion",
    description: "The immutable result of a build, to which a rollback is possible.",
    examples: [example],
  });

const route = z.object({
  method: z.string(),
  path: z.string().meta({ description: "An OpenAPI path template." }),
  operationId: z.string().optional(),
  policies: z.array(z.string()).meta({ description: "Names, in the order in which they handle a request." }),
  target: routeTarget,
  timeoutSeconds: z.number(),
  validation: z
    .unknown()
    .optional()
    .meta({ description: "The schemas of parameters and bodies, if a policy validates them." }),
});

const versionWithContents = version
  .extend({
    contents: z.object({
      document: z.object({ file: z.string(), text: z.string() }).nullable().meta({
        description:
          "The OpenAPI document as it was uploaded, with the files that it refers to in `x-tollgate-files`. Null if it was not stored.",
      }),
      routes: z.array(route),
      upstreams: z
        .array(z.unknown())
        .optional()
        .meta({ description: "Upstreams with options, as in the project; defaults are filled in." }),
      policies: z
        .record(z.string(), z.object({ type: z.string(), mode: z.enum(["observe"]).optional(), options: z.unknown() }))
        .meta({ description: "By name, with their options; defaults are filled in. Without `mode` they enforce." }),
      environment: z
        .record(z.string(), z.string())
        .meta({ description: "The plain variables at the time of the build." }),
      code: z.string().nullable().meta({ description: "The project's modules, bundled; null if it has none." }),
    }),
  })
  .meta({
    id: "DeploymentVersionContents",
    description:
      "A version with its contents. A secret of the project is shown as its name in braces after a dollar sign.",
    examples: [
      {
        ...example,
        contents: {
          document: { file: "openapi.yaml", text: "openapi: 3.1.0\npaths:\n  /orders/{id}: …\n" },
          routes: [
            {
              method: "GET",
              path: "/orders/{id}",
              policies: ["keys"],
              target: { upstream: "https://orders.example" },
              timeoutSeconds: 30,
            },
          ],
          policies: { keys: { type: "api-key", options: { bucket: "main" } } },
          environment: { REGION: "eu" },
          code: null,
        },
      },
    ],
  });

export function versionRoutes({ starter, urlOf }: DeploymentServices) {
  return [
    list({
      operationId: "listDeploymentVersions",
      path: `${deploymentPath}/versions`,
      summary: "List the versions of a deployment",
      access: "read",
      query: z.strictObject({}),
      item: version,
      listName: "DeploymentVersionList",
      handle: async ({ reads, account, params, query }) => {
        const found = await findDeployment(reads, account.seq, params.deploymentName);
        return presentPage(await listVersions(reads, found, query), (row) => presentVersion(row, found));
      },
    }),
    read({
      operationId: "getDeploymentVersion",
      path: `${deploymentPath}/versions/{versionNumber}`,
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
    stream({
      operationId: "downloadVersionSource",
      method: "GET",
      path: `${deploymentPath}/versions/{versionNumber}/source`,
      summary: "Download the project of a version",
      description: "The gzip tar as it was uploaded. It has the names of secrets, not their values.",
      access: "edit",
      streamType: "application/gzip",
      notForAssistants: "Its response is an archive.",
      problems: ["no_source"],
      handle: async ({ reads, account, params: { deploymentName, versionNumber } }) => {
        const body = await sourceOf(reads, account.seq, deploymentName, versionNumber);
        const disposition = `attachment; filename="${deploymentName}-${versionNumber}.tar.gz"`;
        const type = { "content-type": "application/gzip", "content-disposition": disposition };
        return new HttpResponse(200, new HttpHeaders({ ...type, "cache-control": "no-store" }), body);
      },
    }),
    write({
      operationId: "rollBackDeployment",
      method: "POST",
      path: `${deploymentPath}/rollback`,
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
