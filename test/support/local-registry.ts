import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "bun";
import lock from "../../package-lock.json" with { type: "json" };

const project = join(import.meta.dir, "../..");

interface Installed {
  folder: string;
  manifest: { name: string; version: string };
}

interface LockEntry {
  dev?: boolean;
  devOptional?: boolean;
}

/** A registry of npm packages. */
export interface LocalRegistry {
  url: string;
  /** Names of packages whose archive was fetched. */
  fetched: Set<string>;
  /** Large programs that their archives lack, because npm unpacks 300 MB in ten seconds of CPU time: paths in the project. */
  omitted: string[];
  stop(): void;
}

/**
 * Serves the packages of the lock that are needed at run time, as installed in this repository. `npm install` can then
 * resolve and install a package without the network.
 */
export function startLocalRegistry(): LocalRegistry {
  const packages = runtimePackages();
  const fetched = new Set<string>();
  const omitted: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    // Packing the largest package takes seconds on a busy machine.
    idleTimeout: 120,
    async fetch(request): Promise<Response> {
      const { pathname, origin } = new URL(request.url);
      const path = decodeURIComponent(pathname.slice(1));
      const [, name, version] = /^archives\/(.+)@([^@/]+)\.tgz$/.exec(path) ?? [];
      const found = packages.get(name ?? path);
      if (!found) return new Response("", { status: 404 });
      if (name === undefined) return Response.json(documentOf(found, origin));
      fetched.add(name);
      const { folder } = found.find(({ manifest }) => manifest.version === version)!;
      const programs = largeFiles(folder);
      omitted.push(...programs.map((file) => relative(project, join(folder, file))));
      return new Response(await archiveOf(folder, programs));
    },
  });
  return { url: server.url.href, fetched, omitted, stop: () => server.stop(true) };
}

function runtimePackages(): Map<string, Installed[]> {
  const found = new Map<string, Installed[]>();
  for (const [path, entry] of Object.entries(lock.packages) as [string, LockEntry][]) {
    const folder = join(project, path);
    if (path === "" || entry.dev || entry.devOptional || !existsSync(join(folder, "package.json"))) continue;
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    found.set(manifest.name, [...(found.get(manifest.name) ?? []), { folder, manifest }]);
  }
  return found;
}

function documentOf(found: Installed[], origin: string) {
  const versions = found.map(({ manifest }) => {
    const tarball = `${origin}/archives/${encodeURIComponent(manifest.name)}@${manifest.version}.tgz`;
    return [manifest.version, { ...manifest, dist: { tarball } }] as const;
  });
  const { name, version } = found[0]!.manifest;
  return { name, "dist-tags": { latest: version }, versions: Object.fromEntries(versions) };
}

function largeFiles(folder: string): string[] {
  return globSync("**/*", { cwd: folder, exclude: ["node_modules/**"] }).filter(
    (file) => statSync(join(folder, file)).size > 5_000_000,
  );
}

/** Nothing reads these at run time, and they are half of the files. */
const unread = ["*.d.ts", "*.d.cts", "*.d.mts", "*.map", "*.md", "*.scss"];

/** Not compressed: that would take longer than the rest of the test. */
async function archiveOf(folder: string, omitted: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const excluded = ["./node_modules", ...omitted.map((file) => `./${file}`), ...unread].map(
    (path) => `--exclude=${path}`,
  );
  const flags = [...excluded, "--transform=s,^\\.,package,", "-cf", "-", "."];
  const packing = Bun.spawn(["tar", "-C", folder, ...flags], { stdout: "pipe" });
  return gzipSync(await new Response(packing.stdout).arrayBuffer(), { level: 0 });
}
