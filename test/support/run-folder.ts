import { join } from "node:path";

const project = join(import.meta.dir, "../..");

/** What the processes of one `npm test` share. Undefined when `bun test` runs without it. */
const runFolder = process.env.TOLLGATE_TEST_RUN;

/** The bundled program of this run, otherwise the sources. */
const programFolder = runFolder === undefined ? project : join(runFolder, "program");

export const mainFile = join(programFolder, "src/main.ts");
export const builderFile = join(programFolder, "src/builder/main.ts");

/** The reports of the builds of this run, by the hash of their input. */
export const buildsFolder = runFolder === undefined ? undefined : join(runFolder, "builds");
