import { type Option, Select } from "./field.tsx";

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
    <Select
      className={isNarrow ? "input input-narrow" : "input"}
      aria-label={label}
      value={value ?? ""}
      options={[
        ...(all === undefined ? [] : [{ value: "", label: all }]),
        ...(known ? [] : [{ value, label: value }]),
        ...options,
      ]}
      onChange={(event) => onChange(event.target.value || undefined)}
    />
  );
}
