import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { errorAt } from "../lib/errors.ts";
import { Button } from "./button.tsx";
import { FieldError, type Option, Select } from "./field.tsx";

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

interface ListProps extends Pick<RowsProps<string>, "legend" | "one" | "hint" | "rows" | "onChange"> {
  placeholder?: string;
  /** The values to choose from; without them they are typed. */
  options?: Option[];
  /** The JSON pointer of the list, to which these errors belong. */
  at: string;
  errors: Record<string, string>;
}

/** One value in each row. */
export function ListField({ placeholder, options, at, errors, ...rows }: ListProps) {
  return (
    <>
      <Rows {...rows} empty="">
        {(value, set, index) => {
          const error = errorAt(errors, `${at}/${index}`);
          const control = {
            className: "input mono",
            "aria-label": `${rows.one} ${index + 1}`,
            "aria-invalid": error !== undefined,
            value,
            onChange: ({ target }: { target: { value: string } }) => set(target.value),
          };
          return (
            <div className="field">
              {options ? (
                <Select {...control} options={optionsWith(options, value, "Choose…")} />
              ) : (
                <input {...control} placeholder={placeholder} autoComplete="off" spellCheck={false} />
              )}
              <FieldError error={error} />
            </div>
          );
        }}
      </Rows>
      <FieldError error={errors[at]} />
    </>
  );
}

/** What is entered, without empty rows. */
export const listOf = (rows: string[]): string[] => rows.flatMap((row) => row.trim() || []);

/** Options for a choice that may be none, and that may be a value which is not, or not yet, among them. */
export function optionsWith(known: Option[], chosen: string, none = "None"): Option[] {
  const isKnown = chosen === "" || known.some(({ value }) => value === chosen);
  return [{ value: "", label: none }, ...(isKnown ? [] : [{ value: chosen, label: chosen }]), ...known];
}
