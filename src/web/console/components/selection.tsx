import { type ReactNode, useState } from "react";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/table.tsx";
import { formatNumber, plural } from "../../lib/format.ts";

export interface Selection {
  ids: ReadonlySet<string>;
  /** All items that match the filter are selected, not only the checked ones. */
  isAll: boolean;
  has: (id: string) => boolean;
  toggle: (id: string) => void;
  /** Checks all of these, or unchecks them if all are checked. */
  togglePage: (ids: string[]) => void;
  selectAll: () => void;
  clear: () => void;
}

/** The checked rows across all pages of a list. Reset when `name` changes. */
export function useSelection(name: string): Selection {
  const [state, setState] = useState({ name, ids: new Set<string>(), isAll: false });
  const current = state.name === name ? state : { name, ids: new Set<string>(), isAll: false };
  const set = (ids: Set<string>, isAll = false) => setState({ name, ids, isAll });
  return {
    ids: current.ids,
    isAll: current.isAll,
    has: (id) => current.isAll || current.ids.has(id),
    toggle: (id) => {
      const ids = new Set(current.ids);
      if (!ids.delete(id)) ids.add(id);
      set(ids);
    },
    togglePage: (page) => {
      const isWhole = page.every((id) => current.ids.has(id));
      const ids = new Set(current.ids);
      for (const id of page) isWhole ? ids.delete(id) : ids.add(id);
      set(ids);
    },
    selectAll: () => set(new Set(current.ids), true),
    clear: () => set(new Set()),
  };
}

/** The checkbox of a row or of all rows of a page. */
export function SelectBox({ label, checked, onChange }: { label: string; checked: boolean; onChange: () => void }) {
  return (
    <label className="select-box">
      <input type="checkbox" checked={checked} onChange={onChange} />
      <span className="visually-hidden">{label}</span>
    </label>
  );
}

interface SelectColumn<Row> {
  /** The label of the checkbox for all rows of the page. */
  all: string;
  /** The ids of the page. */
  page: string[];
  /** The id and the label of a row; undefined if it cannot be selected. */
  of: (row: Row) => { id: string; label: string } | undefined;
}

/** A checkbox in each row, and one for the page. */
export const selectColumn = <Row,>(selection: Selection, { all, page, of }: SelectColumn<Row>): Column<Row> => ({
  label: "Select",
  isSelect: true,
  head: (
    <SelectBox
      label={all}
      checked={page.length > 0 && page.every(selection.has)}
      onChange={() => selection.togglePage(page)}
    />
  ),
  render: (row) => {
    const { id, label } = of(row) ?? {};
    if (id === undefined || label === undefined) return null;
    return <SelectBox label={label} checked={selection.has(id)} onChange={() => selection.toggle(id)} />;
  },
});

interface SelectionBarProps {
  selection: Selection;
  /** What is selected: "key". */
  noun: string;
  count: number;
  /** The number of items that match the filter. */
  total: number;
  /** Whether all that match can be selected, or why not. */
  canSelectAll: boolean | string;
  /** The actions. */
  children: ReactNode;
}

/** The number of selected items, and the actions for them. Renders nothing without a selection. */
export function SelectionBar({ selection, noun, count, total, canSelectAll, children }: SelectionBarProps) {
  if (count === 0 && !selection.isAll) return null;
  return (
    <section className="selection-bar" aria-label={`Selected ${noun}s`}>
      <span className="strong" role="status">
        {selection.isAll ? `All ${formatNumber(total)} that match` : `${plural(count, noun)} selected`}
      </span>
      {!selection.isAll && (
        <span className="small">
          {canSelectAll === true ? (
            <button type="button" className="link-button" onClick={selection.selectAll}>
              Select all {formatNumber(total)} that match
            </button>
          ) : (
            canSelectAll && <span className="muted">{canSelectAll}</span>
          )}
        </span>
      )}
      <span className="selection-actions">
        {children}
        <Button isSmall kind="quiet" onClick={selection.clear}>
          Clear
        </Button>
      </span>
    </section>
  );
}
