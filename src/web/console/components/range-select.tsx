import { FilterSelect } from "../../components/filter-select.tsx";
import { ranges } from "../queries/range.ts";

const options = Object.entries(ranges).map(([value, { label }]) => ({ value, label: `Last ${label}` }));

export function RangeSelect({ value, onChange }: { value: string; onChange: (range: string) => void }) {
  return <FilterSelect label="Range" isNarrow value={value} options={options} onChange={(next) => onChange(next!)} />;
}
