import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import lock from "../package-lock.json" with { type: "json" };

const project = join(import.meta.dir, "..");

/** The platforms that archives are built for, as Node names them. */
export const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;
export type Platform = (typeof platforms)[number];

export const ownPlatform = `${process.platform}-${process.arch}` as Platform;

/** The platform's name as a `--compile` target of Bun. */
export const bunTarget = (platform: Platform) => `bun-${platform}` as Bun.Build.CompileTarget;

interface Program {
  /** The package with the program for each platform, an optional dependency of `parent`. */
  name: (platform: Platform) => string;
  parent: string;
}

export const programPackages = {
  // Cloudflare calls x64 "64".
  workerd: { parent: "workerd", name: (platform) => `@cloudflare/workerd-${platform.replace("x64", "64")}` },
  esbuild: { parent: "esbuild", name: (platform) => `@esbuild/${platform}` },
  typescript: { parent: "typescript", name: (platform) => `@typescript/typescript-${platform}` },
} satisfies Record<string, Program>;

export type ProgramName = keyof typeof programPackages;

/**
 * The folder of the package with a program for a platform. npm installs the packages of its own platform; the others
 * are downloaded and verified.
 */
export async function programFolder(program: ProgramName, platform: Platform): Promise<string> {
  const { parent, name } = programPackages[program];
  const packageName = name(platform);
  if (platform === ownPlatform) {
    const parentFolder = dirname(Bun.resolveSync(`${parent}/package.json`, project));
    return dirname(Bun.resolveSync(`${packageName}/package.json`, parentFolder));
  }
  return fetchPackage(packageName);
}

/** Downloads the version of package-lock.json; npm verifies its hash. */
async function fetchPackage(name: string): Promise<string> {
  const entries = lock.packages as Record<string, { version?: string; integrity?: string }>;
  const path = `node_modules/${name}`;
  const entry = entries[path] ?? Object.entries(entries).find(([other]) => other.endsWith(`/${path}`))?.[1];
  if (entry?.version === undefined) throw new Error(`${name} is not in package-lock.json.`);
  const folder = join(project, "dist/programs-of-platforms", `${name.replace("/", "-")}-${entry.version}`);
  if (existsSync(join(folder, "package.json"))) return folder;

  const temporary = await mkdtemp(join(tmpdir(), "tollgate-package-"));
  try {
    const [packed] = JSON.parse(await run(["npm", "pack", "--json", `${name}@${entry.version}`], temporary));
    if (packed.integrity !== entry.integrity) throw new Error(`${name} does not have the hash of package-lock.json.`);
    await mkdir(folder, { recursive: true });
    await run(["tar", "-xzf", packed.filename, "--strip-components=1", "-C", folder], temporary);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

export async function run(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const [output, complaint, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`${command.slice(0, 2).join(" ")} failed: ${complaint.trim()}`);
  return output;
}
