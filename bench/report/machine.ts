import { cpus, release, totalmem, type } from "node:os";
import { findWorkerd } from "../../src/gateway/sandbox/workerd-processes.ts";
import { projectRoot } from "../child-process.ts";
import { findNginx } from "../nginx.ts";
import npmRivals from "../rivals/npm/package.json";

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly operatingSystem: string;
  readonly architecture: string;
}

/** By program; `tollgate` is the commit that was measured. */
export type Versions = Record<string, string>;

export function describeMachine(): Machine {
  const cores = cpus();
  return {
    processor: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    operatingSystem: `${type()} ${release()}`,
    architecture: process.arch,
  };
}

export async function readVersions(): Promise<Versions> {
  const nginx = await findNginx();
  return {
    tollgate: await readCommit(),
    bun: Bun.version,
    node: (await outputOf(["node", "--version"])).replace("v", ""),
    nginx: nginx ? (await outputOf([nginx.program, "-v"])).replace(/.*nginx\//, "") : "none",
    workerd: (await outputOf([findWorkerd(), "--version"])).replace("workerd ", ""),
    "better-auth": npmRivals.dependencies["better-auth"],
    "@fastify/http-proxy": npmRivals.dependencies["@fastify/http-proxy"],
  };
}

/** The results of the last run are no part of what is measured. */
const measuredPaths = ["src", "bench", "package.json", ":!bench/results.json"];

async function readCommit(): Promise<string> {
  const commit = await outputOf(["git", "rev-parse", "--short", "HEAD"]);
  const changes = await outputOf(["git", "status", "--porcelain", "--", ...measuredPaths]);
  return changes === "" ? commit : `${commit} and changes that are not committed`;
}

/** What a program prints, wherever it prints it; "none" where it cannot be run. */
async function outputOf(command: string[]): Promise<string> {
  try {
    const child = Bun.spawn(command, { cwd: projectRoot, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return (await child.exited) === 0 ? (output + errors).trim() : "none";
  } catch {
    return "none";
  }
}
