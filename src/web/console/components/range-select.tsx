import { ranges } from "../queries/range.ts";

export function RangeSelect({ value, onChange }: { value: string; onChange: (range: string) => void }) {
  return (
    <select
      className="input input-narrow"
      aria-label="Range"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {Object.entries(ranges).map(([name, { label }]) => (
        <option key={name} value={name}>
          Last {label}
        </option>
      ))}
    </select>
  );
}
