#!/usr/bin/env bun
import { existsSync } from "node:fs";
import { join } from "node:path";
import { builderWord } from "./cli/local-server/builder-command.ts";
import { isChildWord } from "./cli/local-server/child-words.ts";
import { run } from "./cli/run.ts";
import { programsFolder } from "./lib/files/program-beside.ts";

async function main(words: string[]): Promise<number> {
  const [first, second] = words;
  // esbuild reads this variable when it is loaded: by the builder, and by commands that bundle packages.
  const esbuild = programsFolder && join(programsFolder, "esbuild");
  if (esbuild && existsSync(esbuild)) process.env.ESBUILD_BINARY_PATH = esbuild;
  if (isChildWord(first)) {
    const { runChild } = await import("./cli/local-server/child-process.ts");
    return runChild(first, second ?? "", process.env);
  }
  if (first !== builderWord) return run(words, process.env);
  await import("./builder/main.ts");
  return 0;
}

const exitCode = await main(process.argv.slice(2));
// Output that is still being written to a pipe would be lost if the process exited now.
process.stdout.end(() => process.stderr.end(() => process.exit(exitCode)));
