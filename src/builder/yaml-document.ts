import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, visit, type YAMLMap } from "yaml";
import { type Findings, fileStart } from "./findings.ts";
import { LineIndex } from "./line-index.ts";
import type { Path, SourceDocument } from "./source-document.ts";

export function readYaml(file: string, text: string, findings: Findings): SourceDocument | undefined {
  const lines = new LineIndex(text);
  const document = parseDocument(text, {
    schema: "core",
    prettyErrors: false,
    resolveKnownTags: false,
    merge: false,
    logLevel: "error",
    // The parser compares each name with all before it: 60,000 paths would take minutes. Checked below instead.
    uniqueKeys: false,
  });
  // Its only warnings are of tags that it does not know: what they would make of a value is anybody's guess.
  const mistakes = [...document.errors, ...document.warnings];
  for (const { pos, message } of mistakes) findings.error(file, lines.positionOf(pos[0]), `not YAML: ${message}`);
  const hasDuplicates = reportDuplicates(document, (offset, name) =>
    findings.error(file, lines.positionOf(offset), `not YAML: the member "${name}" stands here twice`),
  );
  if (mistakes.length > 0 || hasDuplicates) return undefined;
  const at = (offset: number) => lines.positionOf(offset);
  return {
    file,
    value: readValue(file, document, findings),
    positionOf: (path) => at(find(document, path).value),
    positionOfKey: (path) => at(find(document, path).key),
  };
}

function reportDuplicates(document: Document, report: (offset: number, name: string) => void): boolean {
  let found = false;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value ?? "");
        if (names.has(name)) {
          report(offsetOf(key, 0), name);
          found = true;
        }
        names.add(name);
      }
    },
  });
  return found;
}

function readValue(file: string, document: Document, findings: Findings): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    findings.error(file, fileStart, `not YAML that can be used: ${error.message}`);
    return undefined;
  }
}

/** Offsets of the last value that the path reaches, and of its name. */
function find(document: Document, path: Path): { key: number; value: number } {
  let node = document.contents as Node | null;
  let found = { key: offsetOf(node, 0), value: offsetOf(node, 0) };
  for (const segment of path) {
    const container = isAlias(node) ? node.resolve(document) : node;
    const next = isMap(container)
      ? pairOf(container, segment)
      : isSeq(container)
        ? itemOf(container.items, segment)
        : undefined;
    if (!next) return found;
    const key = offsetOf(next.key, found.value);
    node = next.value;
    found = { key, value: offsetOf(node, key) };
  }
  return found;
}

interface Step {
  key: Node | null;
  value: Node | null;
}

function pairOf(map: YAMLMap, name: string | number): Step | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value ?? "") === String(name));
  return pair && { key: pair.key as Node, value: pair.value as Node | null };
}

function itemOf(items: unknown[], index: string | number): Step | undefined {
  const item = items[Number(index)] as Node | undefined;
  return item && { key: item, value: item };
}

function offsetOf(node: Node | null, otherwise: number): number {
  return node?.range?.[0] ?? otherwise;
}
