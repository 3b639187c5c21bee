import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bookmark, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { View } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Menu } from "../../components/menu.tsx";
import { toast } from "../../components/toast.tsx";
import { useSession } from "../queries/session.tsx";
import { useViews } from "../queries/views.ts";
import { NameView } from "./name-view.tsx";
import { CopyAs } from "./requests.tsx";

type Open = { action: "rename" | "delete"; view: View };

/** The saved views of the account. Renders nothing if there are none. */
export function SavedViews({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const { api, account, deniedEdit } = useSession();
  const queries = useQueryClient();
  const views = useViews();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  if (!views.data?.length) return null;
  const path = `/v1/accounts/${account}/views/${open?.view.id}`;
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
            {...(onNavigate ? { onClick: onNavigate } : {})}
          >
            <Bookmark size={16} aria-hidden />
            <span className="truncate">{view.name}</span>
          </Link>
          <Menu
            trigger={
              <Button kind="quiet" isIcon isSmall aria-label={`Actions for the view ${view.name}`}>
                <Ellipsis size={16} aria-hidden />
              </Button>
            }
            actions={[
              {
                label: "Rename",
                icon: <Pencil size={16} aria-hidden />,
                denied: deniedEdit,
                onSelect: () => setOpen({ action: "rename", view }),
              },
              {
                label: "Delete",
                icon: <Trash2 size={16} aria-hidden />,
                isDanger: true,
                denied: deniedEdit,
                onSelect: () => setOpen({ action: "delete", view }),
              },
            ]}
          />
        </div>
      ))}
      {open?.action === "rename" && (
        <NameView
          title={`Rename ${open.view.name}`}
          action="Rename view"
          name={open.view.name}
          copy={(name) => <CopyAs request={{ method: "PATCH", path, body: { name } }} />}
          save={(name) => api.views.update(open.view.id, { name })}
          onClose={close}
        />
      )}
      {open?.action === "delete" && (
        <Confirm
          title={`Delete the view ${open.view.name}?`}
          action={`Delete ${open.view.name}`}
          footStart={<CopyAs request={{ method: "DELETE", path }} />}
          run={() => api.views.delete(open.view.id)}
          onClose={close}
          onDone={() => {
            close();
            queries.invalidateQueries({ queryKey: ["views"] });
            toast(`View ${open.view.name} deleted`);
          }}
        >
          <p>It disappears for all users of the account. The listed resources are not changed.</p>
        </Confirm>
      )}
    </nav>
  );
}
