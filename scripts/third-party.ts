/** The third-party packages that a release contains, and the notices that their licences require. */
import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import lock from "../package-lock.json" with { type: "json" };
import { readSourceFiles } from "../test/support/source-files.ts";
import { platforms } from "./platforms.ts";

const project = join(import.meta.dir, "..");

export interface ThirdPartyPackage {
  name: string;
  version: string;
  license: string;
  /** The folder where npm installed it; packages for other platforms are not installed. */
  path: string;
}

interface LockEntry {
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
}

const entries = lock.packages as Record<string, LockEntry>;

/** Packages whose data a generated file contains, and fonts. */
const copied = Object.keys(packageJson.devDependencies).filter((name) =>
  /^@(pydantic\/genai-prices|fontsource-variable\/.+)$/.test(name),
);

/** Runtime dependencies, packages bundled into the program and the pages or copied, and all their dependencies. */
export async function thirdPartyPackages(): Promise<ThirdPartyPackage[]> {
  const roots = [...Object.keys(packageJson.dependencies), ...copied, ...(await importedPackages())];
  const paths = new Set(roots.map((name) => `node_modules/${name}`));
  // Iterating a set also visits items that are added meanwhile.
  for (const path of paths) {
    const { dependencies = {}, optionalDependencies = {} } = entries[path]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolved(name, path);
      if (found !== undefined && isForOurPlatforms(entries[found]!)) paths.add(found);
    }
  }
  return [...paths]
    .map((path) => {
      const { version, license } = entries[path]!;
      return { name: path.split("node_modules/").at(-1)!, version: version!, license: license ?? "unknown", path };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function importedPackages(): Promise<string[]> {
  // The client has no dependencies: it only extends types of frameworks.
  const files = (await readSourceFiles(join(project, "src"))).filter(({ path }) => !path.startsWith("client/"));
  const names = files.flatMap(({ packages }) => packages).map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)![0]);
  return [...new Set(names)].filter((name) => `node_modules/${name}` in entries);
}

const isForOurPlatforms = ({ os, cpu }: LockEntry) =>
  platforms.some((platform) => {
    const [system, architecture] = platform.split("-") as [string, string];
    return (os?.includes(system) ?? true) && (cpu?.includes(architecture) ?? true);
  });

/** Node's resolution: the nearest parent folder `node_modules` that contains it. */
function resolved(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const candidate = posix.join(folder, "node_modules", name);
    if (candidate in entries) return candidate;
    if (folder === ".") return undefined;
  }
}

/** One text with the name, version, licence and licence text of every package, for archives and the image. */
export async function thirdPartyNotices(): Promise<string> {
  const parts = await Promise.all(
    (await thirdPartyPackages()).map(async ({ name, version, license, path }) => {
      const texts = await licenseTexts(join(project, path));
      const body = texts.length > 0 ? texts.join("\n\n") : "The package contains no licence text.";
      return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${body}\n`;
    }),
  );
  return `Tollgate contains the following packages.\n\n${parts.join("\n")}`;
}

async function licenseTexts(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^(licen[sc]e|copying|notice)/i.test(name)).sort();
  return Promise.all(files.map(async (name) => (await readFile(join(folder, name), "utf8")).trim()));
}
