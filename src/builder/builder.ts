import type { Artifact } from "../core/artifact/artifact.ts";
import type { BuildMessage, BuildReport } from "../core/artifact/build-report.ts";
import type { BuildVariables } from "../core/artifact/build-variables.ts";
import { missingPrograms } from "../lib/files/program-beside.ts";
import type { EgressMode } from "../platform/egress/addresses.ts";
import { type ArchiveChunks, ArchiveRejected } from "./archive/archive.ts";
import { type ProjectFiles, readArchive } from "./archive/project-files.ts";
import type { Bundle } from "./code/bundle.ts";
import { Findings } from "./documents/findings.ts";
import type { Project } from "./project/validate.ts";

/** Every node that serves an artifact keeps it in memory. */
const maxArtifactBytes = 16 * 1024 * 1024;

export interface BuilderOptions {
  /** The egress mode of the server that will serve the artifact. */
  egress: EgressMode;
  /** The project's variables; none by default. */
  variables?: BuildVariables;
}

/** Builds an artifact from a packed project, or reports all its errors. Throws only if the builder itself fails. */
export async function runBuilder(input: ArchiveChunks, options: BuilderOptions): Promise<BuildReport> {
  const findings = new Findings();
  const durations: BuildReport["durations"] = {};
  let began = performance.now();
  const finish = (step: keyof typeof durations) => {
    const now = performance.now();
    durations[step] = Math.round(now - began);
    began = now;
  };
  let describe = (message: string) => message;
  const described = (messages: BuildMessage[]) =>
    messages.map((message) => ({ ...message, message: describe(message.message) }));
  const failed = (failedStep: BuildReport["failedStep"]): BuildReport => ({
    failedStep,
    durations,
    warnings: described(findings.warnings),
    errors: described(findings.errors),
  });

  // A builder may be started before its project arrives: that wait does not count as build time.
  const files = await unpack(
    onBegin(input, () => {
      began = performance.now();
    }),
    findings,
  );
  finish("unpack");
  if (!files) return failed("unpack");

  const missing = hasCode(files) ? missingPrograms() : [];
  if (missing.length > 0) {
    findings.error("", nowhere, withoutPrograms(missing));
    return failed("build");
  }

  // Started first and awaited last, because the compiler takes longest.
  const typeErrors = findTypeErrors(files);
  const project = await validate(files, findings, options);
  describe = project.describe;
  const failedStep = findings.hasErrors ? "validate" : undefined;
  finish("validate");

  const bundled = await bundle(project, files, findings);
  const code = bundled?.code ?? null;
  if (bundled) project.nameOnResponse(bundled.withOnResponse);
  for (const error of await typeErrors) addUnlessKnown(error, findings);
  const artifact = JSON.stringify({ format: 1, ...project.parts, code } satisfies Artifact);
  const { text = "", json = "" } = project.parts.document ?? {};
  if (artifact.length - text.length - json.length > maxArtifactBytes) {
    findings.error("", nowhere, `The artifact is larger than ${maxArtifactBytes / 1024 / 1024} MiB.`);
  }
  finish("build");
  if (findings.hasErrors) return failed(failedStep ?? "build");
  const { secretPlaces, site } = project;
  return {
    durations,
    warnings: described(findings.warnings),
    errors: [],
    artifact,
    ...(site && { site: { contents: site.contents.toString("base64"), pack: site.pack.toString("base64") } }),
    ...(secretPlaces.length > 0 && { secretPlaces }),
  };
}

function hasCode({ files }: ProjectFiles): boolean {
  return [...files.keys()].some((path) => /\.[jt]s$/.test(path));
}

/** Without the folder's path: the message goes to the deploying user, who may not be the operator. */
function withoutPrograms(missing: string[]): string {
  return (
    `This server cannot build or run code: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing in the folder ` +
    "`programs` beside its program. Its operator has to unpack the whole archive of the release."
  );
}

async function* onBegin(chunks: ArchiveChunks, begin: () => void): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) begin();
    isFirst = false;
    yield chunk;
  }
}

const nowhere = { line: 0, column: 0 };

async function unpack(input: ArchiveChunks, findings: Findings): Promise<ProjectFiles | undefined> {
  try {
    return await readArchive(input);
  } catch (error) {
    if (!(error instanceof ArchiveRejected)) throw error;
    findings.error("", nowhere, error.message);
    return undefined;
  }
}

async function validate(files: ProjectFiles, findings: Findings, options: BuilderOptions): Promise<Project> {
  const { validateProject } = await import("./project/validate.ts");
  return validateProject(files, findings, options);
}

async function bundle(project: Project, files: ProjectFiles, findings: Findings): Promise<Bundle | undefined> {
  if (project.modules.length === 0) return undefined;
  const { bundleModules } = await import("./code/bundle.ts");
  return bundleModules(project.modules, files, findings);
}

async function findTypeErrors(files: ProjectFiles): Promise<BuildMessage[]> {
  if (![...files.files.keys()].some((path) => path.endsWith(".ts"))) return [];
  const { checkTypes } = await import("./code/type-check.ts");
  return checkTypes(files);
}

/** The compiler reports errors of the bundler again in other words: an error in a line that has one is skipped. */
function addUnlessKnown({ file, line, column, message }: BuildMessage, findings: Findings): void {
  const isKnown = findings.errors.some((error) => error.file === file && error.line === line);
  if (!isKnown) findings.error(file, { line, column }, message);
}
