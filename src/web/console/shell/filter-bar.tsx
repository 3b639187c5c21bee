import { BookmarkPlus, Plus, Search, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { type Option, Select } from "../../components/field.tsx";
import { Menu } from "../../components/menu.tsx";
import { useSession } from "../queries/session.tsx";
import { useCurrentView, useViews } from "../queries/views.ts";
import { NameView } from "./view-dialogs.tsx";

export interface Filter {
  /** Names it in the menu and on its chip. */
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  placeholder?: string;
  /** The values to choose from; without them the value is typed. */
  options?: Option[] | undefined;
  /** Values that are offered while typing. */
  known?: string[] | undefined;
  /** A time is chosen; its value is the text of its chip. */
  input?: string;
}

interface FilterBarProps {
  /** The field of the first one is always there, the others are added from a menu. */
  filters: Filter[];
  /** Shown before the filters, such as the choice of a bucket. */
  start?: ReactNode;
  end?: ReactNode;
}

/** Active filters as chips, which can be changed, removed, and saved as a view. */
export function FilterBar({ filters, start, end }: FilterBarProps) {
  const [edited, setEdited] = useState<string>();
  const [main] = filters;
  const isShown = (filter: Filter) => filter.value !== undefined || filter === main || filter.label === edited;
  return (
    <div className="filters">
      {start}
      {filters
        .filter(isShown)
        .map((filter) =>
          filter.value !== undefined && filter.label !== edited ? (
            <FilterChip key={filter.label} filter={filter} onEdit={() => setEdited(filter.label)} />
          ) : (
            <FilterEditor
              key={filter.label}
              filter={filter}
              isAdded={filter.label === edited}
              onClose={() => setEdited(undefined)}
            />
          ),
        )}
      {!filters.every(isShown) && (
        <Menu
          trigger={
            <Button kind="quiet" icon={Plus}>
              Add filter
            </Button>
          }
          actions={filters.map((filter) => ({
            label: filter.label,
            isHidden: isShown(filter),
            onSelect: () => setEdited(filter.label),
          }))}
        />
      )}
      {filters.some(({ value }) => value !== undefined) && <SaveView />}
      {end && <span className="filters-end">{end}</span>}
    </div>
  );
}

interface FilterChipProps {
  filter: Filter;
  onEdit: () => void;
}

function FilterChip({ filter: { label, value = "", options, onChange }, onEdit }: FilterChipProps) {
  const shown = options?.find((option) => option.value === value)?.label ?? value;
  return (
    <span className="chip">
      <button type="button" className="chip-text truncate" title={shown} onClick={onEdit}>
        {label}: {shown}
      </button>
      <button type="button" aria-label={`Remove the filter ${shown}`} onClick={() => onChange(undefined)}>
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}

/** Applies a chosen value at once, a typed one on Enter or when the field loses the focus. */
function FilterEditor({ filter, isAdded, onClose }: { filter: Filter; isAdded: boolean; onClose: () => void }) {
  const { label, value, options, known = [], placeholder, input = "text", onChange } = filter;
  const [text, setText] = useState(input === "text" ? (value ?? "") : "");
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const listId = useId();
  const shared = { ref: control, className: "input", "aria-label": `Filter by ${label.toLowerCase()}` };
  const apply = (chosen: string | undefined) => {
    if (chosen !== undefined && chosen !== value) onChange(chosen);
    onClose();
  };
  // After the menu has returned the focus to its button.
  useEffect(() => {
    if (!isAdded) return;
    const timer = setTimeout(() => control.current?.focus());
    return () => clearTimeout(timer);
  }, [isAdded]);
  if (options)
    return (
      <Select
        {...shared}
        value={value ?? ""}
        options={[{ value: "", label }, ...options]}
        onChange={({ target }) => apply(target.value || undefined)}
        onBlur={onClose}
      />
    );
  return (
    <form
      className="filter-input"
      onSubmit={(event) => {
        event.preventDefault();
        apply(text.trim() || undefined);
      }}
    >
      {input === "text" && <Search size={14} aria-hidden />}
      <input
        {...shared}
        type={input}
        placeholder={placeholder}
        value={text}
        list={known.length > 0 ? listId : undefined}
        onBlur={() => apply(text.trim() || undefined)}
        onChange={(event) => {
          setText(event.target.value);
          // A value that was picked from the list applies at once.
          const isPicked =
            !("inputType" in event.nativeEvent) || event.nativeEvent.inputType === "insertReplacementText";
          if (isPicked && known.includes(event.target.value)) apply(event.target.value);
        }}
      />
      {known.length > 0 && (
        <datalist id={listId}>
          {[...new Set(known)].map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </form>
  );
}

/** Saves the filters of the current list, unless a view with them exists. */
function SaveView() {
  const { deniedEdit } = useSession();
  const views = useViews();
  const current = useCurrentView();
  const [isNaming, setNaming] = useState(false);
  if (!current || !views.data) return null;
  if (views.data.some(({ page, search }) => page === current.page && search === current.search)) return null;
  return (
    <>
      <Button icon={BookmarkPlus} kind="quiet" denied={deniedEdit} onClick={() => setNaming(true)}>
        Save view
      </Button>
      {isNaming && (
        <NameView
          title="Save view"
          action="Save view"
          call={(api, name) => api.views.create({ name, ...current })}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}
