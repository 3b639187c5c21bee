import type { Artifact } from "../../../../core/artifact/artifact.ts";
import { replacePlaceholders } from "../../../../core/artifact/secret-references.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import type { JsonObject } from "../../../../lib/text/json-object.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { type Deployment, findDeployment, findDeploymentIfAny } from "../deployments.ts";
import { readArtifact, versionOrLive } from "./version-store.ts";
import type { Version } from "./versions.ts";

export interface VersionContents {
  deployment: Deployment;
  version: Version;
  contents: Pick<Artifact, "routes" | "upstreams" | "policies" | "environment" | "code"> & {
    document: { file: string; text: string } | null;
  };
}

/** Returns the contents of a version. Secrets appear as in the project: `${NAME}`. */
export async function versionContents(
  reads: Reads,
  accountSeq: number,
  name: string,
  number: string,
): Promise<VersionContents> {
  const deployment = await findDeployment(reads, accountSeq, name);
  const version = await versionOf(reads, deployment.seq, number);
  const artifact = version && (await wholeArtifact(reads, version));
  if (!version || !artifact) throw notFound("version");
  const { document = null, routes, upstreams, policies, environment, code } = artifact;
  const contents = { document, routes, ...(upstreams && { upstreams }), policies, environment, code };
  return { deployment, version, contents };
}

/** The artifact with its document, which gateways do not load, and with the names of secrets. */
export async function wholeArtifact(reads: Reads, version: Version): Promise<Artifact | undefined> {
  const text = await readArtifact(reads, version.deployment_seq, version.artifact_hash);
  if (!text) return undefined;
  const { document, ...artifact }: Artifact = JSON.parse(text);
  return { ...withNamesOfSecrets(artifact), ...(document && { document }) };
}

export const versionOf = async (reads: Reads, deploymentSeq: number, number: string) =>
  /^[1-9]\d{0,8}$/.test(number)
    ? findRow(reads, "deployment_versions", { deployment_seq: deploymentSeq, number: Number(number) })
    : undefined;

/** The live version of a deployment. Undefined if the deployment does not exist or has none. */
export async function liveVersion(reads: Reads, accountSeq: number, name: string): Promise<Version | undefined> {
  const deployment = await findDeploymentIfAny(reads, accountSeq, name);
  return deployment && versionOrLive(reads, deployment);
}

/** With the names of secrets instead of their placeholders. */
export function withNamesOfSecrets(artifact: Artifact): Artifact {
  const placeholders = Object.entries(artifact.secrets ?? {});
  if (placeholders.length === 0) return artifact;
  const replace = (text: string) =>
    placeholders.reduce((result, [placeholder, secret]) => result.replaceAll(placeholder, `\${${secret}}`), text);
  return replacePlaceholders(artifact, replace) as Artifact;
}

export function parsedDocument({ text, json = text }: NonNullable<Artifact["document"]>): JsonObject {
  return JSON.parse(json);
}
