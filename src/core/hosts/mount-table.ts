import { alternativePaths, decodedSegments, foldSegment, readSegments } from "../../lib/http/path-readings.ts";

/** A path prefix of a custom domain, and the deployment that serves it. */
export interface Mount {
  /** `/`, or segments without a trailing slash. */
  path: string;
  deploymentName: string;
  /** Whether the deployment sees paths without the prefix. */
  stripPath?: boolean | undefined;
}

interface Node {
  children: Map<string, Node>;
  mount: Mount | undefined;
}

/**
 * Selects the mount of a path: the longest prefix of whole segments wins. A path that an upstream may interpret as one
 * of another mount is invalid, so that no spelling bypasses the deployment which guards a prefix.
 */
export class MountTable {
  readonly #exact = newNode();
  readonly #folded = newNode();

  constructor(mounts: readonly Mount[]) {
    for (const mount of mounts) {
      add(this.#exact, segmentsOf(mount.path), mount);
      add(this.#folded, segmentsOf(mount.path).map(foldSegment), mount);
    }
  }

  /** Returns undefined if no mount matches, and "invalid" if the path cannot be decoded or is ambiguous. */
  find(path: string): Mount | "invalid" | undefined {
    const segments = decodedSegments(path);
    if (!segments) return "invalid";
    const mount = longest(this.#exact, segments);
    const readings = alternativePaths(path);
    if (!readings) return "invalid";
    const all = [segments, ...readings.map(readSegments)];
    return all.every((reading) => longest(this.#folded, reading.map(foldSegment)) === mount) ? mount : "invalid";
  }
}

/** The path as the deployment sees it. Segments are counted in the raw path: escapes stay as sent. */
export function mountedPath({ path: prefix, stripPath }: Mount, path: string): string {
  if (!stripPath || prefix === "/") return path;
  const rest = path.split("/").slice(prefix.split("/").length);
  return `/${rest.join("/")}`;
}

/** The same for all prefixes that some servers do not distinguish. */
export function foldedPath(path: string): string {
  return `/${segmentsOf(path).map(foldSegment).join("/")}`;
}

function segmentsOf(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

function newNode(): Node {
  return { children: new Map(), mount: undefined };
}

function add(root: Node, segments: string[], mount: Mount): void {
  let node = root;
  for (const segment of segments) {
    const child = node.children.get(segment) ?? newNode();
    node.children.set(segment, child);
    node = child;
  }
  node.mount = mount;
}

function longest(root: Node, segments: string[]): Mount | undefined {
  let node: Node | undefined = root;
  let found = root.mount;
  for (const segment of segments) {
    node = node.children.get(segment);
    if (!node) break;
    found = node.mount ?? found;
  }
  return found;
}
