#!/usr/bin/env bun
import { builderWord } from "./cli/local-server/builder-command.ts";
import { run } from "./cli/run.ts";
import { programsFolder } from "./lib/files/program-beside.ts";

async function main(words: string[]): Promise<number> {
  if (words[0] !== builderWord) return run(words, process.env);
  // Before it is loaded, which is when esbuild looks.
  process.env.ESBUILD_BINARY_PATH = `${programsFolder}/esbuild`;
  await import("./builder/main.ts");
  return 0;
}

const exitCode = await main(process.argv.slice(2));
// Not at once: what is still on its way into a pipe would be lost.
process.stdout.end(() => process.exit(exitCode));
