import { Search, X } from "lucide-react";
import { useEffect, useState } from "react";

/** Sets the filter when Enter is pressed or the field is left; a set one stands as a chip. */
export function FilterField({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState("");
  useEffect(() => {
    if (value === undefined) setText("");
  }, [value]);
  if (value !== undefined)
    return (
      <span className="chip">
        {label.replace("Filter by ", "")}: {value}
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
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}
