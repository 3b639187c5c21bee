interface FilterSelectProps {
  label: string;
  /** The label of no selection. */
  all: string;
  value: string | undefined;
  options: { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

/** A select with a few values. An unknown value from the URL is kept as an option. */
export function FilterSelect({ label, all, value, options, onChange }: FilterSelectProps) {
  const known = value === undefined || options.some((option) => option.value === value);
  return (
    <select
      className="input"
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{all}</option>
      {!known && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
