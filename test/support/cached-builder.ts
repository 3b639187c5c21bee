import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunBuilder } from "../../src/areas/gateways/deployments/builds/build-run.ts";
import type { BuilderOptions, runBuilder } from "../../src/builder/builder.ts";
import { buildsFolder } from "./run-folder.ts";

type Build = typeof runBuilder;

interface CacheOptions {
  egress: BuilderOptions["egress"];
  /** Undefined keeps nothing. */
  folder?: string | undefined;
  /** Replaces the real builder. */
  build?: Build;
}

/**
 * Runs the real builder in this process, and keeps its reports: most tests deploy projects that another has deployed. A
 * process of its own takes 0.15 s of CPU time to load the modules; tests of that process spawn a server or run
 * `builderProcess`.
 */
export function cachedBuilder({ egress, folder = buildsFolder, build = realBuild }: CacheOptions): RunBuilder {
  return async (archive, variables, signal) => {
    const bytes = Buffer.concat(await Array.fromAsync(archive));
    const key = new Bun.CryptoHasher("sha256")
      .update(JSON.stringify([egress, variables]))
      .update(bytes)
      .digest("hex");
    const path = folder && join(folder, key);
    const kept = path && (await readFile(path, "utf8").catch(() => undefined));
    const text = kept ?? JSON.stringify(await build(chunksOf(bytes), { egress, variables }));
    if (path && kept === undefined) await keep(path, text);
    signal.throwIfAborted();
    return JSON.parse(text);
  };
}

/** Imported by the first build, because most files have none. */
const realBuild: Build = async (input, options) =>
  (await import("../../src/builder/builder.ts")).runBuilder(input, options);

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Renamed when it is complete, because other processes of the run read it. */
async function keep(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${crypto.randomUUID()}`;
  await writeFile(unfinished, text);
  await rename(unfinished, path);
}
