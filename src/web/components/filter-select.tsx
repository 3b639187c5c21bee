import type { Option } from "./field.tsx";

interface FilterSelectProps {
  label: string;
  /** The label of no selection. Without it, one of the options is always selected. */
  all?: string;
  isNarrow?: boolean;
  value: string | undefined;
  options: Option[];
  onChange: (value: string | undefined) => void;
}

/** A select with a few values. An unknown value from the URL is kept as an option. */
export function FilterSelect({ label, all, isNarrow, value, options, onChange }: FilterSelectProps) {
  const known = value === undefined || options.some((option) => option.value === value);
  return (
    <select
      className={isNarrow ? "input input-narrow" : "input"}
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      {all !== undefined && <option value="">{all}</option>}
      {!known && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
