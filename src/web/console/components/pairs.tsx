import { Plus, X } from "lucide-react";
import { isJsonObject } from "../../../lib/text/json-object.ts";
import { Button } from "../../components/button.tsx";

export type Pair = { id: number; name: string; value: string };
export type TagValue = string | number | boolean;

let nextId = 1;

export const pairsOf = (tags: Record<string, TagValue> | undefined): Pair[] =>
  Object.entries(tags ?? {}).map(([name, value]) => ({
    id: nextId++,
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
  label: string;
  pairs: Pair[];
  onChange: (pairs: Pair[]) => void;
}

export function PairsEditor({ label, pairs, onChange }: PairsEditorProps) {
  const change = (id: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)));
  return (
    <div className="pairs">
      {pairs.map(({ id, name, value }, index) => (
        <div className="pair" key={id}>
          <input
            className="input"
            aria-label={`${label} ${index + 1} name`}
            placeholder="name"
            value={name}
            onChange={(event) => change(id, { name: event.target.value })}
          />
          <input
            className="input"
            aria-label={`${label} ${index + 1} value`}
            placeholder="value"
            value={value}
            onChange={(event) => change(id, { value: event.target.value })}
          />
          <Button
            icon={X}
            kind="quiet"
            isIcon
            aria-label={`Remove ${label.toLowerCase()} ${index + 1}`}
            onClick={() => onChange(pairs.filter((pair) => pair.id !== id))}
          />
        </div>
      ))}
      <div>
        <Button isSmall onClick={() => onChange([...pairs, { id: nextId++, name: "", value: "" }])}>
          <Plus size={14} aria-hidden />
          Add {label.toLowerCase()}
        </Button>
      </div>
    </div>
  );
}

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
