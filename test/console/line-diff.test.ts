import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type DiffLine, diffLines, hunksOf } from "../../src/web/lib/line-diff.ts";

const only = (lines: DiffLine[], ...kinds: DiffLine["kind"][]) =>
  lines.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);

/** The length of the longest common subsequence, by the textbook algorithm. */
function longestCommon(old: string[], next: string[]): number {
  let row = new Array<number>(next.length + 1).fill(0);
  for (const line of old) {
    const above = row;
    row = [0];
    for (const [index, other] of next.entries())
      row.push(line === other ? above[index]! + 1 : Math.max(above[index + 1]!, row[index]!));
  }
  return row.at(-1)!;
}

const texts = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 24 });

describe("a diff of lines", () => {
  test("is the shortest edit script from the old text to the new", () => {
    fc.assert(
      fc.property(texts, texts, (old, next) => {
        const [before, after] = [
          [...old, "end"],
          [...next, "end"],
        ];
        const lines = diffLines(before.join("\n"), after.join("\n"));
        expect(only(lines, "same", "removed")).toEqual(before);
        expect(only(lines, "same", "added")).toEqual(after);
        expect(only(lines, "same").length).toBe(longestCommon(before, after));
      }),
      { numRuns: 300 },
    );
  });

  test("a diff of lines of texts with nothing in common replaces all, also where they are long", () => {
    const lines = diffLines("a\n".repeat(3000), "b\n".repeat(3000));
    expect(only(lines, "removed").length).toBe(3000);
    expect(only(lines, "added").length).toBe(3000);
    expect(diffLines("", "a")).toEqual([{ kind: "added", text: "a" }]);
    expect(diffLines("a\n", "a")).toEqual([{ kind: "same", text: "a" }]);
  });

  test("is shown with context around each change", () => {
    const before = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const after = before.with(50, "another").with(90, "one more");
    const hunks = hunksOf(diffLines(before.join("\n"), after.join("\n")));
    expect(hunks.map(({ skipped, lines }) => [skipped, lines.length])).toEqual([
      [47, 8],
      [33, 8],
    ]);
    expect(hunksOf(diffLines("a", "a"))).toEqual([]);
  });
});
