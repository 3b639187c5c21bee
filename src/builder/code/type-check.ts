import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BuildMessage } from "../../core/artifact/build-report.ts";
import { moduleCompilerOptions } from "../../lib/files/module-compiler-options.ts";
import { programBeside } from "../../lib/files/program-beside.ts";
import type { ProjectFiles } from "../archive/project-files.ts";

/** Types can be made to compute without end; usual ones are checked in a fraction of a second, in 100 MiB. */
const defaultLimits = { cpuSeconds: 5, mebibytes: 1024 };

/**
 * Runs the compiler and then removes its folder. The shell does so even if this process is killed, and the kernel ends
 * a compiler that exceeds its CPU time or its memory.
 */
const script = `
  (ulimit -t "$3"; ulimit -d "$4"; exec "$1" --project "$2" --pretty false)
  code=$?
  rm -rf -- "$2"
  exit $code
`;

/**
 * Reports only errors, not style. Nothing outside is resolved: `noResolve` limits imports and references to the listed
 * files, and there are no packages with types.
 */
const options = {
  ...moduleCompilerOptions,
  strict: false,
  noResolve: true,
  typeRoots: [],
  paths: { tollgate: ["./tollgate.ts"], "tollgate/gateway": ["./tollgate.ts"] },
};

/**
 * Types of packages are not in the archive: their imports are `any`. The bundler reports packages that are missing in
 * the archive.
 */
const ofPackage = /^Cannot find module '[^.'].*\(TS2307\)$/;

/** Returns type errors in the project's modules, without tests. Takes about 0.1 s in a separate process. */
export async function checkTypes({ files }: ProjectFiles, limits = defaultLimits): Promise<BuildMessage[]> {
  const modules = [...files].filter(([path]) => /^modules\/.*\.(ts|js|json)$/.test(path) && !isTest(path));
  if (!modules.some(([path]) => path.endsWith(".ts"))) return [];
  const folder = await mkdtemp(join(tmpdir(), "tollgate-types-"));
  try {
    await fill(folder, modules);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const { cpuSeconds, mebibytes } = limits;
  const ulimits = [cpuSeconds, mebibytes * 1024].map(String);
  const compiler = Bun.spawn(["/bin/sh", "-c", script, "sh", compilerPath(), folder, ...ulimits], {
    cwd: "/",
    env: {},
    stdin: "ignore",
    stderr: "ignore",
  });
  const output = await new Response(compiler.stdout).text();
  const code = await compiler.exited;
  const messages = output.split("\n").flatMap((line) => messageOf(line, folder) ?? []);
  const hasPackages = [...files.keys()].some((path) => path.startsWith("packages/"));
  if (code === 0 || messages.length > 0)
    return hasPackages ? messages.filter(({ message }) => !ofPackage.test(message)) : messages;
  return [
    {
      file: "",
      line: 0,
      column: 0,
      message: `The types of the modules could not be checked within ${cpuSeconds} s of CPU time and ${mebibytes} MiB.`,
    },
  ];
}

async function fill(folder: string, modules: [string, Uint8Array][]): Promise<void> {
  const config = { compilerOptions: options, files: ["tollgate.ts", ...modules.map(([path]) => path)] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  await copyFile(
    programBeside("authoring.ts") ?? join(import.meta.dir, "../authoring.ts"),
    join(folder, "tollgate.ts"),
  );
  for (const [path, content] of modules) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

function isTest(path: string): boolean {
  return /\.(test|spec)\.(ts|js)$/.test(path);
}

/**
 * The native program, which is in a separate package for each platform: the script around it would start Node first.
 */
function compilerPath(): string {
  const beside = programBeside("typescript/tsc");
  if (beside) return beside;
  const typescript = dirname(Bun.resolveSync("typescript/package.json", import.meta.dir));
  const platform = `@typescript/typescript-${process.platform}-${process.arch}`;
  return join(dirname(Bun.resolveSync(`${platform}/package.json`, typescript)), "lib/tsc");
}

/** `modules/hello.ts(7,9): error TS2322: Type …`; lines that begin with spaces continue the previous one. */
function messageOf(line: string, folder: string): BuildMessage | undefined {
  const match = /^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/.exec(line);
  if (!match) return undefined;
  const [, path = "", row, column, code, text] = match;
  const file = path.slice(path.lastIndexOf("modules/"));
  return { file, line: Number(row), column: Number(column), message: `${text} (${code})`.replaceAll(`${folder}/`, "") };
}
