import { copyFile, cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import packageJson from "../package.json" with { type: "json" };
import { type Add, addFonts, copy } from "./fonts.ts";
import { bunTarget, ownPlatform, type Platform, type ProgramName, programFolder } from "./platforms.ts";
import { thirdPartyNotices } from "./third-party.ts";
import { buildWebIfOutdated, packPaths } from "./web-build.ts";

const project = join(import.meta.dir, "..");

export interface BuiltProgram {
  program: string;
  programs: string;
  archive: string;
}

/** Compiles Tollgate for a platform into `folder` and packs it with the programs and notices that it needs, and the Go client. */
export async function buildProgram(platform: Platform, folder: string): Promise<BuiltProgram> {
  const program = join(folder, "tollgate");
  const programs = join(folder, "programs");
  await mkdir(folder, { recursive: true });
  await compile(platform, program);
  await addPrograms(platform, programs, copy);
  await Bun.write(join(folder, "THIRD-PARTY-NOTICES.txt"), await thirdPartyNotices());
  await copyFile(join(project, "LICENSE"), join(folder, "LICENSE"));
  await cp(join(project, "clients/go"), join(folder, "clients/go"), {
    recursive: true,
    filter: (path) => !path.endsWith("_test.go"),
  });
  const archive = join(folder, `tollgate-${packageJson.version}-${platform}.tar.gz`);
  await pack(folder, ["tollgate", "programs", "clients", "LICENSE", "THIRD-PARTY-NOTICES.txt"], archive);
  return { program, programs, archive };
}

/** The executable for the tests of this machine, beside links to the programs that it needs. Returns its path. */
export async function buildLinkedProgram(folder: string): Promise<string> {
  const program = join(folder, "tollgate");
  await compile(ownPlatform, program);
  await addPrograms(ownPlatform, join(folder, "programs"), (from, to) => symlink(from, to));
  return program;
}

async function compile(platform: Platform, outfile: string): Promise<void> {
  await buildWebIfOutdated();
  const { success, logs } = await Bun.build({
    // The console is embedded as it is; the server finds it among the embedded files.
    entrypoints: [join(project, "src/main.ts"), ...packPaths],
    loader: { ".pack": "file" },
    naming: { asset: "[name].[ext]" },
    // With a target, Bun downloads a runtime even for its own platform; without one it uses the running Bun.
    compile: platform === ownPlatform ? { outfile } : { outfile, target: bunTarget(platform) },
    minify: true,
    // In parts, a start loads what it needs: 40 ms of CPU time and 8 MB less, and a command 30 ms and 20 MB less.
    splitting: true,
    // Starts about 50 ms faster, for 7 MB.
    bytecode: true,
    format: "esm",
    plugins: [wasmBeside],
  });
  if (!success) throw new AggregateError(logs, `Bun could not compile for ${platform}: ${logs.join("\n")}`);
}

/** An executable contains no files that its packages find by their place: HarfBuzz gets the one in the folder "programs". */
const wasmBeside: BunPlugin = {
  name: "wasm beside the program",
  setup(build) {
    build.onLoad({ filter: /\/harfbuzzjs\/dist\/harfbuzz\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const own = 'new URL("harfbuzz.wasm",import.meta.url)';
      if (!text.includes(own)) throw new Error(`${path} finds its WebAssembly in another way than before.`);
      const beside = 'new URL("programs/harfbuzz.wasm","file://"+process.execPath)';
      return { loader: "js", contents: text.replaceAll(own, beside) };
    });
  },
};

async function addPrograms(platform: Platform, programs: string, add: Add): Promise<void> {
  await mkdir(programs, { recursive: true });
  const addProgram = async (program: ProgramName, file: string) =>
    add(join(await programFolder(program, platform), file), join(programs, program));
  await addProgram("workerd", "bin/workerd");
  await addProgram("esbuild", "bin/esbuild");
  await addProgram("typescript", "lib");
  await add(join(project, "src/builder/authoring.ts"), join(programs, "authoring.ts"));
  await addFonts(join(programs, "fonts"), add);
  await add(join(project, "node_modules/harfbuzzjs/dist/harfbuzz.wasm"), join(programs, "harfbuzz.wasm"));
}

/** The lowest level of libdeflate: zlib needs twice the CPU time for an archive of this size, and higher levels save little. */
async function pack(folder: string, names: string[], file: string): Promise<void> {
  const tar = Bun.spawn(["tar", "-cf", "-", "-C", folder, ...names], { stdout: "pipe", stderr: "inherit" });
  const packed = await tar.stdout.bytes();
  if ((await tar.exited) !== 0) throw new Error(`tar ended with ${tar.exitCode}`);
  await Bun.write(file, Bun.gzipSync(packed, { library: "libdeflate", level: 1 }));
}
