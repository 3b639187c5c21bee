import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type Findings, fileStart } from "./findings.ts";
import { LineIndex } from "./line-index.ts";
import type { Path, SourceDocument } from "./source-document.ts";

const meanings: Record<string, string> = {
  InvalidSymbol: "this is not a JSON value",
  InvalidNumberFormat: "this is not a JSON number",
  PropertyNameExpected: "a name in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: "a colon is expected here",
  CommaExpected: "a comma is expected here",
  CloseBraceExpected: "a closing brace is expected here",
  CloseBracketExpected: "a closing bracket is expected here",
  EndOfFileExpected: "the end of the file is expected here",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfString: "a string is not terminated",
  InvalidUnicode: "this is not a Unicode escape",
  InvalidEscapeCharacter: "this escape is invalid",
  InvalidCharacter: "a string may not contain this character unescaped",
};

export function readJson(file: string, text: string, findings: Findings): SourceDocument | undefined {
  const lines = new LineIndex(text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  for (const [index, { error, offset }] of errors.entries()) {
    // A second error at the same place follows from the first.
    if (errors[index - 1]?.offset === offset) continue;
    const meaning = meanings[printParseErrorCode(error)] ?? "this is not valid";
    findings.error(file, lines.positionOf(offset), `not JSON: ${meaning}`);
  }
  if (errors.length > 0 || !root) return undefined;
  if (hasDuplicates(root, (offset, name) => findings.error(file, lines.positionOf(offset), duplicate(name)))) {
    return undefined;
  }
  return {
    file,
    value: readValue(file, text, findings),
    positionOf: (path) => lines.positionOf(nearest(root, path).offset),
    positionOfKey(path) {
      const node = findNodeAtLocation(root, [...path]);
      const key = node?.parent?.type === "property" ? node.parent : nearest(root, path);
      return lines.positionOf(key.offset);
    },
  };
}

/** Uses JSON.parse, which treats a member named `__proto__` like any other. */
function readValue(file: string, text: string, findings: Findings): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    findings.error(file, fileStart, `not JSON: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function nearest(root: Node, path: Path): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return node;
  }
  return root;
}

function hasDuplicates(node: Node, report: (offset: number, name: string) => void): boolean {
  let found = false;
  const names = new Set<string>();
  for (const child of node.children ?? []) {
    const key = child.type === "property" ? child.children?.[0] : undefined;
    if (key) {
      if (names.has(key.value)) {
        report(key.offset, key.value);
        found = true;
      }
      names.add(key.value);
    }
    if (hasDuplicates(child, report)) found = true;
  }
  return found;
}

function duplicate(name: string): string {
  return `the member "${name}" is defined twice`;
}
