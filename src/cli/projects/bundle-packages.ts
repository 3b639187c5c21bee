import { readdir, readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { parse } from "acorn";
import {
  type BuildFailure,
  type BuildOptions,
  build,
  type Loader,
  type Message,
  type Plugin,
  transform,
} from "esbuild";
import {
  dynamicModule,
  entryFor,
  findNamespaces,
  type Namespace,
  outputFor,
  specifierOf,
} from "./package-namespaces.ts";

interface BundledPackages {
  /** Files of the archive, below `packages/`. */
  files: { path: string; content: Uint8Array<ArrayBuffer> }[];
}

/** Errors that prevent bundling, each with its position. */
export class PackageErrors extends Error {
  constructor(readonly errors: { file: string; line: number; column: number; message: string }[]) {
    super(errors.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`).join("\n"));
  }
}

/** The Node modules that the sandbox provides. */
const available = new Set(["node:async_hooks"]);

/**
 * Bundles the packages that a project's modules import from its `node_modules`: one file for each import, and files for
 * shared code. Unused exports are removed. Throws PackageErrors.
 */
export async function bundlePackages(folder: string): Promise<BundledPackages> {
  const modules = await modulesOf(folder);
  const names: ImportedNames = new Map();
  for (const path of modules) await addImports(await readFile(join(folder, path), "utf8"), loaderOf(path), names);
  if (names.size === 0) return { files: [] };
  const packages = [...names.keys()].sort();
  const optionsWith = (namespaces: ReadonlyMap<string, Namespace>): BuildOptions => ({
    entryPoints: packages.map((name) => ({ in: `${entryPrefix}${name}`, out: outputFor(name, namespaces.get(name)) })),
    plugins: [entries(names, namespaces, folder)],
    splitting: true,
    ...common(folder),
  });
  const buildWith = (namespaces: ReadonlyMap<string, Namespace>) => {
    const options = optionsWith(namespaces);
    return build({ ...options, plugins: [...options.plugins!, rejectNode] });
  };
  try {
    await build({
      entryPoints: modules.map((path) => join(folder, path)),
      plugins: [checkInstalled(names)],
      ...common(folder),
    });
    const whole = packages.filter((name) => names.get(name)!.has("*"));
    const namespaces = await findNamespaces(whole, folder, { ...common(folder), plugins: [rejectNode] }).catch(
      async (error) => {
        // Reports the errors of all packages at once.
        await buildWith(new Map());
        throw error;
      },
    );
    const { outputFiles = [] } = await buildWith(namespaces);
    const bundles = outputFiles.map(({ path, contents }) => ({
      path: relative(folder, path),
      content: new Uint8Array(contents),
    }));
    const dynamic = whole.filter((name) => namespaces.get(name)?.kind === "dynamic");
    return { files: [...bundles, ...dynamic.map(dynamicModule)] };
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (!errors) throw error;
    const chainTo = errors.some(isRejected) ? await importChains(optionsWith(new Map())) : String;
    throw new PackageErrors(errors.map((message) => errorOf(message, chainTo)));
  }
}

const common = (folder: string) =>
  ({
    absWorkingDir: folder,
    bundle: true,
    write: false,
    outdir: "packages",
    format: "esm",
    target: "esnext",
    platform: "neutral",
    mainFields: ["browser", "module", "main"],
    conditions: ["workerd", "worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    tsconfigRaw: {},
  }) satisfies BuildOptions;

async function modulesOf(folder: string): Promise<string[]> {
  const paths = await readdir(join(folder, "modules"), { recursive: true }).catch(() => []);
  return paths
    .filter((path) => /\.(ts|js)$/.test(path) && !/\.(test|spec|d)\.\w+$/.test(path) && !path.includes("node_modules"))
    .sort()
    .map((path) => `modules/${path}`);
}

const loaderOf = (path: string) => (path.endsWith(".ts") ? "ts" : "js");

/** Reports packages that are not installed, in the module that imports them. */
function checkInstalled(names: ImportedNames): Plugin {
  return {
    name: "installed",
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...options }) => {
        if (pluginData === "inner" || options.kind === "entry-point") return undefined;
        if (!isPackage(path) || !names.has(path)) return { path, external: true };
        if (available.has(path)) return { path, external: true };
        if (isOfNode(path))
          return { errors: [{ text: `"${path}" is a module of Node: the sandbox does not have it` }] };
        const { errors } = await resolve(path, { ...options, pluginData: "inner" });
        if (errors.length === 0) return { path, external: true };
        return {
          errors: [{ text: `"${path}" is not in node_modules: install it, for example with npm install ${path}` }],
        };
      });
      // Missing local files are reported by the server.
      onResolve({ filter: /^\./ }, ({ path }) => ({ path, external: true }));
    },
  };
}

const entryPrefix = "tollgate-package:";
const entryNamespace = "entry";

/** An entry module for each import, which exports the names that are used. */
function entries(names: ImportedNames, namespaces: ReadonlyMap<string, Namespace>, folder: string): Plugin {
  return {
    name: "entries",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${entryPrefix}`) }, ({ path }) => ({
        path: path.slice(entryPrefix.length),
        namespace: entryNamespace,
      }));
      onLoad({ filter: /.*/, namespace: entryNamespace }, ({ path }) => ({
        contents: entryFor(path, names.get(path)!, namespaces.get(path)),
        resolveDir: folder,
        loader: "js",
      }));
    },
  };
}

const ofNode = new RegExp(`^(?:node:|bun:|(?:${builtinModules.join("|")})(?:/|$))`);

function isOfNode(path: string): boolean {
  return ofNode.test(path);
}

/**
 * Imports of code that workerd cannot run. esbuild resolves all other imports without the plugin: its `resolve` for plugins reads
 * the folders again in every call, which took eight seconds of CPU time for four packages.
 */
const unavailable = { filter: new RegExp(`${ofNode.source}|\\.node$`) };

/** Marks errors that get the chain of imports. */
const rejected = "rejected";
const isRejected = ({ detail }: Pick<Message, "detail">): boolean => detail === rejected;

const rejectNode: Plugin = {
  name: "reject-node",
  setup({ onResolve }) {
    onResolve(unavailable, ({ path }) => {
      if (available.has(path)) return { path, external: true };
      const what = path.endsWith(".node") ? "native code" : "a module of Node";
      return { errors: [{ text: `"${path}" is ${what}, which the sandbox cannot run`, detail: rejected }] };
    });
  },
};

const ignoreNode: Plugin = {
  name: "ignore-node",
  setup({ onResolve }) {
    onResolve(unavailable, ({ path }) => ({ path, external: true }));
  },
};

type ImportChain = (file: string) => string;

/** The shortest chain of imports to a file, from a package that a module imports. Only the file if other imports fail too. */
async function importChains(options: BuildOptions): Promise<ImportChain> {
  const importers = new Map<string, string>();
  const { metafile } = await build({ ...options, plugins: [...options.plugins!, ignoreNode], metafile: true }).catch(
    () => ({ metafile: undefined }),
  );
  const { inputs = {} } = metafile ?? {};
  const reached = new Set(Object.keys(inputs).filter((file) => file.startsWith(`${entryNamespace}:`)));
  // Iterating a set also visits items that are added meanwhile: breadth first.
  for (const file of reached)
    for (const { path } of inputs[file]?.imports ?? [])
      if (!reached.has(path)) {
        reached.add(path);
        importers.set(path, file);
      }
  return (file) => {
    const chain = [file];
    for (let next = importers.get(file); next !== undefined; next = importers.get(next)) chain.unshift(next);
    return chain.map((path) => path.replace(`${entryNamespace}:`, "")).join(" → ");
  };
}

function errorOf({ text, location, detail }: Message, chainTo: ImportChain): PackageErrors["errors"][number] {
  const { file = "", line = 0, column = -1, lineText = "" } = location ?? {};
  const message = isRejected({ detail }) ? `${text}; imported by ${chainTo(file)}` : text;
  return { file, line, column: Buffer.from(lineText).toString("utf8", 0, column).length + 1, message };
}

/** The sizes of the bundles, by import; code used by several is `shared`. */
export function packageSizes({ files }: BundledPackages): { name: string; bytes: number }[] {
  const sizes = new Map<string, number>();
  for (const { path, content } of files) {
    const name = /\/chunk-[A-Z0-9]+\.js$/.test(path)
      ? "shared"
      : specifierOf(path.slice("packages/".length, -".js".length));
    sizes.set(name, (sizes.get(name) ?? 0) + content.length);
  }
  return [...sizes].map(([name, bytes]) => ({ name, bytes }));
}

/** The names that modules import from a package; `*` for all of them. */
type ImportedNames = Map<string, Set<string>>;

/** Whether a specifier names a package, not a file or the types of Tollgate. */
function isPackage(specifier: string): boolean {
  return !/^(?:\.{0,2}\/|tollgate(?:\/|$))/.test(specifier);
}

/**
 * Adds the imports of a module, which is parsed after its types are removed. A module that cannot be parsed adds none.
 */
async function addImports(code: string, loader: Loader, names: ImportedNames): Promise<void> {
  const add = (specifier: unknown, ...imported: string[]) => {
    if (typeof specifier !== "string" || !isPackage(specifier)) return;
    const known = names.get(specifier) ?? new Set();
    for (const name of imported) known.add(name);
    names.set(specifier, known);
  };
  const program = await syntaxOf(code, loader);
  const open: unknown[] = [program];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const { type, source } = node as { type?: string; source?: { value?: unknown } };
    if (type === "ImportDeclaration") {
      const { specifiers } = node as unknown as { specifiers: ImportSpecifier[] };
      add(source?.value, ...specifiers.map(importedName));
    } else if (type === "ExportNamedDeclaration" && source) {
      const { specifiers } = node as unknown as { specifiers: { local: Name }[] };
      add(source.value, ...specifiers.map(({ local }) => nameOf(local)));
    } else if (type === "ExportAllDeclaration" || type === "ImportExpression") add(source?.value, "*");
    for (const child of Object.values(node)) if (typeof child === "object" && child !== null) open.push(child);
  }
}

type Name = { name?: string; value?: unknown };
type ImportSpecifier = { type: string; imported?: Name };

function importedName({ type, imported }: ImportSpecifier): string {
  if (type === "ImportDefaultSpecifier") return "default";
  return imported ? nameOf(imported) : "*";
}

function nameOf({ name, value }: Name): string {
  return name ?? String(value);
}

async function syntaxOf(code: string, loader: Loader): Promise<unknown> {
  try {
    const printed = await transform(code, { loader, target: "esnext", tsconfigRaw: {}, logLevel: "silent" });
    return parse(printed.code, { ecmaVersion: "latest", sourceType: "module" });
  } catch {
    // The server's build reports the syntax error with its position.
    return undefined;
  }
}
