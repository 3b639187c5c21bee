import { posix } from "node:path";

/** A source file, by its path below the scanned folder. */
export interface SourceFile {
  path: string;
  /** The code without comments and types. */
  code: string;
  /** Imported files, by their paths below the folder. */
  imports: string[];
  packages: string[];
}

/** Runs in workerd, with modules and a clock of its own. */
const sandboxed = "gateway/sandbox/runtime/";

export async function readSourceFiles(folder: string): Promise<SourceFile[]> {
  const paths = [...new Bun.Glob("**/*.{ts,tsx,js}").scanSync(folder)].filter(
    (path) => !/\.test\.tsx?$|(^|\/)node_modules\//.test(path) && !path.startsWith(sandboxed),
  );
  return Promise.all(paths.sort().map(async (path) => sourceFile(path, await Bun.file(`${folder}/${path}`).text())));
}

export function sourceFile(path: string, text: string): SourceFile {
  const specifiers = statements.flatMap((statement) => [...text.matchAll(statement)].map((match) => match[1]!));
  const { ours = [], packages = [] } = Object.groupBy(specifiers, (name) =>
    name.startsWith(".") ? "ours" : "packages",
  );
  return {
    path,
    code: transpiler.transformSync(text, path.endsWith("x") ? "tsx" : "ts"),
    imports: ours.map((specifier) => posix.join(posix.dirname(path), specifier)),
    packages,
  };
}

const transpiler = new Bun.Transpiler();

/** Read from the text, because a transpiler drops `import type`. */
const statements = [
  /^\s*import\s+(?:[\w$*{}\s,]+?\sfrom\s+)?"([^"]+)"/gm,
  /^\s*export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"\s*\)/g,
];

/** Each import cycle once, as `a → b → a`. */
export function importCircles(files: SourceFile[]): string[] {
  return circles(new Map(files.map((file) => [file.path, file.imports])));
}

/** Import cycles between folders: a folder and its subfolders are different. */
export function folderCircles(files: SourceFile[]): string[] {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = posix.dirname(file.path);
    const others = file.imports.map((imported) => posix.dirname(imported)).filter((other) => other !== folder);
    imports.set(folder, new Set([...(imports.get(folder) ?? []), ...others]));
  }
  return circles(imports);
}

function circles(importsOf: Map<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const found: string[] = [];

  function visit(path: string, way: string[]): void {
    if (way.includes(path)) {
      found.push([...way.slice(way.indexOf(path)), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const imported of importsOf.get(path) ?? []) visit(imported, [...way, path]);
    done.add(path);
  }

  for (const path of importsOf.keys()) visit(path, []);
  return found;
}
