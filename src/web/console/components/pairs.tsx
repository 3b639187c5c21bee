import { Plus, X } from "lucide-react";
import { isJsonObject } from "../../../lib/text/json-object.ts";
import { Button } from "../../components/button.tsx";
import { capitalized } from "../../lib/format.ts";

export type Pair = { name: string; value: string };
export type TagValue = string | number | boolean;

export const pairsOf = (tags: Record<string, TagValue> | undefined): Pair[] =>
  Object.entries(tags ?? {}).map(([name, value]) => ({
    name,
    value: JSON.stringify(value).replace(/^"(.*)"$/s, "$1"),
  }));

/** `true` and numbers keep their type; everything else is text. */
export function tagsOf(pairs: Pair[]): Record<string, TagValue> {
  return Object.fromEntries(pairs.filter(({ name }) => name !== "").map(({ name, value }) => [name, typedTag(value)]));
}

/** The value of a tag that was entered as text. */
export function typedTag(value: string): TagValue {
  if (value === "true" || value === "false") return value === "true";
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(value) ? Number(value) : value;
}

interface PairsEditorProps {
  /** The noun for one pair: "tag". */
  one: string;
  /** Above the rows, of which screen readers then say the names instead of their numbers. */
  legend?: string;
  pairs: Pair[];
  onChange: (pairs: Pair[]) => void;
}

/** Names with values, in rows. */
export function PairsEditor({ one, legend, pairs, onChange }: PairsEditorProps) {
  const Box = legend ? "fieldset" : "div";
  return (
    <Box className="pairs">
      {legend && <legend className="field-label">{legend}</legend>}
      {pairs.map((pair, index) => {
        const { name, value, remove } = legend ? namedLabels(one, pair) : numberedLabels(one, index + 1);
        const input = (field: keyof Pair, label: string) => (
          <input
            className={legend ? "input mono" : "input"}
            aria-label={label}
            placeholder={legend ? capitalized(field) : field}
            autoComplete="off"
            spellCheck={false}
            value={pair[field]}
            onChange={(event) => onChange(pairs.with(index, { ...pair, [field]: event.target.value }))}
          />
        );
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are edited
          <div className="pair" key={index}>
            {input("name", name)}
            {input("value", value)}
            <Button
              icon={X}
              kind="quiet"
              isIcon
              aria-label={remove}
              onClick={() => onChange(pairs.toSpliced(index, 1))}
            />
          </div>
        );
      })}
      <div>
        <Button isSmall onClick={() => onChange([...pairs, { name: "", value: "" }])}>
          <Plus size={14} aria-hidden />
          Add {one}
        </Button>
      </div>
    </Box>
  );
}

const numberedLabels = (one: string, number: number) => ({
  name: `${capitalized(one)} ${number} name`,
  value: `${capitalized(one)} ${number} value`,
  remove: `Remove ${one} ${number}`,
});

const namedLabels = (one: string, { name }: Pair) => ({
  name: `Name of the ${one}`,
  value: name === "" ? `Value of the ${one}` : `${name} (${one})`,
  remove: `Remove the ${one} ${name}`,
});

/** Metadata is any JSON object: undefined for an empty field, an Error if the text is not an object. */
export function objectOf(text: string): Record<string, unknown> | undefined | Error {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
    return new Error('must be a JSON object, such as {"seats": 12}');
  } catch (error) {
    return new Error(`is not valid JSON: ${(error as Error).message}`);
  }
}

/** `plan=gold`. A name without a value matches nothing: if it were ignored, a bulk change would match all consumers. */
export function tagFilterOf(text = ""): [name: string, value: string] | [] {
  if (text === "") return [];
  const at = text.indexOf("=");
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [text, ""];
}
