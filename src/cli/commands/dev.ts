import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defineCommand } from "../arguments/command.ts";
import { named, option, optionalArgument, port as portNumber } from "../arguments/values.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { PackageErrors } from "../projects/bundle-packages.ts";
import { packProject } from "../projects/pack-project.ts";
import { checkProjectFolder, projectNameOf } from "../projects/project-name.ts";

export const dev = defineCommand({
  summary: "Run a gateway on this machine, with reload on change and a key that works",
  details: `Starts an empty temporary server. It creates a consumer "developer" with a key in each bucket that the
project's policies name, and a plan for its quotas. Requests and console output are printed as they arrive.`,
  arguments: { folder: optionalArgument("the project; this folder by default", "folder") },
  options: { port: option("the port; any free one by default", portNumber) },
  examples: {
    "tollgate dev": "This folder.",
    "tollgate dev examples/orders --port 8080": "Always at the same port.",
  },
  async run({ folder = ".", port = 0 }, context) {
    await checkProjectFolder(folder);
    const { runDev } = await import("../local-development/dev-session.ts");
    return runDev(folder, port, context);
  },
});

export const pack = defineCommand({
  summary: "Pack a gateway project into an archive",
  details: `Creates an archive for the console and the management API: the folder without files that begin with a dot and without
node_modules, and the packages that its modules import, bundled.`,
  arguments: { folder: optionalArgument("the project; this folder by default", "folder") },
  options: { output: option("the archive; by default the project's name with .tar.gz", named("FILE", "file")) },
  examples: { "tollgate pack my-gateway --output my-gateway.tar.gz": "For the console." },
  async run({ folder = ".", output }, { terminal }) {
    await checkProjectFolder(folder);
    try {
      const archive = await packProject(resolve(folder), terminal);
      const file = output ?? `${projectNameOf(folder)}.tar.gz`;
      await writeFile(file, new Uint8Array(await archive.arrayBuffer()));
      terminal.print(file);
      return exitCodes.success;
    } catch (error) {
      if (!(error instanceof PackageErrors)) throw error;
      terminal.note(error.message);
      return exitCodes.failed;
    }
  },
});
