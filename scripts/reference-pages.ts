import { Findings, fileStart } from "../src/builder/documents/findings.ts";
import { Located } from "../src/builder/documents/located.ts";
import { DocumentFiles } from "../src/builder/openapi/document-files.ts";
import { type ApiOperation, readOpenApi } from "../src/builder/openapi/openapi.ts";
import { securityOf } from "../src/builder/site/describe-operation.ts";
import { writeOverview, writeReference } from "../src/builder/site/reference.ts";
import { SiteFiles } from "../src/builder/site/site-files.ts";
import type { SiteGroup } from "../src/core/artifact/site.ts";
import { documentsOfThisVersion } from "./openapi-documents.ts";

interface ReferencePages {
  /** Gzipped, by name. */
  pages: Map<string, Uint8Array<ArrayBuffer>>;
  navigation: ReturnType<typeof writeOverview> & { guides: SiteGroup[]; reference: SiteGroup[] };
}

/** The pages of /docs: those that a build writes for a project with the same OpenAPI document. */
export async function referencePages(): Promise<ReferencePages> {
  const { management } = await documentsOfThisVersion();
  const content = new TextEncoder().encode(JSON.stringify(management));
  const file = "openapi.json";
  const findings = new Findings();
  const start = () => fileStart;
  const root = new Located({ file, value: management, positionOf: start, positionOfKey: start }, findings);
  const project = {
    files: new Map([[file, content]]),
    documents: new Map(),
    docs: new Map(),
    dropped: new Set<string>(),
    unexpected: [],
  };
  const api = readOpenApi(await DocumentFiles.read(root, project));
  if (!api || findings.hasErrors) throw new Error(`/openapi.json: ${JSON.stringify(findings.errors)}`);
  const files = new SiteFiles();
  const keyHeaderOf = ({ definition }: ApiOperation) =>
    securityOf(definition, api)?.length ? { header: "Authorization", prefix: "Bearer " } : undefined;
  const overview = writeOverview({ api, keyHeaderOf }, files);
  const { groups } = writeReference({ api, keyHeaderOf }, files);
  const pack = files.pack();
  const pages = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, [offset, length]] of Object.entries(files.files))
    if (name.endsWith(".json")) pages.set(name, new Uint8Array(pack.subarray(offset, offset + length)));
  const navigation = { ...overview, guides: [], reference: groups };
  pages.set("navigation.json", Bun.gzipSync(JSON.stringify(navigation)));
  return { pages, navigation };
}
