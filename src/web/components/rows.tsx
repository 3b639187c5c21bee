import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

interface RowsProps<Row> {
  legend: string;
  /** One of them, for the buttons: "tax". */
  one: string;
  hint?: string;
  rows: Row[];
  /** A row that was just added. */
  empty: Row;
  onChange: (rows: Row[]) => void;
  children: (row: Row, set: (row: Row) => void, index: number) => ReactNode;
}

/** Fields that repeat, with a button to add a row and one to remove each. */
export function Rows<Row>({ legend, one, hint, rows, empty, onChange, children }: RowsProps<Row>) {
  return (
    <fieldset className="choices choices-stacked">
      <legend>{legend}</legend>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and are controlled.
        <div className="field-row" key={index}>
          {children(row, (changed) => onChange(rows.with(index, changed)), index)}
          <Button
            icon={X}
            kind="quiet"
            isIcon
            aria-label={`Remove ${one} ${index + 1}`}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...rows, empty])}>
          Add {one}
        </Button>
      </div>
      {hint && <p className="field-hint">{hint}</p>}
    </fieldset>
  );
}
