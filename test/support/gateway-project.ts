import { runBuilder } from "../../src/builder/builder.ts";
import type { BuildMessage, BuildReport } from "../../src/core/artifact/build-report.ts";
import { archiveOf, inChunks } from "./archives.ts";

export type Files = Record<string, string>;

/** A project that builds, with one route to an upstream. */
export const plainProject: Files = {
  "openapi.json": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Plain", version: "1" },
    paths: { "/a": { get: {} } },
    "x-tollgate": { upstream: "http://upstream.test" },
  }),
};

export async function buildProject(files: Files, egress: "any" | "public" = "any"): Promise<BuildReport> {
  return runBuilder(inChunks(await archiveOf(files)), { egress });
}

/** Marks the position of an expected error in a text; removed before the build. */
export const here = "▶";

/** Builds a project with one mark, and returns the errors at the mark and the others. */
export async function buildMarked(
  files: Files,
): Promise<{ atMark: string[]; elsewhere: BuildMessage[]; report: BuildReport }> {
  const [file, marked] = Object.entries(files).find(([, text]) => text.includes(here)) ?? ["", here];
  const before = marked.slice(0, marked.indexOf(here)).split("\n");
  const line = before.length;
  const column = before.at(-1)!.length + 1;
  const report = await buildProject({ ...files, ...(file && { [file]: marked.replace(here, "") }) });
  const isAtMark = (error: BuildMessage) => error.file === file && error.line === line && error.column === column;
  return {
    atMark: report.errors.filter(isAtMark).map(({ message }) => message),
    elsewhere: report.errors.filter((error) => !isAtMark(error)),
    report,
  };
}
