/** TypeScript's options for modules that run in workers: a project's editor checks them as its build does. */
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
