import { isCompiled } from "../../lib/files/program-beside.ts";

/** The word with which the compiled program is its own builder. */
export const builderWord = "build-archive";

/** Undefined where the sources are at hand: then the server knows the builder's file. */
export const builderCommand = isCompiled ? [process.execPath, builderWord] : undefined;
