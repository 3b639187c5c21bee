/**
 * `npm run release`: builds everything that a release publishes in `dist/release`: the npm packages, the Python package,
 * an archive for each platform (also with the Go module), the SBOM, notices and checksums. `npm run release -- linux-arm64`
 * builds only the named archives. `--to FOLDER` builds elsewhere. `--repository URL` names the repository in both npm
 * packages; their sources name none, because each copy of the repository may release its own.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { buildProgram } from "./build-program.ts";
import { packClient } from "./client-package.ts";
import { type Platform, platforms, run } from "./platforms.ts";
import { thirdPartyNotices, thirdPartyPackages } from "./third-party.ts";

const project = join(import.meta.dir, "..");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: "string" }, repository: { type: "string" } },
});
const target = resolve(values.to ?? join(project, "dist/release"));
const unknown = positionals.filter((name) => !platforms.includes(name as Platform));
if (unknown.length > 0) {
  console.error(`There is no platform ${unknown.join(", ")}: use ${platforms.join(", ")}.`);
  process.exit(2);
}
const wanted = positionals.length > 0 ? (positionals as Platform[]) : platforms;

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await run(["npm", "pack", "--pack-destination", target], project);
console.log(`tollgate-${packageJson.version}.tgz: the npm package`);
await packClient(target);
for (const name of ["tollgate", "tollgate-client"])
  if (values.repository !== undefined) await nameRepository(`${name}-${packageJson.version}.tgz`, values.repository);
console.log(`tollgate-client-${packageJson.version}.tgz: the npm package of the client and the middleware`);
await run(["python3", join(project, "clients/python/pack.py"), target], project);
console.log(
  `tollgate-${packageJson.version}-py3-none-any.whl, tollgate-${packageJson.version}.tar.gz: the Python package`,
);
for (const platform of wanted) await archiveFor(platform);
await writeFile(join(target, "THIRD-PARTY-NOTICES.txt"), await thirdPartyNotices());
await writeFile(join(target, "sbom.cdx.json"), `${JSON.stringify(await billOfMaterials(), undefined, 2)}\n`);
console.log("THIRD-PARTY-NOTICES.txt, sbom.cdx.json: the packages of others that it contains");
const names = (await readdir(target)).sort();
const lines = await Promise.all(names.map(async (name) => `${await sha256(join(target, name))}  ${name}\n`));
await writeFile(join(target, "SHA256SUMS"), lines.join(""));
console.log("SHA256SUMS: to check with `sha256sum --check SHA256SUMS`");
console.log(`All of it is in ${target}.`);

/** Provenance of a published package must match the repository that its manifest names. */
async function nameRepository(packed: string, repository: string): Promise<void> {
  const url = repository.replace(/\/+$/, "");
  const folder = join(target, ".named");
  await mkdir(folder);
  await run(["tar", "-xzf", join(target, packed), "-C", folder], target);
  const file = join(folder, "package/package.json");
  const manifest = {
    ...(await Bun.file(file).json()),
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: "git", url: `git+${url}.git` },
  };
  await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
  // The package was built when it was packed first.
  await run(["npm", "pack", "--ignore-scripts", "--pack-destination", target], join(folder, "package"));
  await rm(folder, { recursive: true });
}

async function archiveFor(platform: Platform): Promise<void> {
  const folder = join(target, `.${platform}`);
  const { archive } = await buildProgram(platform, folder);
  const name = archive.slice(folder.length + 1);
  await rename(archive, join(target, name));
  await rm(folder, { recursive: true });
  console.log(`${name}: the program with all that it needs`);
}

/**
 * A CycloneDX SBOM of the shipped packages: `npm sbom` would omit those bundled into the pages, which are development
 * dependencies.
 */
async function billOfMaterials() {
  const components = (await thirdPartyPackages()).map(({ name, version, license }) => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [{ expression: license }],
  }));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name: packageJson.name,
        version: packageJson.version,
        licenses: [{ expression: packageJson.license }],
      },
    },
    components,
  };
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
