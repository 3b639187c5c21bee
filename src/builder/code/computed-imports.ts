import { SourceMap } from "node:module";
import type { AnyNode } from "acorn";
import { type Loader, transform } from "esbuild";
import type { Position } from "../documents/findings.ts";

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
export async function findComputedImport(code: string, loader: Loader): Promise<Position | undefined> {
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
