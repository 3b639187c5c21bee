import { Checkbox, SelectField, TextField } from "../../../components/field.tsx";
import { placeOf } from "../../../lib/errors.ts";

/** The used members of a JSON Schema. */
export interface OptionSchema {
  type?: string;
  description?: string;
  default?: unknown;
  const?: string;
  enum?: string[];
  pattern?: string;
  anyOf?: OptionSchema[];
  items?: OptionSchema;
  properties?: Record<string, OptionSchema>;
  required?: string[];
}

/** Without references to variables, which every text may contain. */
const alternativesOf = (schema: OptionSchema): OptionSchema[] =>
  schema.anyOf?.flatMap(alternativesOf) ?? (schema.pattern?.startsWith("\\$") ? [] : [schema]);

type Kind = "number" | "flag" | "choice" | "list" | "amounts" | "text";

function kindOf(alternatives: OptionSchema[]): Kind {
  if (alternatives.some(({ type }) => type === "array")) return "list";
  const [{ type, enum: choices } = {} as OptionSchema] = alternatives;
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean") return "flag";
  if (type === "object") return "amounts";
  return choices ? "choice" : "text";
}

/** An option as the text of its field. */
export function optionText(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, amount]) => `${name}: ${typeof amount === "object" ? JSON.stringify(amount) : amount}`)
    .join(", ");
}

/** An option from the text of its field; undefined for the default. The build reports what is not valid. */
export function optionOf(schema: OptionSchema, text: string): unknown {
  if (text.trim() === "") return undefined;
  const alternatives = alternativesOf(schema);
  const kind = kindOf(alternatives);
  const number = (part: string) => (Number.isFinite(Number(part)) ? Number(part) : part);
  if (kind === "number") return number(text.trim());
  if (kind === "flag") return text === "true";
  if (kind === "choice" || kind === "text") return text.trim();
  const parts = text.split(",").flatMap((part) => part.trim() || []);
  if (kind === "amounts")
    return Object.fromEntries(
      parts.map((part) => {
        const [name = "", amount = "1"] = part.split(/\s*[:=]\s*/);
        return [name, number(amount)];
      }),
    );
  const isSingle = alternatives.some(({ type, const: only }) => type === "string" && (only ?? parts[0]) === parts[0]);
  if (parts.length === 1 && isSingle) return parts[0];
  const items = alternatives.flatMap(({ items: of }) => (of ? alternativesOf(of) : []));
  return parts.map((part) => (items.some(({ type }) => type === "integer") ? number(part) : part));
}

/** The values of an option that exist, such as buckets, by its name. */
export type Choices = Record<string, { value: string; label: string }[]>;

interface Props {
  schema: OptionSchema;
  choices: Choices;
  /** By name, as text; absent ones have their default. */
  values: Record<string, string>;
  onChange: (name: string, text: string) => void;
}

/** A field for each option: those that are required or set first, the others folded away. */
export function OptionFields({ schema: { properties = {}, required = [] }, choices, values, onChange }: Props) {
  const names = Object.keys(properties);
  const isOpen = (name: string) => required.includes(name) || values[name] !== undefined;
  // Those to enter come before those to choose, which have a default.
  const first = [...required, ...names.filter((name) => !required.includes(name) && isOpen(name))];
  const more = names.filter((name) => !isOpen(name));
  const field = (name: string) => (
    <OptionField
      key={name}
      name={name}
      schema={properties[name]!}
      choices={choices[name] ?? []}
      isOptional={!required.includes(name)}
      value={values[name] ?? ""}
      onChange={(text) => onChange(name, text)}
    />
  );
  return (
    <>
      {first.map(field)}
      {more.length > 0 && (
        <details className="fold">
          <summary>More options</summary>
          <div className="stack">{more.map(field)}</div>
        </details>
      )}
    </>
  );
}

interface FieldProps {
  name: string;
  schema: OptionSchema;
  choices: Choices[string];
  isOptional: boolean;
  value: string;
  onChange: (text: string) => void;
}

function OptionField({ name, schema, choices, isOptional, value, onChange }: FieldProps) {
  const alternatives = alternativesOf(schema);
  const kind = kindOf(alternatives);
  const label = placeOf(`/${name}`);
  // Backticks are for editors, which show descriptions as Markdown.
  const hint = schema.description?.replaceAll("`", "");
  const byDefault = optionText(schema.default);
  if (kind === "flag")
    return (
      <Checkbox
        label={label}
        hint={hint}
        checked={(value || byDefault) === "true"}
        onChange={(event) => onChange(String(event.target.checked))}
      />
    );
  const shared = {
    label,
    hint,
    isOptional: isOptional && byDefault === "",
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (kind === "choice") {
    const known = new Set([
      ...(byDefault || !isOptional ? [] : [""]),
      ...(alternatives[0]!.enum ?? []),
      value || byDefault,
    ]);
    return (
      <SelectField
        {...shared}
        value={value || byDefault}
        options={[...known].map((each) => ({ value: each, label: each || "No" }))}
      />
    );
  }
  if (kind === "text" && choices.length > 0) {
    const isKnown = choices.some((each) => each.value === value);
    return (
      <SelectField
        {...shared}
        value={value}
        options={[...(isKnown ? [] : [{ value, label: value || "Choose one" }]), ...choices]}
      />
    );
  }
  return (
    <TextField
      {...shared}
      suggestions={choices.map((each) => each.value)}
      {...(kind === "number" ? { inputMode: "numeric" } : { isMono: true })}
      placeholder={byDefault || (kind === "amounts" ? "requests: 1" : "")}
      value={value}
      // A new value replaces the old one, rather than being typed after it.
      onFocus={(event) => event.target.select()}
    />
  );
}
