import { z } from "zod";
import { type AreaContext, areaOf } from "../../../../api/area.ts";
import { read, routeScope } from "../../../../api/endpoint.ts";
import { queryBoolean } from "../../../../api/schemas.ts";
import { anyText, name, text } from "../../../../core/schemas/schemas.ts";
import { BuildQueue } from "../builds/build-queue.ts";
import type { RunBuilder } from "../builds/build-run.ts";
import { type InspectArchive, Uploads } from "../builds/uploads.ts";
import type { DeploymentLogs } from "../logs/logs.ts";
import { removeDeletedDeployments } from "../removal.ts";
import { tryRequestInput, tryRequestResponse } from "../try-requests/schema.ts";
import { sendTryRequest } from "../try-requests/send-try-request.ts";
import { versionChangesWith } from "../version-changes/version-changes.ts";
import { routeTable } from "../versions/route-table.ts";
import { deployedRoutes } from "../versions/route-table-schema.ts";
import { upstreamsOf } from "../versions/upstreams.ts";
import { deployedUpstreams } from "../versions/upstreams-schema.ts";
import { deploymentManagementRoutes } from "./deployments.ts";
import { type DeploymentServices, deploymentPath, versionNumber } from "./shared.ts";
import { sourceRoutes } from "./sources.ts";
import { trafficRoutes } from "./traffic.ts";
import { versionRoutes } from "./versions.ts";

const change = z.enum(["added", "removed", "changed"]);
const details = z.array(z.string()).meta({ description: "What has changed, in sentences. Values are not shown." });

const deploymentChanges = z
  .object({
    version: z.int().meta({ description: "The version that serves, or the one that was given." }),
    with: z.object({ deploymentName: z.string(), version: z.int() }).optional().meta({
      description: "What it is compared with. Absent if there is no such version, and then nothing is listed.",
    }),
    routes: z.array(z.object({ method: z.string(), path: z.string(), change, details })),
    policies: z.array(z.object({ name: z.string(), change, details })),
    breaking: z
      .array(z.object({ method: z.string(), path: z.string(), detail: z.string() }))
      .meta({ description: "Changes of the OpenAPI document that can break clients; at most 200." }),
  })
  .meta({
    id: "DeploymentChanges",
    description: "How the live version of a deployment differs from that of another one.",
    examples: [
      {
        version: 2,
        with: { deploymentName: "orders-main-3f9c2a1", version: 7 },
        routes: [{ method: "GET", path: "/orders/{id}", change: "changed", details: ["policies: key → key, quota"] }],
        policies: [{ name: "quota", change: "added", details: ["type quota"] }],
        breaking: [{ method: "POST", path: "/orders", detail: "the body requires /currency" }],
      },
    ],
  });

interface DeploymentAreaOptions
  extends Omit<DeploymentServices, "uploads" | "builds" | "clock" | "publicUrl" | "storage" | "urlOf"> {
  inspect: InspectArchive;
  runBuilder: RunBuilder;
  logs: DeploymentLogs;
}

export function deploymentArea(
  { storage, clock, log, lifecycle, address }: AreaContext,
  { inspect, runBuilder, logs, ...options }: DeploymentAreaOptions,
) {
  const builds = new BuildQueue({ storage, clock, runBuilder, starter: options.starter, logs, log });
  lifecycle.onClose("builds", () => builds.stop());
  const services = {
    ...options,
    ...{ storage, clock, builds, uploads: new Uploads(storage, inspect, clock) },
    publicUrl: () => address.publicUrl,
    urlOf: (name: string) => address.urlOf(name),
  };
  const operations = [
    ...sourceRoutes(services),
    ...deploymentManagementRoutes(services),
    ...routeScope({ inAccountOfCaller: true }, [
      ...versionRoutes(services),
      ...contentRoutes(services),
      ...trafficRoutes(services),
      tryRequestRoute(services),
    ]),
  ];
  return areaOf(
    { Deployments: "Gateway projects: uploaded as an archive, built, and served at their own host names." },
    operations,
    {
      removals: [(signal) => logs.trim(clock.now(), signal), (signal) => builds.tidy(signal)],
      contents: [(signal) => removeDeletedDeployments(storage, signal)],
      start: () => builds.start(),
    },
  );
}

/** What a deployment contains. */
function contentRoutes({ upstreams }: DeploymentServices) {
  return [
    read({
      operationId: "listDeployedRoutes",
      path: `${deploymentPath}/routes`,
      summary: "List the routes of a version",
      access: "read",
      query: z.strictObject({
        version: versionNumber.meta({ description: "The number of a version; by default the one that serves." }),
        example: queryBoolean.optional().meta({ description: "Adds a request to a route that needs a key." }),
        tools: queryBoolean
          .optional()
          .meta({ description: "Adds to each route how large it is as a tool for agents, or why it cannot be one." }),
        permissions: text(2000)
          .optional()
          .meta({ description: "Those of the example's key, separated by commas; any by default." }),
        keyBucket: name.optional().meta({ description: "The bucket of the example's key; any by default." }),
      }),
      response: deployedRoutes,
      handle: async ({ reads, account, params, query }) => ({
        body: await routeTable(reads, account.seq, params.deploymentName, query),
      }),
    }),
    read({
      operationId: "compareDeployments",
      path: `${deploymentPath}/changes`,
      summary: "Compare a deployment with another one of the project, or two versions",
      description:
        "The routes, the policies and the OpenAPI documents of the versions that serve, or of two versions of the deployment. Values of " +
        "options are not shown, because they may be credentials.",
      access: "read",
      query: z.strictObject({
        with: anyText
          .optional()
          .meta({ description: "A deployment of the same project; by default that of the production branch." }),
        version: versionNumber.meta({ description: "The number of a version; by default the one that serves." }),
        withVersion: versionNumber.meta({
          description: "The number of another version of this deployment to compare with, instead of `with`.",
        }),
      }),
      response: deploymentChanges,
      handle: async ({ reads, account, params, query }) => {
        const body = await versionChangesWith(reads, account.seq, params.deploymentName, query);
        return { body, revision: { id: params.deploymentName, version: body.version }, composed: true };
      },
    }),
    read({
      operationId: "listDeployedUpstreams",
      path: `${deploymentPath}/upstreams`,
      summary: "List the upstreams of a deployment, with the health of their targets",
      access: "read",
      response: deployedUpstreams,
      handle: async ({ reads, account, params }) => ({
        body: await upstreamsOf(reads, account.seq, params.deploymentName, upstreams),
      }),
    }),
  ];
}

function tryRequestRoute(services: DeploymentServices) {
  return read({
    operationId: "tryDeployment",
    method: "POST",
    path: `${deploymentPath}/$try`,
    summary: "Send a request to a deployment",
    description:
      "The server sends the request into the gateway, where it is counted and limited like any other, and returns the " +
      "response as data. Redirects are not followed.",
    access: "edit",
    notForAssistants: "The response is that of the API, which may be a credential.",
    // It can send a key of any consumer.
    inProjects: "never",
    body: tryRequestInput,
    response: tryRequestResponse,
    problems: ["upstream_timeout"],
    examples: {
      request: {
        method: "GET",
        path: "/orders/7",
        key: { bucketName: "main", consumerName: "acme", keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu" },
      },
    },
    handle: async ({ act, params, body }) => ({
      body: await sendTryRequest(services, act, params.deploymentName, body),
    }),
  });
}
