import { dirname, join } from "node:path";

/** Whether this is the program that `npm run build` makes, with everything inside that can be. */
export const isCompiled = import.meta.dir.startsWith("/$bunfs/");

/**
 * What cannot be inside the compiled program, because it is a program itself or is read by one, stands in the folder
 * `programs` beside it. Undefined where Tollgate runs from its sources, which have it from npm.
 */
export function programBeside(name: string): string | undefined {
  return isCompiled ? join(dirname(process.execPath), "programs", name) : undefined;
}
