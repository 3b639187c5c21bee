import { alternativePaths, decode, decodedSegments, foldSegment, isFolded, readSegments } from "./path-readings.ts";

/** The route that a path matches. */
export interface FoundRoute<Target> {
  template: string;
  params: Readonly<Record<string, string>>;
  /** The routes of the path by method. */
  targets: Readonly<Record<string, Target>>;
}

interface Leaf<Target> {
  template: string;
  names: string[];
  targets: Record<string, Target>;
}

/** A node of the segment tree. Members are created on demand: there are many nodes. */
class Node<Target> {
  literals: Map<string, Node<Target>> | undefined;
  /** Children for segments of text and parameters, such as `{id}.json`; those with more text first. */
  mixed: Mixed<Target>[] | undefined;
  mixedByText: Map<string, Mixed<Target>> | undefined;
  /** The child for a segment that is one parameter, such as `{id}`. */
  parameter: Node<Target> | undefined;
  leaf: Leaf<Target> | undefined;
  /** The route of a template that ends here in `{name+}`. */
  rest: Leaf<Target> | undefined;
}

interface Mixed<Target> {
  parts: string[];
  textLength: number;
  node: Node<Target>;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Matches paths against OpenAPI path templates. From left to right, a literal segment wins over a mixed one
 * (`{id}.json`), which wins over a parameter (`{id}`). An unmatched path is tried again with or without its trailing
 * slash, and then against templates that end in `{name+}`, which matches one or more segments. Matching visits each
 * node of the tree at most three times.
 */
export class PathRouter<Target> {
  readonly #root = new Node<Target>();
  /** Templates without parameters. They have precedence, and most requests match one. */
  readonly #literal = new Map<string, FoundRoute<Target>>();
  /**
   * All templates with folded literals, to compare with paths that match a catch-all. Templates that are equal when
   * folded share a leaf, which lists them as `targets.templates`.
   */
  readonly #folded = new Node<Set<string>>();
  /** Whether folding changes a literal of a template. */
  #hasUnfoldedLiterals = false;

  /** If `isStrict`, a path is invalid if an upstream may match it to another template. */
  constructor(private readonly isStrict = false) {}

  /** Does nothing if an equivalent template has a target for the method already. */
  add(template: string, method: string, target: Target): void {
    const leaf = leafFor(this.#root, template, (literal) => literal);
    leaf.targets[method] ??= target;
    if (leaf.names.length === 0 && !template.includes("%"))
      this.#literal.set(template, { template, params: noParams, targets: leaf.targets });
    if (!this.isStrict) return;
    if (!isFolded(template.replace(/\{[^{}]*\}/g, ""))) this.#hasUnfoldedLiterals = true;
    const { targets } = leafFor(this.#folded, template, foldSegment);
    targets.templates ??= new Set();
    targets.templates.add(template);
  }

  /**
   * Returns undefined if nothing matches. Returns "invalid" if the path cannot be decoded, has dot segments behind
   * `%2f` or `%5c`, or is ambiguous and the router is strict.
   */
  find(path: string): FoundRoute<Target> | "invalid" | undefined {
    const literal = this.#literal.get(path);
    if (literal) return literal;
    const segments = decodedSegments(path);
    if (!segments) return "invalid";
    const values: string[] = [];
    const leaf = match(this.#root, segments, values);
    if (!leaf) return undefined;
    // A path that equals a template without parameters is not ambiguous.
    if (this.isStrict && leaf.names.length > 0 && this.#isAmbiguous(path, leaf)) return "invalid";
    return { template: leaf.template, params: paramsOf(leaf, values), targets: leaf.targets };
  }

  #isAmbiguous(path: string, { template }: Leaf<Target>): boolean {
    const others = alternativePaths(path);
    if (!others) return true;
    for (const reading of others) {
      const leaf = match(this.#root, readSegments(reading), []);
      if (leaf && leaf.template !== template) return true;
    }
    if (!catchAll.test(template)) return false;
    // Upstreams may ignore case. Without this check, a path in another spelling would bypass its template and match a
    // catch-all.
    return [path, ...others].some((reading) => {
      // Folding would change nothing, and the path itself was matched above.
      if (!this.#hasUnfoldedLiterals && isFolded(reading)) return false;
      const leaf = match(this.#folded, readSegments(reading).map(foldSegment), []);
      return leaf !== undefined && !leaf.targets.templates!.has(template);
    });
  }
}

const catchAll = /\/\{[^{}/]+\+\}$/;

/** Creates the nodes of a template. `fold` is applied to literal text. */
function leafFor<Target>(root: Node<Target>, template: string, fold: (literal: string) => string): Leaf<Target> {
  const names: string[] = [];
  const rest = catchAll.exec(template);
  const segments = (rest ? template.slice(0, rest.index) : template).split("/").slice(1);
  let node = root;
  for (const segment of segments) node = childFor(node, segment, names, fold);
  if (rest) names.push(rest[0].slice(2, -2));
  const leaf = (rest ? node.rest : node.leaf) ?? {
    template,
    names,
    targets: Object.create(null) as Record<string, Target>,
  };
  if (rest) node.rest = leaf;
  else node.leaf = leaf;
  return leaf;
}

/** Fills `values` with the values of the parameters. */
function match<Target>(root: Node<Target>, segments: string[], values: string[]): Leaf<Target> | undefined {
  const exact = walk(root, segments, 0, values);
  if (exact) return exact;
  values.length = 0;
  if (segments.length > 1 || segments[0] !== "") {
    const other = segments.at(-1) === "" ? segments.slice(0, -1) : [...segments, ""];
    const leaf = walk(root, other, 0, values);
    if (leaf) return leaf;
    values.length = 0;
  }
  return walkRest(root, segments, 0, values);
}

function childFor<Target>(
  node: Node<Target>,
  segment: string,
  names: string[],
  fold: (literal: string) => string,
): Node<Target> {
  const parts = segment.split(/\{([^{}]*)\}/);
  if (parts.length === 1) {
    node.literals ??= new Map();
    // A template may contain escapes or the characters themselves.
    const literal = fold(decode(segment) ?? segment);
    const child = node.literals.get(literal) ?? new Node<Target>();
    node.literals.set(literal, child);
    return child;
  }
  names.push(...parts.filter((_, index) => index % 2 === 1));
  const literals = parts.filter((_, index) => index % 2 === 0).map((text) => fold(decode(text) ?? text));
  if (literals.length === 2 && literals.join("") === "") {
    node.parameter ??= new Node();
    return node.parameter;
  }
  node.mixed ??= [];
  node.mixedByText ??= new Map();
  const text = literals.join("{}");
  const known = node.mixedByText.get(text);
  if (known) return known.node;
  const added = { parts: literals, textLength: literals.join("").length, node: new Node<Target>() };
  node.mixedByText.set(text, added);
  node.mixed.splice(node.mixed.findLastIndex(({ textLength }) => textLength >= added.textLength) + 1, 0, added);
  return added.node;
}

function walk<Target>(node: Node<Target>, segments: string[], at: number, values: string[]): Leaf<Target> | undefined {
  return at === segments.length ? node.leaf : walkChildren(node, segments, at, values, walk);
}

/** Like `walk`, for templates that end in `{name+}`: the longest one wins. */
function walkRest<Target>(
  node: Node<Target>,
  segments: string[],
  at: number,
  values: string[],
): Leaf<Target> | undefined {
  if (at === segments.length) return undefined;
  const leaf = walkChildren(node, segments, at, values, walkRest);
  if (leaf || !node.rest) return leaf;
  const rest = segments.slice(at);
  if (rest.every((segment) => segment === "")) return undefined;
  values.push(rest.join("/"));
  return node.rest;
}

function walkChildren<Target>(
  node: Node<Target>,
  segments: string[],
  at: number,
  values: string[],
  go: typeof walk<Target>,
): Leaf<Target> | undefined {
  const segment = segments[at]!;
  const literal = node.literals?.get(segment);
  if (literal) {
    const leaf = go(literal, segments, at + 1, values);
    if (leaf) return leaf;
  }
  if (segment === "") return undefined;
  const known = values.length;
  if (node.mixed) {
    for (const { parts, node: child } of node.mixed) {
      const leaf = readMixed(segment, parts, values) ? go(child, segments, at + 1, values) : undefined;
      if (leaf) return leaf;
      values.length = known;
    }
  }
  if (node.parameter) {
    values.push(segment);
    const leaf = go(node.parameter, segments, at + 1, values);
    if (leaf) return leaf;
    values.length = known;
  }
  return undefined;
}

/**
 * Matches literals with a parameter between each two. A parameter is the shortest non-empty text before the next literal;
 * the last one extends to the final literal.
 */
function readMixed(segment: string, literals: string[], values: string[]): boolean {
  const last = literals.length - 1;
  if (!segment.startsWith(literals[0]!) || !segment.endsWith(literals[last]!)) return false;
  const end = segment.length - literals[last]!.length;
  let from = literals[0]!.length;
  for (let index = 1; index < last; index++) {
    const to = segment.indexOf(literals[index]!, from + 1);
    if (to === -1) return false;
    values.push(segment.slice(from, to));
    from = to + literals[index]!.length;
  }
  if (from >= end) return false;
  values.push(segment.slice(from, end));
  return true;
}

function paramsOf<Target>({ names }: Leaf<Target>, values: string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return noParams;
  const params: Record<string, string> = {};
  for (let index = 0; index < names.length; index++) params[names[index]!] = values[index]!;
  return params;
}
