export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** With more differences the search would take seconds: the rest is shown as replaced. */
const maxEdits = 1000;

/** The shortest edit script between two texts, line by line (Myers, 1986), with removed lines before added ones. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const next = linesOf(after);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  return [
    ...old.slice(0, start).map((text) => ({ kind: "same" as const, text })),
    ...diffMiddle(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...old.slice(old.length - end).map((text) => ({ kind: "same" as const, text })),
  ];
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

function diffMiddle(old: string[], next: string[]): DiffLine[] {
  const most = Math.min(old.length + next.length, maxEdits);
  /** The furthest position in `old` on each diagonal; diagonal 0 is in the middle. */
  const reached = new Int32Array(2 * most + 3);
  const middle = most + 1;
  /** The state of `reached` before each edit. */
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reached.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [below, above] = [reached[middle + diagonal - 1]!, reached[middle + diagonal + 1]!];
      let x = isAddition(below, above, diagonal, edits) ? above : below + 1;
      while (x < old.length && x - diagonal < next.length && old[x] === next[x - diagonal]) x++;
      reached[middle + diagonal] = x;
      if (x >= old.length && x - diagonal >= next.length) return traceBack(trace, old, next);
    }
  }
  return [
    ...old.map((text) => ({ kind: "removed" as const, text })),
    ...next.map((text) => ({ kind: "added" as const, text })),
  ];
}

/** Whether a diagonal is reached by adding a line rather than by removing one. */
function isAddition(below: number, above: number, diagonal: number, edits: number): boolean {
  return diagonal === -edits || (diagonal !== edits && below < above);
}

function traceBack(trace: Int32Array[], old: string[], next: string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [old.length, next.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reached = trace[edits]!;
    const diagonal = x - y;
    const at = (other: number) => reached[other + edits + 1]!;
    const isAdded = isAddition(at(diagonal - 1), at(diagonal + 1), diagonal, edits);
    const from = isAdded ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : at(from);
    const fromY = edits === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      lines.push({ kind: "same", text: old[--x]! });
      y--;
    }
    if (edits === 0) break;
    if (isAdded) lines.push({ kind: "added", text: next[--y]! });
    else lines.push({ kind: "removed", text: old[--x]! });
  }
  return lines.reverse();
}

interface DiffHunk {
  /** The number of unchanged lines omitted before it. */
  skipped: number;
  lines: DiffLine[];
}

/** The changes with a few lines of context; unchanged lines between them are omitted. */
export function hunksOf(lines: DiffLine[], context = 3): DiffHunk[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, { kind }] of lines.entries())
    if (kind !== "same") isNear.fill(1, Math.max(index - context, 0), index + context + 1);
  const hunks: DiffHunk[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    if (!isNear[index]) {
      skipped++;
      continue;
    }
    if (skipped > 0 || hunks.length === 0) hunks.push({ skipped, lines: [] });
    skipped = 0;
    hunks.at(-1)!.lines.push(line);
  }
  return hunks;
}
