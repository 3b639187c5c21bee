import { BookmarkPlus, SlidersHorizontal } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../components/button.tsx";
import { useSession } from "../queries/session.tsx";
import { useCurrentView, useViews } from "../queries/views.ts";
import { NameView } from "./name-view.tsx";
import { CopyAs } from "./requests.tsx";

/**
 * Filters in a row; in narrow windows behind a button that shows the number of active ones. Active filters can be saved
 * as a view.
 */
export function FilterBar({ count, end, children }: { count: number; end?: ReactNode; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="filters">
      <span className="filters-toggle">
        <Button icon={SlidersHorizontal} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters{count > 0 && ` (${count})`}
        </Button>
      </span>
      <div className="filters-folded" data-open={isOpen || undefined}>
        {children}
        {count > 0 && <SaveView />}
      </div>
      {end && <span className="filters-end">{end}</span>}
    </div>
  );
}

/** Saves the filters of the current list, unless a view with them exists. */
function SaveView() {
  const { api, deniedEdit } = useSession();
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
          copy={(name) => <CopyAs call={(api) => api.views.create({ name, ...current })} />}
          save={(name) => api.views.create({ name, ...current })}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}
