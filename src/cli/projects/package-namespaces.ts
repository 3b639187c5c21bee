import { posix } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";

/** How all exports of a package are exported again. Node's `import * as` and `import()` return the same names. */
export type Namespace =
  /** An ES module: its names are known, and the server removes those that are not used. */
  | { kind: "static"; hasDefault: boolean }
  /** CommonJS, or an ES module that exports all of a CommonJS module: its names are known when it runs. */
  | { kind: "dynamic" };

const entryNamespace = "namespace";

/** Finds out of each package what kind of namespace it has. The options are those of the build without its entries. */
export async function findNamespaces(
  packages: readonly string[],
  folder: string,
  options: BuildOptions,
): Promise<Map<string, Namespace>> {
  if (packages.length === 0) return new Map();
  const { outputFiles = [], warnings } = await build({
    ...options,
    plugins: [...(options.plugins ?? []), probes(folder)],
    entryPoints: packages.map((name, index) => ({ in: `${entryNamespace}:${name}`, out: String(index) })),
  });
  // esbuild warns about `all.default` if the module does not export it.
  const withoutDefault = new Set(
    warnings.filter(({ id }) => id === "import-is-undefined").map((one) => one.location?.file),
  );
  return new Map(
    packages.map((name, index): [string, Namespace] => {
      const output = outputFiles.find(({ path }) => posix.basename(path) === `${index}.js`)!.text;
      if (copiesNames(output)) return [name, { kind: "dynamic" }];
      return [name, { kind: "static", hasDefault: !withoutDefault.has(`${entryNamespace}:${name}`) }];
    }),
  );
}

/** Whether the entry, which is last in the output, copies names at run time. */
function copiesNames(output: string): boolean {
  const start = output.lastIndexOf(`\n// ${entryNamespace}:`);
  return start !== -1 && output.slice(start).includes("__reExport(");
}

function probes(folder: string): Plugin {
  return {
    name: "namespaces",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${entryNamespace}:`) }, ({ path }) => ({
        path: path.slice(entryNamespace.length + 1),
        namespace: entryNamespace,
      }));
      onLoad({ filter: /.*/, namespace: entryNamespace }, ({ path }) => {
        const source = JSON.stringify(path);
        const contents = `export * from ${source}; import * as all from ${source}; void all.default;`;
        return { contents, resolveDir: folder, loader: "js" };
      });
    },
  };
}

const bundleEnd = ".namespace";

/** The output, without `.js`, for an import. */
export function outputFor(specifier: string, namespace: Namespace | undefined): string {
  return namespace?.kind === "dynamic" ? specifier + bundleEnd : specifier;
}

/** The import that an output belongs to. */
export function specifierOf(output: string): string {
  return output.endsWith(bundleEnd) ? output.slice(0, -bundleEnd.length) : output;
}

/** The module that is bundled for an import. It exports the names that are used; without a namespace, only `names`. */
export function entryFor(specifier: string, names: ReadonlySet<string>, namespace: Namespace | undefined): string {
  const source = JSON.stringify(specifier);
  if (namespace?.kind === "dynamic") return `import * as namespace from ${source}; export { namespace };`;
  const single = new Set(names);
  single.delete("*");
  if (namespace?.hasDefault) single.add("default");
  return [
    namespace ? `export * from ${source};` : `import ${source};`,
    single.size > 0 ? `export { ${[...single].sort().join(", ")} } from ${source};` : "",
  ].join("\n");
}

/**
 * The file of the archive for an import with a dynamic namespace. It is CommonJS, whose names the server's bundler
 * copies at run time; `__esModule` keeps that from replacing `default`.
 */
export function dynamicModule(specifier: string) {
  const bundle = JSON.stringify(`./${posix.basename(specifier)}${bundleEnd}.js`);
  const code = [
    `const { namespace } = require(${bundle});`,
    'if (!namespace.__esModule) Object.defineProperty(namespace, "__esModule", { value: true });',
    "module.exports = namespace;",
    "",
  ];
  return { path: `packages/${specifier}.js`, content: new TextEncoder().encode(code.join("\n")) };
}
