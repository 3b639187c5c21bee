import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { ArtifactPolicy, ArtifactRoute } from "../../core/artifact/artifact.ts";
import { type KeyHeaderOptions, keyHeaderOf } from "../../core/artifact/key-header.ts";
import type { OperationPage, SiteContents } from "../../core/artifact/site.ts";
import { type Findings, fileStart } from "../documents/findings.ts";
import type { ApiDocument, ApiOperation } from "../openapi/openapi.ts";
import { writeGuides } from "./guides.ts";
import { methodAndPath, writeOverview, writeReference } from "./reference.ts";
import { SiteFiles } from "./site-files.ts";

/** A version's site is one row of the database. */
const maxBytes = 16 * 1024 * 1024;

export interface Site {
  hash: string;
  contents: Buffer;
  pack: Buffer;
}

export interface SiteInput {
  api: ApiDocument;
  routes: ArtifactRoute[];
  policies: Record<string, ArtifactPolicy>;
  /** The files below docs/. */
  docs: ReadonlyMap<string, Uint8Array>;
  findings: Findings;
}

/** Writes the pages of a version. A site that is too large is an error of the project. */
export function buildSite({ api, routes, policies, docs, findings }: SiteInput): Site {
  const files = new SiteFiles();
  const routeOf = new Map(routes.map((route) => [methodAndPath(route), route]));
  const headerOf = (operation: ApiOperation) => keyHeader(routeOf.get(methodAndPath(operation)), policies);
  const overview = writeOverview({ api, keyHeaderOf: headerOf }, files);
  const { groups, exampleTargets } = writeReference({ api, keyHeaderOf: headerOf }, files);
  const guides = writeGuides(docs, files, findings);
  if (files.size > maxBytes)
    findings.error("docs/", fileStart, `the reference and the guides are larger than ${maxBytes / 1024 / 1024} MiB`);
  const navigation = { ...overview, guides, reference: groups };
  const contents = gzipSync(
    JSON.stringify({ navigation, targets: exampleTargets, files: files.files } satisfies SiteContents),
  );
  const pack = files.pack();
  return { hash: hash("sha256", Buffer.concat([contents, pack]), "hex"), contents, pack };
}

/** The header of the first policy that requires a key. */
function keyHeader(route: ArtifactRoute | undefined, policies: SiteInput["policies"]): OperationPage["keyHeader"] {
  for (const name of route?.policies ?? []) {
    const { type, options } = policies[name] ?? {};
    if (type !== "api-key") continue;
    return keyHeaderOf((options ?? {}) as KeyHeaderOptions);
  }
  return undefined;
}
