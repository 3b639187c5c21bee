import { Plus, X } from "lucide-react";
import { Button } from "../../../../components/button.tsx";

export interface Pair {
  name: string;
  value: string;
}

interface Props {
  /** The label of the field: "Query" or "Headers". */
  label: string;
  /** The noun for one pair: "query parameter" or "header". */
  one: string;
  pairs: Pair[];
  onChange: (pairs: Pair[]) => void;
}

/** Names with values, in rows. A row without a value is not sent. */
export function PairsField({ label, one, pairs, onChange }: Props) {
  const replace = (index: number, change: Partial<Pair>) =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...change } : pair)));
  return (
    <fieldset className="pairs">
      <legend className="field-label">{label}</legend>
      {pairs.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Rows have no other identity while they are edited.
        <div className="pair" key={index}>
          <input
            className="input mono"
            aria-label={`Name of the ${one}`}
            placeholder="Name"
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => replace(index, { name: event.target.value })}
          />
          <input
            className="input mono"
            aria-label={name === "" ? `Value of the ${one}` : `${name} (${one})`}
            placeholder="Value"
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => replace(index, { value: event.target.value })}
          />
          <Button
            kind="quiet"
            isIcon
            aria-label={`Remove the ${one} ${name}`}
            onClick={() => onChange(pairs.filter((_, at) => at !== index))}
          >
            <X size={16} aria-hidden />
          </Button>
        </div>
      ))}
      <div>
        <Button isSmall onClick={() => onChange([...pairs, { name: "", value: "" }])}>
          <Plus size={14} aria-hidden />
          Add {one}
        </Button>
      </div>
    </fieldset>
  );
}
