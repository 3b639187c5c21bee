/** TypeScript's options for modules that run in workers. A project's editor and its build use the same options. */
export const moduleCompilerOptions = {
  target: "esnext",
  lib: ["esnext", "webworker"],
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  allowJs: true,
  resolveJsonModule: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};
