import type { Artifact, ArtifactRoute } from "../../../../core/artifact/artifact.ts";
import type { McpTarget } from "../../../../core/artifact/mcp-schema.ts";
import { existing } from "../../../../core/problems/problem.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findDeployment } from "../deployments.ts";
import { exampleRequest } from "./example-request.ts";
import type { SiteKey } from "./site-store.ts";
import { readTargets } from "./sites.ts";
import { withNamesOfSecrets } from "./version-contents.ts";
import * as versionStore from "./version-store.ts";
import { readArtifact } from "./versions.ts";

/** A version with its artifact, by default the one that serves. */
export async function servedVersion(reads: Reads, accountSeq: number, name: string, number: number | undefined) {
  const deployment = await findDeployment(reads, accountSeq, name);
  const version = await existing(versionStore.versionOrLive(reads, deployment, number), "version");
  const artifact = await existing(readArtifact(reads, deployment.seq, version.artifact_hash), "version");
  return { version, artifact };
}

interface RouteTableOptions {
  version?: number | undefined;
  /** Adds a request to a route that needs a key, of the bucket if one is given. */
  example?: boolean | undefined;
  keyBucket?: string | undefined;
  permissions?: string | undefined;
  /** Adds each route's size as a tool for agents. */
  tools?: boolean | undefined;
}

/** Returns the routes of a version, without the options of policies, which may contain secrets. */
export async function routeTable(reads: Reads, accountSeq: number, name: string, options: RouteTableOptions) {
  const { version, artifact } = await servedVersion(reads, accountSeq, name, options.version);
  const { routes, policies, upstreams } = withNamesOfSecrets(artifact);
  const key = { deploymentSeq: version.deployment_seq, artifactHash: version.artifact_hash };
  const use = { bucketName: options.keyBucket, permissions: options.permissions?.split(",") };
  const example = options.example
    ? exampleRequest({ routes, policies }, await readTargets(reads, key), use)
    : undefined;
  const toolOf = options.tools ? await storedTools(reads, key) : undefined;
  return {
    version: version.number,
    ...(example && { example }),
    data: routes.map(({ method, path, operationId, target, timeoutSeconds, policies: names }) => {
      const tool = toolOf?.({ method, path });
      return {
        method,
        path,
        ...(operationId === undefined ? {} : { operationId }),
        policies: names.map((policy) => {
          const { type = policy, mode } = policies[policy] ?? {};
          return { name: policy, type, ...(mode && { mode }) };
        }),
        target: shownTarget(target, upstreams),
        timeoutSeconds,
        ...(tool && { tool }),
      };
    }),
  };
}

/** Reads the artifact again: the served one lacks the document. */
async function storedTools(reads: Reads, { deploymentSeq, artifactHash }: SiteKey) {
  const text = await versionStore.readArtifact(reads, deploymentSeq, artifactHash);
  if (text === undefined) return undefined;
  // Loaded on demand with the matcher of patterns, which is large.
  const { possibleTools } = await import("./possible-tools.ts");
  return possibleTools(JSON.parse(text));
}

/** The target with the sizes of its tools, whose schemas may be large. */
export function withoutSchemas<Target extends object>(target: Target | McpTarget) {
  return "mcp" in target ? { handler: target.handler, mcp: shownTools(target.mcp) } : target;
}

function shownTools({ mode, title, instructions, tools }: McpTarget["mcp"]) {
  return {
    mode,
    ...(title !== undefined && { title }),
    ...(instructions !== undefined && { instructions }),
    tools: tools.map(({ tool, binding: { method, path }, bytes, tokens }) => ({
      name: tool.name,
      ...(tool.title !== undefined && { title: tool.title }),
      ...(tool.description !== undefined && { description: tool.description }),
      method,
      path,
      bytes,
      tokens,
    })),
  };
}

function shownTarget(target: ArtifactRoute["target"], upstreams: Artifact["upstreams"] = []) {
  if (!("balanced" in target)) return withoutSchemas(target);
  const { upstream, balanced } = target;
  return { upstream, targets: upstreams[balanced ?? -1]?.targets.map(({ url }) => url) ?? [upstream] };
}
