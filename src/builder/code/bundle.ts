import { posix } from "node:path";
import { build, type Location, type Message, type OnLoadResult, type Plugin } from "esbuild";
import type { ProjectFiles } from "../archive/project-files.ts";
import { type Findings, fileStart, type Position } from "../documents/findings.ts";
import { findComputedImport } from "./computed-imports.ts";

export interface Bundle {
  code: string;
  /** The modules that export `onResponse`. */
  withOnResponse: ReadonlySet<string>;
}

/**
 * Bundles the named modules into one ES module. Every import is resolved from memory: esbuild never reads the disk, and
 * a file that is not in the project is an error.
 */
export async function bundleModules(
  used: string[],
  { files }: ProjectFiles,
  findings: Findings,
): Promise<Bundle | undefined> {
  try {
    const { outputFiles, warnings } = await build({
      stdin: { contents: entryFor(used), sourcefile: entryName, loader: "js" },
      plugins: [inMemory(files)],
      bundle: true,
      write: false,
      format: "esm",
      target: "esnext",
      platform: "neutral",
      charset: "utf8",
      // Maps stack traces to lines of the project. Source contents are not needed for that.
      sourcemap: "inline",
      sourcesContent: false,
      logLevel: "silent",
      // Set explicitly so that esbuild does not search for a tsconfig.
      tsconfigRaw: {},
      absWorkingDir: "/",
    });
    // The entry imports `onResponse` of each module: esbuild warns if a module does not export it.
    const without = new Set(warnings.filter(isMissingExport).map(({ location }) => used[location!.line - 1]));
    return { code: outputFiles[0]!.text, withOnResponse: new Set(used.filter((module) => !without.has(module))) };
  } catch (error) {
    const { errors } = error as { errors?: Message[] };
    if (!errors) throw error;
    for (const message of errors) report(message, used, findings);
    return undefined;
  }
}

const entryName = "all-modules.js";

/**
 * One line per module. The default export is also imported by name, so that esbuild reports a missing one. The second
 * import is unused and removed.
 */
function entryFor(used: string[]): string {
  const imports = used.map(
    (path, index) =>
      `import * as module${index} from ${JSON.stringify(path)}; import { default as _${index} } from ${JSON.stringify(path)}; void module${index}.onResponse;`,
  );
  const members = used.map((path, index) => `${JSON.stringify(path)}: module${index}`);
  return `${imports.join("\n")}\nexport default { ${members.join(", ")} };\n`;
}

function isMissingExport({ id, location }: Message): boolean {
  return id === "import-is-undefined" && location?.file === entryName;
}

function inMemory(files: Map<string, Uint8Array>): Plugin {
  return {
    name: "project",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, importer, namespace }) => {
        if (namespace !== "project") return { path, namespace: "project" };
        // The only Node module that the sandbox provides.
        if (path === "node:async_hooks" && importer.startsWith("packages/")) return { path, external: true };
        const found = resolveImport(path, importer, files);
        return found === undefined ? { errors: [{ text: unresolved(path) }] } : { path: found, namespace: "project" };
      });
      onLoad({ filter: /.*/ }, ({ path, namespace, with: attributes }) => load(path, namespace, attributes, files));
    },
  };
}

async function load(
  path: string,
  namespace: string,
  attributes: Record<string, string>,
  files: Map<string, Uint8Array>,
): Promise<OnLoadResult> {
  const content = files.get(path);
  // Without a result esbuild would search the disk.
  if (!content || namespace !== "project") return { errors: [{ text: "is not part of the project" }] };
  const loader = path.endsWith(".json") ? "json" : path.endsWith(".ts") ? "ts" : "js";
  const { type = loader, ...others } = attributes;
  if (type !== loader || Object.keys(others).length > 0) {
    return { errors: [{ text: `"${path}" can only be imported without attributes` }] };
  }
  const code = Buffer.from(content).toString();
  const position = loader === "json" ? undefined : await findComputedImport(code, loader);
  if (position === undefined) return { contents: code, loader };
  return {
    errors: [{ text: "an import must have a string literal as its path", location: locationOf(path, code, position) }],
  };
}

function locationOf(file: string, code: string, { line, column }: Position): Partial<Location> {
  const lineText = code.split("\n")[line - 1] ?? "";
  return { file, line, column: Buffer.byteLength(lineText.slice(0, column - 1)), lineText };
}

/**
 * Resolves a file of the project like TypeScript and Node: without the extension, as a folder, or with the output
 * extension. A package resolves to the file into which the CLI bundled it.
 */
function resolveImport(path: string, importer: string, files: Map<string, Uint8Array>): string | undefined {
  if (!/^\.\.?\//.test(path)) return files.has(`packages/${path}.js`) ? `packages/${path}.js` : undefined;
  const base = posix.join(posix.dirname(importer), path);
  const candidates = [
    base,
    `${base}.ts`,
    `${base}.js`,
    `${base}/index.ts`,
    `${base}/index.js`,
    base.replace(/\.js$/, ".ts"),
  ];
  const folder = importer.startsWith("packages/") ? "packages/" : "modules/";
  return candidates.find((candidate) => candidate.startsWith(folder) && files.has(candidate));
}

function unresolved(path: string): string {
  return /^\.\.?\//.test(path)
    ? `there is no "${path}" below modules/`
    : `cannot import "${path}": it is not in the archive; "tollgate deploy" and "tollgate pack" bundle packages from node_modules`;
}

function report({ text, location }: Message, used: string[], findings: Findings): void {
  const message = text.replaceAll("project:", "");
  if (!location) {
    findings.error("", { line: 0, column: 0 }, message);
  } else if (location.file === entryName) {
    // The only possible error there is a missing default export of the module in that line.
    const missing = "has no default export, which a handler or a policy must have";
    findings.error(used[location.line - 1]!, fileStart, missing);
  } else {
    findings.error(location.file.replace(/^project:/, ""), positionOf(location), message);
  }
}

/** esbuild counts columns from 0, in UTF-8 bytes. */
function positionOf({ line, column, lineText }: { line: number; column: number; lineText: string }): Position {
  return { line, column: Buffer.from(lineText).toString("utf8", 0, column).length + 1 };
}
