#!/usr/bin/env bun
import { version } from "./app.ts";
import { serve } from "./cli/serve.ts";

const usage = `Usage: tollgate <command>

  serve      start the server (settings come from the environment; see docs/operating.md)
  version    print the version
  help       print this
`;

async function main(command: string | undefined): Promise<number> {
  switch (command) {
    case "serve":
      return serve(process.env);
    case "version":
    case "--version":
      process.stdout.write(`${version}\n`);
      return 0;
    case "help":
    case "--help":
      process.stdout.write(usage);
      return 0;
    default:
      process.stderr.write(command === undefined ? usage : `There is no command "${command}".\n\n${usage}`);
      return 2;
  }
}

process.exit(await main(process.argv[2]));
