import { CircleAlert } from "lucide-react";
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { errorAt } from "../lib/errors.ts";
import { useReportShown } from "./shown-errors.tsx";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  isOptional?: boolean;
  /** Marks the field as required, where most are optional. */
  isRequired?: boolean;
  className?: string;
  children: (ids: { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean }) => ReactNode;
}

/** A label, its control and its error. */
export function Field({ label, hint, error, isOptional, isRequired, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const described = error !== undefined || hint !== undefined ? hintId : undefined;
  return (
    <div className={`field ${className ?? ""}`}>
      <label className="field-label" htmlFor={id}>
        {label}
        {isOptional && <span className="field-optional"> (optional)</span>}
        {isRequired && <span className="required">required</span>}
      </label>
      {children({ id, "aria-describedby": described, "aria-invalid": error !== undefined })}
      {error !== undefined ? (
        <FieldError id={hintId} error={error} />
      ) : (
        hint !== undefined && (
          <p className="field-hint" id={hintId}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}

/** The error of a field or of a group of fields. */
export function FieldError({ error, id }: { error: string | undefined; id?: string }) {
  useReportShown(error);
  if (error === undefined) return null;
  return (
    <p className="field-error" id={id} role="alert">
      <CircleAlert size={16} aria-hidden />
      <span>{error}</span>
    </p>
  );
}

/** A visible label for a control in a row, whose accessible name also says which row it is in. */
export function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="labelled">
      <span className="field-label" aria-hidden>
        {label}
      </span>
      {children}
    </span>
  );
}

interface RowInputProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  error?: string | undefined;
  isMono?: boolean;
}

/** A text input in a row. Its label is visible, its accessible name also says which row it is in. */
export function RowInput({ label, error, isMono, ...control }: RowInputProps & { "aria-label": string }) {
  const look = isMono ? "mono" : control.inputMode ? "number" : "";
  return (
    <Labelled label={label}>
      <input {...control} className={`input ${look}`} aria-invalid={error !== undefined} />
    </Labelled>
  );
}

type Shared = Pick<FieldProps, "label" | "hint" | "error" | "isOptional"> & { isWide?: boolean; isMono?: boolean };

/** Separates the properties of the field from those of its control. */
function partsOf<Control>({ label, hint, error, isOptional = false, isWide, isMono, ...control }: Shared & Control) {
  const field = { label, hint, error, isOptional, className: isWide ? "wide" : "" };
  return { field, control, className: `input ${isMono ? "mono" : ""}` };
}

export function TextField({
  suggestions = [],
  ...props
}: Shared & InputHTMLAttributes<HTMLInputElement> & { suggestions?: string[] }) {
  const { field, control, className } = partsOf(props);
  const list = useId();
  return (
    <Field {...field}>
      {(ids) => (
        <>
          <input
            type="text"
            autoComplete="off"
            spellCheck={false}
            {...control}
            {...ids}
            {...(suggestions.length > 0 && { list })}
            className={className}
          />
          {suggestions.length > 0 && (
            <datalist id={list}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

export function TextArea(props: Shared & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { field, control, className } = partsOf(props);
  return (
    <Field {...field}>{(ids) => <textarea spellCheck={false} {...control} {...ids} className={className} />}</Field>
  );
}

export interface Option {
  value: string;
  label: string;
}

/** The options of a choice: labels by value, or values that are their own labels. */
export const optionsOf = (all: Record<string, string> | Iterable<string>): Option[] =>
  Symbol.iterator in all
    ? [...all].map((value) => ({ value, label: value }))
    : Object.entries(all).map(([value, label]) => ({ value, label }));

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  options: Option[];
  error?: string | undefined;
}

/** A choice without a visible label. */
export function Select({ options, error, ...control }: SelectProps & { ref?: Ref<HTMLSelectElement> }) {
  return (
    <select className="input" aria-invalid={error !== undefined} {...control}>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

export function SelectField({ options, ...props }: Shared & SelectProps) {
  const { field, control, className } = partsOf(props);
  return <Field {...field}>{(ids) => <Select {...control} {...ids} className={className} options={options} />}</Field>;
}

export function Checkbox({
  label,
  hint,
  ...input
}: { label: string; hint?: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="checkbox">
      <input {...input} type="checkbox" />
      <span>
        {label}
        {hint && <span className="field-hint"> {hint}</span>}
      </span>
    </label>
  );
}

interface ChoicesProps {
  legend: string;
  name: string;
  options: Option[];
  value: string;
  onChange: (value: string) => void;
}

/** A few choices in a row, as radio buttons. */
export function Choices({ legend, name, options, value, onChange }: ChoicesProps) {
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label className="choice" key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

/** The names of the fields that have values of a type. */
type KeyOf<Form, Value> = { [Name in keyof Form]: Form[Name] extends Value ? Name : never }[keyof Form] & string;

/** The props that bind a text input to a value, or a select, whose options are the values of the type. */
export const bindInput = <Value extends string>(value: Value, set: (value: Value) => void, error?: string) => ({
  value,
  error,
  onChange: (event: { target: { value: string } }) => set(event.target.value as Value),
});

interface Options {
  /** The JSON pointer of the form in the request, if it is a part of it. */
  at?: string;
  /** Removes white space around the text while it is typed. */
  isTrimmed?: boolean;
}

/**
 * Binds inputs to the fields of a form object: `<TextField label="Name" {...field("name")} />`. The pointer of a field's
 * error is its name, unless another is given.
 */
export function bindForm<Form>(
  form: Form,
  setForm: (form: Form) => void,
  errors: Record<string, string>,
  { at = "", isTrimmed = false }: Options = {},
) {
  const set = (name: string, value: string | boolean) => setForm({ ...form, [name]: value });
  return {
    field: (name: KeyOf<Form, string>, pointer = `${at}/${name}`) =>
      bindInput(form[name] as string, (text) => set(name, isTrimmed ? text.trim() : text), errorAt(errors, pointer)),
    checkbox: (name: KeyOf<Form, boolean>) => ({
      checked: form[name] as boolean,
      onChange: (event: { target: { checked: boolean } }) => set(name, event.target.checked),
    }),
  };
}
