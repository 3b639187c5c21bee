/** The route that a path matches. */
export interface Found<Target> {
  template: string;
  params: Readonly<Record<string, string>>;
  /** By method. */
  targets: Readonly<Record<string, Target>>;
}

interface Leaf<Target> {
  template: string;
  names: string[];
  targets: Record<string, Target>;
}

/** A node of the segment tree. Members are created on demand: there are many nodes. */
interface Node<Target> {
  literals: Map<string, Node<Target>> | undefined;
  /** Segments such as `{id}.json`; those with more literal text first. */
  mixed: { parts: string[]; node: Node<Target> }[] | undefined;
  whole: Node<Target> | undefined;
  leaf: Leaf<Target> | undefined;
}

/** An upstream that decodes before it resolves dot segments would see another path than the one matched. */
const hiddenDots = /^\.{1,2}[/\\]|[/\\]\.{1,2}(?:[/\\]|$)/;

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Matches paths against OpenAPI path templates. From left to right, a literal segment wins over a partial parameter, which
 * wins over a whole parameter. An unmatched path is tried again with or without its trailing slash. Matching takes linear
 * time.
 */
export class PathRouter<Target> {
  readonly #root = newNode<Target>();
  /** Templates without parameters: they have precedence, and most requests match one. */
  readonly #literal = new Map<string, Found<Target>>();

  add(template: string, method: string, target: Target): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of template.slice(1).split("/")) node = childFor(node, segment, names);
    node.leaf ??= { template, names, targets: Object.create(null) as Record<string, Target> };
    node.leaf.targets[method] ??= target;
    if (names.length === 0 && !template.includes("%"))
      this.#literal.set(template, { template, params: noParams, targets: node.leaf.targets });
  }

  /** Undefined if nothing matches; "invalid" if the path cannot be decoded or has dot segments behind `%2f` or `%5c`. */
  find(path: string): Found<Target> | "invalid" | undefined {
    const literal = this.#literal.get(path);
    if (literal) return literal;
    const segments = path.slice(1).split("/");
    if (path.includes("%")) {
      for (const [at, segment] of segments.entries()) {
        const decoded = decode(segment);
        if (decoded === undefined || hiddenDots.test(decoded)) return "invalid";
        segments[at] = decoded;
      }
    }
    const values: string[] = [];
    let leaf = walk(this.#root, segments, 0, values);
    if (!leaf && path !== "/") {
      if (segments.at(-1) === "") segments.pop();
      else segments.push("");
      values.length = 0;
      leaf = walk(this.#root, segments, 0, values);
    }
    return leaf && { template: leaf.template, params: paramsOf(leaf, values), targets: leaf.targets };
  }
}

function newNode<Target>(): Node<Target> {
  return { literals: undefined, mixed: undefined, whole: undefined, leaf: undefined };
}

function childFor<Target>(node: Node<Target>, segment: string, names: string[]): Node<Target> {
  const parts = segment.split(/\{([^{}]*)\}/);
  if (parts.length === 1) {
    node.literals ??= new Map();
    // A template may be written with escapes or without.
    const literal = decode(segment) ?? segment;
    const child = node.literals.get(literal) ?? newNode<Target>();
    node.literals.set(literal, child);
    return child;
  }
  names.push(...parts.filter((_, index) => index % 2 === 1));
  const literals = parts.filter((_, index) => index % 2 === 0).map((text) => decode(text) ?? text);
  if (literals.length === 2 && literals.join("") === "") {
    node.whole ??= newNode();
    return node.whole;
  }
  node.mixed ??= [];
  const key = literals.join("{}");
  const known = node.mixed.find(({ parts }) => parts.join("{}") === key);
  if (known) return known.node;
  const added = { parts: literals, node: newNode<Target>() };
  node.mixed.push(added);
  node.mixed.sort((one, other) => other.parts.join("").length - one.parts.join("").length);
  return added.node;
}

function walk<Target>(node: Node<Target>, segments: string[], at: number, values: string[]): Leaf<Target> | undefined {
  if (at === segments.length) return node.leaf;
  const segment = segments[at]!;
  const literal = node.literals?.get(segment);
  if (literal) {
    const leaf = walk(literal, segments, at + 1, values);
    if (leaf) return leaf;
  }
  if (segment === "") return undefined;
  const known = values.length;
  if (node.mixed) {
    for (const { parts, node: child } of node.mixed) {
      const leaf = readMixed(segment, parts, values) ? walk(child, segments, at + 1, values) : undefined;
      if (leaf) return leaf;
      values.length = known;
    }
  }
  if (node.whole) {
    values.push(segment);
    const leaf = walk(node.whole, segments, at + 1, values);
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

function decode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}
