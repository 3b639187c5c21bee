import { plural } from "../lib/format.ts";
import { type DiffLine, diffLines, hunksOf } from "../lib/line-diff.ts";

/** Rendering more lines is slow in a browser. */
const maxLines = 1500;
const signs: Record<DiffLine["kind"], string> = { same: " ", removed: "−", added: "+" };
const words: Record<DiffLine["kind"], string> = { same: "", removed: "Removed: ", added: "Added: " };

/** The differences of two texts, with a few lines of context around each change. */
export function Diff({ label, before, after }: { label: string; before: string; after: string }) {
  const lines = diffLines(before, after);
  const hunks = hunksOf(lines);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  let shown = 0;
  const visible = hunks.filter((hunk) => {
    shown += hunk.lines.length;
    return shown - hunk.lines.length < maxLines;
  });
  return (
    <section className="diff" aria-label={label}>
      <div className="diff-head">
        <span className="strong">{label}</span>
        {hunks.length === 0 ? (
          <span className="muted">unchanged</span>
        ) : (
          <span className="muted">
            {plural(count("added"), "line")} added, {formatRemoved(count("removed"))}
          </span>
        )}
      </div>
      {visible.map((hunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hunks are in the order of the text
        <div key={index}>
          {hunk.skipped > 0 && <p className="diff-gap">{plural(hunk.skipped, "unchanged line")}</p>}
          <pre>
            {hunk.lines.slice(0, maxLines).map(({ kind, text }, line) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines are in the order of the text
              <span className="diff-line" data-kind={kind} key={line}>
                <i aria-hidden>{signs[kind]}</i>
                <span className="visually-hidden">{words[kind]}</span>
                {text}
                {"\n"}
              </span>
            ))}
          </pre>
        </div>
      ))}
      {shown > maxLines && <p className="diff-gap">The rest of {plural(shown, "line")} is not shown.</p>}
    </section>
  );
}

const formatRemoved = (count: number) => `${count} removed`;
