import { join } from "node:path";
import { builderWord } from "../../src/cli/local-server/builder-command.ts";

const project = join(import.meta.dir, "../..");

/** What the processes of one `npm test` share. Undefined when `bun test` runs without it. */
const runFolder = process.env.TOLLGATE_TEST_RUN;

const source = (file: string) => [process.execPath, join(project, "src", file)];

/** The command of Tollgate: the executable of this run, as it is released, otherwise the sources. It is the faster one to start. */
export const program = runFolder === undefined ? source("main.ts") : [join(runFolder, "tollgate")];
export const builder = runFolder === undefined ? source("builder/main.ts") : [...program, builderWord];

/** The reports of the builds of this run, by the hash of their input. */
export const buildsFolder = runFolder === undefined ? undefined : join(runFolder, "builds");
