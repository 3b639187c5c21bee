import { isCompiled } from "../../lib/files/program-beside.ts";

/** The hidden argument that runs the compiled program as the builder. */
export const builderWord = "build-archive";

/** Undefined when running from source: the server then uses the builder's source file. */
export const builderCommand = isCompiled ? [process.execPath, builderWord] : undefined;
