import { BookmarkPlus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { useSession } from "../queries/session.tsx";
import { useCurrentView, useViews } from "../queries/views.ts";
import { NameView } from "./name-view.tsx";
import { CopyAs } from "./requests.tsx";

/** Saves the filters of the current list, unless a view with them exists. */
export function SaveView() {
  const { api, account, deniedEdit } = useSession();
  const views = useViews();
  const current = useCurrentView();
  const [isNaming, setNaming] = useState(false);
  if (!current || !views.data) return null;
  if (views.data.some(({ page, search }) => page === current.page && search === current.search)) return null;
  return (
    <>
      <Button kind="quiet" denied={deniedEdit} onClick={() => setNaming(true)}>
        <BookmarkPlus size={16} aria-hidden />
        Save view
      </Button>
      {isNaming && (
        <NameView
          title="Save view"
          action="Save view"
          copy={(name) => (
            <CopyAs request={{ method: "POST", path: `/v1/accounts/${account}/views`, body: { name, ...current } }} />
          )}
          save={(name) => api.views.create({ name, ...current })}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}
