import { parse } from "acorn";
import { type Loader, transform } from "esbuild";

/** The names that modules import from a package; `*` for all of them. */
export type ImportedNames = Map<string, Set<string>>;

/** Whether a specifier names a package, not a file or the types of Tollgate. */
export function isPackage(specifier: string): boolean {
  return !/^(?:\.{0,2}\/|tollgate(?:\/|$))/.test(specifier);
}

/**
 * Adds the imports of a module, which is parsed after its types are removed. A module that cannot be parsed adds none.
 */
export async function addImports(code: string, loader: Loader, names: ImportedNames): Promise<void> {
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
