import { Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { formatNumber, plural } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { ManyConsumers, type MeantConsumers } from "./many-consumers.tsx";

interface Props {
  bucket: string;
  /** The selected names on this page. */
  selected: string[];
  /** All consumers that match the filters of the list; undefined without a filter. */
  matching: { where: Record<string, string>; total: number } | undefined;
  onClear: () => void;
}

/** The actions for the selected consumers, or for all that match the filters. */
export function SelectionBar({ bucket, selected, matching, onClear }: Props) {
  const { deniedEdit } = useSession();
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState<"tag" | "delete">();
  if (selected.length === 0 && !isAll) return null;
  const meant: MeantConsumers = isAll && matching ? { where: matching.where } : { names: selected };
  const canTakeAll = matching !== undefined && matching.total > selected.length;
  const clear = () => {
    setAll(false);
    onClear();
  };
  return (
    <section className="selection-bar" aria-label="Selected consumers">
      <span className="strong" role="status">
        {isAll && matching
          ? `All ${formatNumber(matching.total)} that match`
          : `${plural(selected.length, "consumer")} selected`}
      </span>
      {canTakeAll && !isAll && (
        <button type="button" className="link-button" onClick={() => setAll(true)}>
          Select all {formatNumber(matching.total)} that match
        </button>
      )}
      <span className="selection-actions">
        <Button isSmall denied={deniedEdit} onClick={() => setOpen("tag")}>
          <Tag size={14} aria-hidden />
          Change tags…
        </Button>
        <Button isSmall kind="danger" denied={deniedEdit} onClick={() => setOpen("delete")}>
          <Trash2 size={14} aria-hidden />
          Delete…
        </Button>
        <Button isSmall kind="quiet" onClick={clear}>
          Clear
        </Button>
      </span>
      {open && (
        <ManyConsumers
          bucket={bucket}
          meant={meant}
          kind={open}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen(undefined);
            clear();
          }}
        />
      )}
    </section>
  );
}
