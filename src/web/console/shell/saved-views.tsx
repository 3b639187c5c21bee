import { Link } from "@tanstack/react-router";
import { Bookmark, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { View } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { useSession } from "../queries/session.tsx";
import { useViews } from "../queries/views.ts";

const ViewDialog = lazy(() => import("./view-dialogs.tsx").then((module) => ({ default: module.ViewDialog })));

type Open = { action: "rename" | "delete"; view: View };

/** The saved views of the account. Renders nothing if there are none. */
export function SavedViews({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const { deniedEdit } = useSession();
  const views = useViews();
  const [open, setOpen] = useState<Open>();
  if (!views.data?.length) return null;
  return (
    <nav className="nav views" aria-label="Saved views">
      <h2>Views</h2>
      {views.data.map((view) => (
        <div className="view" key={view.id}>
          <Link
            to={`/${view.page}`}
            search={Object.fromEntries(new URLSearchParams(view.search)) as never}
            title={view.name}
            activeOptions={{ includeSearch: true }}
            onClick={onNavigate}
          >
            <Bookmark size={16} aria-hidden />
            <span className="truncate">{view.name}</span>
          </Link>
          <Menu
            trigger={
              <Button icon={Ellipsis} kind="quiet" isIcon isSmall aria-label={`Actions for the view ${view.name}`} />
            }
            actions={[
              {
                label: "Rename",
                icon: Pencil,
                denied: deniedEdit,
                onSelect: () => setOpen({ action: "rename", view }),
              },
              {
                label: "Delete",
                icon: Trash2,
                isDanger: true,
                denied: deniedEdit,
                onSelect: () => setOpen({ action: "delete", view }),
              },
            ]}
          />
        </div>
      ))}
      {open && (
        <Suspense>
          <ViewDialog {...open} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </nav>
  );
}
