import {
  Composer,
  CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  type YAMLMap,
} from "yaml";
import { maxDepth, maxPaths, maxValues, tooDeep, tooMany, tooManyPaths } from "./document-limits.ts";
import { type Findings, fileStart } from "./findings.ts";
import { LineIndex } from "./line-index.ts";
import type { Path, SourceDocument } from "./source-document.ts";

type Report = (offset: number, message: string) => void;

export function readYaml(file: string, text: string, findings: Findings): SourceDocument | undefined {
  const lines = new LineIndex(text);
  const at = (offset: number) => lines.positionOf(offset);
  let allowsUsage = true;
  const report: Report = (offset, message) => {
    allowsUsage = false;
    if (!findings.isFull) findings.error(file, at(offset), message);
  };
  const tokens = tokensOf(text, report);
  const document = tokens && compose(tokens, text.length, report);
  if (!document || !allowsUsage) return undefined;
  return {
    file,
    value: readValue(file, document, findings),
    positionOf: (path) => at(find(document, path).value),
    positionOfKey: (path) => at(find(document, path).key),
  };
}

/** A document has at least as many names and values as tokens of one of these kinds. */
const kinds: Record<string, string> = {
  scalar: "node",
  "single-quoted-scalar": "node",
  "double-quoted-scalar": "node",
  alias: "node",
  "flow-seq-start": "node",
  "flow-map-start": "node",
  "seq-item-ind": "item",
  "explicit-key-ind": "key",
  "map-value-ind": "value",
  comma: "comma",
};

/**
 * Stops at the document's limits. Composing the document takes far more memory and time, which grows with the square of
 * the depth.
 */
function tokensOf(text: string, report: Report): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const counts = new Map<string, number>();
  const paths = new PathCounter();
  let isContent = false;
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    for (const token of parser.next(lexeme)) tokens.push(token);
    const type = isContent ? undefined : (CST.tokenType(lexeme) ?? undefined);
    const kind = type && kinds[type];
    const count = kind ? (counts.get(kind) ?? 0) + 1 : 0;
    if (kind) counts.set(kind, count);
    if (isContent || type?.endsWith("quoted-scalar")) paths.scalar(lexeme);
    else if (type === "map-value-ind") paths.endOfName(parser.stack.length);
    isContent = lexeme === CST.SCALAR;
    const problem =
      // The stack also contains the document itself, and possibly a scalar.
      parser.stack.length > maxDepth + 2
        ? tooDeep
        : count > maxValues
          ? tooMany
          : paths.count > maxPaths
            ? tooManyPaths
            : undefined;
    if (problem) {
      report(offset, problem);
      return undefined;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** Counts the members of the top-level member `paths` that are names of paths, from tokens. */
class PathCounter {
  count = 0;
  #scalar = "";
  #isInPaths = false;

  scalar(source: string): void {
    this.#scalar = source.replace(/^["']/, "");
  }

  /**
   * Called when the last scalar is the name of a member. `depth` is the depth of its collection, counted from the
   * document.
   */
  endOfName(depth: number): void {
    if (depth === 2) this.#isInPaths = /^paths["']?$/.test(this.#scalar);
    else if (depth === 3 && this.#isInPaths && this.#scalar.startsWith("/")) this.count += 1;
  }
}

function compose(tokens: CST.Token[], length: number, report: Report): Document | undefined {
  const composer = new Composer({
    schema: "core",
    prettyErrors: false,
    resolveKnownTags: false,
    merge: false,
    logLevel: "error",
    // The composer compares each name with all previous ones: 60,000 paths would take minutes. Checked below instead.
    uniqueKeys: false,
  });
  const [document, another] = composer.compose(tokens, true, length);
  if (!document) return undefined;
  // Its only warnings are about unknown tags, whose values would be undefined: they are errors.
  for (const { pos, message } of [...document.errors, ...document.warnings]) report(pos[0], `not YAML: ${message}`);
  if (another) report(another.range[0], "not YAML that can be used: the file has more than one document");
  reportDuplicates(document.contents, report);
  return document;
}

function reportDuplicates(node: unknown, report: Report): void {
  if (isPair(node)) {
    reportDuplicates(node.key, report);
    reportDuplicates(node.value, report);
  } else if (isSeq(node)) {
    for (const item of node.items) reportDuplicates(item, report);
  } else if (isMap(node)) {
    const names = new Set<string>();
    for (const pair of node.items) {
      const { key } = pair;
      if (isScalar(key)) {
        const name = String(key.value ?? "");
        if (names.has(name)) report(offsetOf(key, 0), `not YAML: the member "${name}" is defined twice`);
        names.add(name);
      }
      reportDuplicates(pair, report);
    }
  }
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

/** The offsets of the last value that the path reaches, and of its name. */
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

/** The pairs of maps that were searched, by name: each of many errors in a large map would walk all of it. */
const pairsOf = new WeakMap<YAMLMap, Map<string, Step>>();

function pairOf(map: YAMLMap, name: string | number): Step | undefined {
  let pairs = pairsOf.get(map);
  if (!pairs) {
    pairs = new Map();
    for (const { key, value } of map.items)
      if (isScalar(key)) pairs.set(String(key.value ?? ""), { key, value: value as Node | null });
    pairsOf.set(map, pairs);
  }
  return pairs.get(String(name));
}

function itemOf(items: unknown[], index: string | number): Step | undefined {
  const item = items[Number(index)] as Node | undefined;
  return item && { key: item, value: item };
}

function offsetOf(node: Node | null, otherwise: number): number {
  return node?.range?.[0] ?? otherwise;
}
