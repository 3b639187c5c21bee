import type { View } from "../../../client/index.ts";
import { useSession } from "../queries/session.tsx";
import { NameView } from "./name-view.tsx";
import { ConfirmCall, CopyAs } from "./requests.tsx";

interface Props {
  action: "rename" | "delete";
  view: View;
  onClose: () => void;
}

/** Renames or deletes a saved view. */
export function ViewDialog({ action, view, onClose }: Props) {
  const { api } = useSession();
  if (action === "rename")
    return (
      <NameView
        title={`Rename ${view.name}`}
        action="Rename view"
        name={view.name}
        copy={(name) => <CopyAs call={(api) => api.views.update(view.id, { name })} />}
        save={(name) => api.views.update(view.id, { name })}
        onClose={onClose}
      />
    );
  return (
    <ConfirmCall
      title={`Delete the view ${view.name}?`}
      action={`Delete ${view.name}`}
      call={(api) => api.views.delete(view.id)}
      onClose={onClose}
      done={`View ${view.name} deleted`}
    >
      <p>It disappears for all users of the account. The listed resources are not changed.</p>
    </ConfirmCall>
  );
}
