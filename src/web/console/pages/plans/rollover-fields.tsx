import { FieldError } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import type { RolloverForm } from "./price-form.ts";

interface Props {
  /** The meter, as the labels of the fields name it. */
  meter: string;
  rollover: RolloverForm;
  errors: Record<string, string>;
  onChange: (rollover: RolloverForm) => void;
}

/** How many unused units of a meter the next periods have in addition. */
export function RolloverFields({ meter, rollover, errors, onChange }: Props) {
  const field = (name: keyof RolloverForm, label: string, placeholder: string) => {
    const error = errorAt(errors, `/rollover/${meter}/${name}`);
    return (
      <input
        className="input number"
        aria-label={label}
        aria-invalid={error !== undefined}
        placeholder={placeholder}
        inputMode="decimal"
        value={rollover[name]}
        onChange={(event) => onChange({ ...rollover, [name]: event.target.value })}
      />
    );
  };
  return (
    <div className="stack stack-tight rate">
      <div className="row row-wrap rollover">
        <span>Carry over up to</span>
        {field("maximum", `Carried over of ${meter}`, "none")}
        <span>unused units, for</span>
        {field("periods", `Periods until carried over ${meter} expire`, "1")}
        <span>periods</span>
      </div>
      <FieldError error={errorAt(errors, `/rollover/${meter}`)} />
    </div>
  );
}
