import { Search, X } from "lucide-react";
import { useEffect, useId, useState } from "react";

/** Sets the filter on Enter or when the field loses the focus; an active filter is shown as a chip. */
export function FilterField({
  label,
  placeholder,
  value,
  known = [],
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string | undefined;
  /** Values that are offered while typing. */
  known?: string[] | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState("");
  const listId = useId();
  useEffect(() => {
    if (value === undefined) setText("");
  }, [value]);
  if (value !== undefined)
    return (
      <span className="chip">
        <span className="truncate" title={value}>
          {label.replace("Filter by ", "")}: {value}
        </span>
        <button type="button" aria-label={`Remove the filter ${value}`} onClick={() => onChange(undefined)}>
          <X size={12} aria-hidden />
        </button>
      </span>
    );
  return (
    <form
      className="filter-input"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) onChange(text.trim());
      }}
    >
      <Search size={14} aria-hidden />
      <input
        className="input"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        {...(known.length > 0 ? { list: listId } : {})}
        onChange={(event) => {
          setText(event.target.value);
          // A value that was picked from the list applies at once; typed text waits for Enter.
          const isPicked =
            !("inputType" in event.nativeEvent) || event.nativeEvent.inputType === "insertReplacementText";
          if (isPicked && known.includes(event.target.value)) onChange(event.target.value);
        }}
      />
      {known.length > 0 && (
        <datalist id={listId}>
          {[...new Set(known)].map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </form>
  );
}

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
