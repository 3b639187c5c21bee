import { CircleAlert } from "lucide-react";
import type { CsvItem } from "../../../../lib/text/csv-items.ts";
import { formatNumber } from "../../../lib/format.ts";
import type { Line } from "./file-kind.ts";

/** More would make the dialog slow, and few would be read. */
const maxShown = 50;

interface Props {
  caption: string;
  lines: Line[];
  describe: (item: CsvItem) => string;
}

/** Lines of a file, each with its content or its error. */
export function LineTable({ caption, lines, describe }: Props) {
  const more = lines.length - maxShown;
  return (
    <div className="stack stack-tight">
      <h3>{caption}</h3>
      <ul className="file-lines" aria-label={caption}>
        {lines.slice(0, maxShown).map(({ line, item, error }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line may have several errors, and the list does not change
          <li key={index}>
            <span className="muted number">Line {formatNumber(line)}</span>
            <span className="wrap-anywhere">
              {item && <span className="strong">{describe(item)} </span>}
              {error !== undefined && (
                <span className="file-error">
                  <CircleAlert size={14} aria-hidden /> {error}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted small">and {formatNumber(more)} more</p>}
    </div>
  );
}
