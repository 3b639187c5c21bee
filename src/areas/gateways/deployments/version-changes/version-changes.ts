import type { Artifact, ArtifactRoute } from "../../../../core/artifact/artifact.ts";
import { existing, invalid, notFound } from "../../../../core/problems/problem.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { type Deployment, findDeployment, findDeploymentIfAny, listDeployments } from "../deployments.ts";
import { isProduction } from "../present.ts";
import { parsedDocument, wholeArtifact } from "../versions/version-contents.ts";
import { versionOrLive } from "../versions/version-store.ts";
import { breakingChanges } from "./breaking-changes.ts";

type Change = "added" | "removed" | "changed";

/** Compares versions of two deployments or of one; by default the live one with that of the project's production. */
export async function versionChangesWith(
  reads: Reads,
  accountSeq: number,
  name: string,
  query: { with?: string | undefined; version?: number | undefined; withVersion?: number | undefined },
) {
  const deployment = await findDeployment(reads, accountSeq, name);
  if (query.with !== undefined && query.withVersion !== undefined)
    throw invalid("?withVersion", "is instead of `with`");
  const isOfSame = query.withVersion !== undefined;
  const other = isOfSame ? deployment : await otherOf(reads, accountSeq, deployment, query.with);
  const after = await existing(versionOf(reads, deployment, query.version), "version");
  const { number: version, artifact: to } = after;
  const before = other && (await versionOf(reads, other, query.withVersion));
  if (isOfSame && !before) throw notFound("version");
  if (!before) return { version, routes: [], policies: [], breaking: [] };
  const { artifact: from } = before;
  return {
    version,
    with: { deploymentName: other.name, version: before.number },
    routes: routeChanges(from, to),
    policies: policyChanges(from, to),
    breaking:
      from.document && to.document ? breakingChanges(parsedDocument(from.document), parsedDocument(to.document)) : [],
  };
}

/** A version, by default the one that serves. */
async function versionOf(reads: Reads, deployment: Deployment, number?: number) {
  const version = await versionOrLive(reads, deployment, number);
  const artifact = version && (await wholeArtifact(reads, version));
  return version && artifact && { number: version.number, artifact };
}

async function otherOf(
  reads: Reads,
  accountSeq: number,
  deployment: Deployment,
  name: string | undefined,
): Promise<Deployment | undefined> {
  if (name === undefined) {
    const all = await listDeployments(reads, accountSeq, deployment.project);
    return all.find((each) => isProduction(each) && each.seq !== deployment.seq);
  }
  const other = await findDeploymentIfAny(reads, accountSeq, name);
  if (!other || other.project !== deployment.project || other.seq === deployment.seq)
    throw invalid("?with", "must be another deployment of the same project");
  return other;
}

function routeChanges(from: Artifact, to: Artifact) {
  const byRoute = ({ routes }: Artifact) => new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  return differences(byRoute(from), byRoute(to), (before, after) => routeDetails(before, after)).map(
    ({ key, change, details }) => {
      const [method = "", path = ""] = splitOnce(key);
      return { method, path, change, details };
    },
  );
}

function routeDetails(before: ArtifactRoute | undefined, after: ArtifactRoute | undefined): string[] {
  const chain = ({ policies }: ArtifactRoute) => policies.join(", ") || "none";
  if (!before || !after) return after && after.policies.length > 0 ? [`policies: ${chain(after)}`] : [];
  const details: string[] = [];
  if (chain(before) !== chain(after)) details.push(`policies: ${chain(before)} → ${chain(after)}`);
  if (!Bun.deepEquals(before.target, after.target)) details.push("another target");
  if (before.timeoutSeconds !== after.timeoutSeconds)
    details.push(`timeout: ${before.timeoutSeconds} s → ${after.timeoutSeconds} s`);
  if (!Bun.deepEquals(before.validation, after.validation)) details.push("validates differently");
  return details.length > 0 ? details : ["other settings"];
}

/** Options may contain credentials, so only the names of those that differ are shown. */
function policyChanges(from: Artifact, to: Artifact) {
  const byName = ({ policies }: Artifact) => new Map(Object.entries(policies));
  return differences(byName(from), byName(to), (before, after) => {
    if (!before || !after) return [`type ${(after ?? before)!.type}`];
    if (before.type !== after.type) return [`type: ${before.type} → ${after.type}`];
    const [old, now] = [optionsOf(before.options), optionsOf(after.options)];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    const differing = names.filter((name) => !Bun.deepEquals(old[name], now[name]));
    const details = differing.length > 0 ? [`other options: ${differing.join(", ")}`] : [];
    if (before.mode !== after.mode) details.push(`mode: ${before.mode ?? "enforce"} → ${after.mode ?? "enforce"}`);
    return details.length > 0 ? details : ["other settings"];
  }).map(({ key, ...rest }) => ({ name: key, ...rest }));
}

function differences<Value>(
  from: Map<string, Value>,
  to: Map<string, Value>,
  detailsOf: (before: Value | undefined, after: Value | undefined) => string[],
): { key: string; change: Change; details: string[] }[] {
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((key) => {
    const [before, after] = [from.get(key), to.get(key)];
    if (Bun.deepEquals(before, after)) return [];
    const change: Change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
    return [{ key, change, details: detailsOf(before, after) }];
  });
}

function optionsOf(options: unknown): Record<string, unknown> {
  return typeof options === "object" && options !== null ? (options as Record<string, unknown>) : {};
}

function splitOnce(key: string): [string, string] {
  const space = key.indexOf(" ");
  return [key.slice(0, space), key.slice(space + 1)];
}
