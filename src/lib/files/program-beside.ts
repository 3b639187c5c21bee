import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether this process runs the executable that `npm run build` creates. */
export const isCompiled = import.meta.dir.startsWith("/$bunfs/");

/**
 * The folder beside the executable with the files that cannot be compiled into it: other programs and their files.
 * Undefined when Tollgate runs from source, where npm installs them.
 */
export const programsFolder = isCompiled ? join(dirname(process.execPath), "programs") : undefined;

/** The programs that run, bundle and type-check deployed code. */
export const programNames = ["workerd", "esbuild", "typescript/tsc", "authoring.ts"];

/** Returns the missing files. Empty when Tollgate runs from source. */
export function missingPrograms(folder = programsFolder): string[] {
  return folder === undefined ? [] : programNames.filter((name) => !existsSync(join(folder, name)));
}

export function programBeside(name: string): string | undefined {
  if (programsFolder === undefined) return undefined;
  const path = join(programsFolder, name);
  if (existsSync(path)) return path;
  throw new Error(`${path} is missing. Keep the folder "programs" that the build creates beside tollgate.`);
}
