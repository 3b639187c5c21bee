import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether this is the executable that `npm run build` creates. */
export const isCompiled = import.meta.dir.startsWith("/$bunfs/");

/**
 * The folder beside the executable with what cannot be compiled into it: other programs and the files they read.
 * Undefined when Tollgate runs from source, where npm installs them.
 */
export const programsFolder = isCompiled ? join(dirname(process.execPath), "programs") : undefined;

/** What deployed code needs: to run it, bundle it and check its types. */
export const programNames = ["workerd", "esbuild", "typescript/tsc", "authoring.ts"];

/** Empty when Tollgate runs from source. */
export function missingPrograms(folder = programsFolder): string[] {
  return folder === undefined ? [] : programNames.filter((name) => !existsSync(join(folder, name)));
}

export function programBeside(name: string): string | undefined {
  if (programsFolder === undefined) return undefined;
  const path = join(programsFolder, name);
  if (existsSync(path)) return path;
  throw new Error(`${path} is missing. Keep the folder "programs" that the build makes beside tollgate.`);
}
