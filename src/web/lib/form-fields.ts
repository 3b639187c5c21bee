import { errorAt } from "./errors.ts";

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
