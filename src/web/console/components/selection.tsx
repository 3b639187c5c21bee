import { useState } from "react";

export interface Selection {
  ids: ReadonlySet<string>;
  /** All items that match the filter are selected, not only the checked ones. */
  isAll: boolean;
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
