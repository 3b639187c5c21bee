import { Ban, Power, Trash2 } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { formatNumber, plural } from "../../../lib/format.ts";
import type { Selection } from "../../components/selection.tsx";
import { useSession } from "../../queries/session.tsx";
import type { BulkAction } from "./bulk-keys.tsx";

interface SelectionBarProps {
  selection: Selection;
  /** The number of rows on the page. */
  shown: number;
  total: number;
  /** A change of all matching keys requires a condition. */
  canSelectAll: boolean;
  onAction: (action: BulkAction) => void;
}

/** The number of selected keys, and the actions for them. Renders nothing without a selection. */
export function SelectionBar({ selection, shown, total, canSelectAll, onAction }: SelectionBarProps) {
  const { deniedEdit } = useSession();
  const { ids, isAll } = selection;
  if (ids.size === 0 && !isAll) return null;
  return (
    <section className="selection-bar" aria-label="Selected keys">
      <span className="strong" role="status">
        {isAll ? `All ${formatNumber(total)} that match` : `${plural(ids.size, "key")} selected`}
      </span>
      {!isAll && total > shown && (
        <span className="small">
          {canSelectAll ? (
            <button type="button" className="link-button" onClick={selection.selectAll}>
              Select all {formatNumber(total)} that match
            </button>
          ) : (
            <span className="muted">Set a filter to select more than one page.</span>
          )}
        </span>
      )}
      <span className="selection-actions">
        <Button isSmall denied={deniedEdit} onClick={() => onAction("enable")}>
          <Power size={14} aria-hidden />
          Enable
        </Button>
        <Button isSmall denied={deniedEdit} onClick={() => onAction("disable")}>
          <Ban size={14} aria-hidden />
          Disable
        </Button>
        <Button isSmall kind="danger" denied={deniedEdit} onClick={() => onAction("revoke")}>
          <Trash2 size={14} aria-hidden />
          Revoke
        </Button>
        <Button isSmall kind="quiet" onClick={selection.clear}>
          Clear
        </Button>
      </span>
    </section>
  );
}
