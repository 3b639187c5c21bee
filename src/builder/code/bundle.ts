import { SourceMap } from "node:module";
import { posix } from "node:path";
import type { AnyNode } from "acorn";
import { build, type Loader, type Location, type Message, type OnLoadResult, type Plugin, transform } from "esbuild";
import type { ProjectFiles } from "../archive/project-files.ts";
import { type Findings, fileStart, type Position } from "../documents/findings.ts";

/**
 * `import(…)` and `require(…)` with an argument that is not a string literal, also with something between name and
 * parenthesis.
 */
const suspicious =
  /\b(?:import|require)\s*(?:\.\s*\w+\s*)?(?:\?\.\s*)?\((?!\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*[,)])/;

/**
 * Finds imports whose path is computed at run time. esbuild would bundle every file that such an import could match,
 * and lists folders of the real disk to find them, whatever its plugins resolve: it must never get one. The search uses
 * the module as printed by esbuild: JavaScript without types, in a normalized form. Only a suspicious module is parsed,
 * because the match may be in a comment, a string or a regular expression.
 */
async function findComputedImport(code: string, loader: Loader): Promise<Position | undefined> {
  const printed = await print(code, loader);
  if (!printed || !suspicious.test(printed.code)) return undefined;
  const offset = await findInSyntax(printed.code);
  return offset === undefined ? undefined : sourcePosition(printed, offset);
}

interface Printed {
  code: string;
  map: string;
}

async function print(code: string, loader: Loader): Promise<Printed | undefined> {
  try {
    return await transform(code, {
      loader,
      target: "esnext",
      tsconfigRaw: {},
      logLevel: "silent",
      charset: "utf8",
      sourcemap: "external",
      sourcesContent: false,
    });
  } catch {
    // The module cannot be parsed: the bundler reports that and fails too.
    return undefined;
  }
}

async function findInSyntax(code: string): Promise<number | undefined> {
  const { parse } = await import("acorn");
  try {
    const program = parse(code, { ecmaVersion: "latest", sourceType: "module", allowReturnOutsideFunction: true });
    return findNode(program);
  } catch {
    // Syntax that esbuild supports and the parser does not, such as decorators: the match counts as an import.
    return code.search(suspicious);
  }
}

/** Not recursive: a module may be nested deeper than the stack. */
function findNode(program: AnyNode): number | undefined {
  const open: unknown[] = [program];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (isComputedImport(value as AnyNode)) return (value as AnyNode).start;
    for (const child of Object.values(value)) if (typeof child === "object" && child !== null) open.push(child);
  }
  return undefined;
}

function isComputedImport(node: AnyNode): boolean {
  if (node.type === "ImportExpression") return !isText(node.source);
  if (node.type !== "CallExpression") return false;
  const { callee, arguments: values } = node;
  const called = callee.type === "MemberExpression" ? callee.object : callee;
  return called.type === "Identifier" && called.name === "require" && !isText(values[0]);
}

function isText(node: AnyNode | undefined): boolean {
  return node?.type === "Literal" && typeof node.value === "string";
}

function sourcePosition({ code, map }: Printed, offset: number): Position {
  const before = code.slice(0, offset).split("\n");
  const entry = new SourceMap(JSON.parse(map)).findEntry(before.length - 1, before.at(-1)!.length);
  if (!("originalLine" in entry)) return { line: 1, column: 1 };
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

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
