import { join } from "node:path";

/** The files that the server runs as other processes. A bundle has its own (`scripts/bundle-program.ts`). */
export const mainFile = join(import.meta.dir, "../../main.ts");
export const builderFile = join(import.meta.dir, "../../builder/main.ts");
