import { Field } from "../../../components/field.tsx";

const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

interface ColorFieldProps {
  label: string;
  value: string;
  /** The colour without a choice. */
  placeholder: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** A colour as text, with a swatch that opens the browser's picker. */
export function ColorField({ label, value, placeholder, error, onChange }: ColorFieldProps) {
  return (
    <Field label={label} isOptional error={error}>
      {(ids) => (
        <span className="row">
          <input
            className="swatch"
            type="color"
            aria-label={`${label}: picker`}
            value={isColor(value) ? value : placeholder}
            onChange={(event) => onChange(event.target.value)}
          />
          <input
            {...ids}
            className="input mono"
            type="text"
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        </span>
      )}
    </Field>
  );
}
