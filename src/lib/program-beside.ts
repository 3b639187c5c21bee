import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether this is the program that `npm run build` makes, with everything inside that can be. */
export const isCompiled = import.meta.dir.startsWith("/$bunfs/");

/**
 * What cannot be inside the compiled program, because it is a program itself or is read by one, stands in this folder beside
 * it. Undefined where Tollgate runs from its sources, which have it from npm.
 */
export const programsFolder = isCompiled ? join(dirname(process.execPath), "programs") : undefined;

/** All that code of deployments needs: to run it, to bundle it and to check its types. */
export const programNames = ["workerd", "esbuild", "typescript/tsc", "authoring.ts"];

/** What of it is missing; nothing where Tollgate runs from its sources. */
export function missingPrograms(folder = programsFolder): string[] {
  return folder === undefined ? [] : programNames.filter((name) => !existsSync(join(folder, name)));
}

export function programBeside(name: string): string | undefined {
  if (programsFolder === undefined) return undefined;
  const path = join(programsFolder, name);
  if (existsSync(path)) return path;
  throw new Error(`${path} is missing. Keep the folder "programs" that the build makes beside tollgate.`);
}
