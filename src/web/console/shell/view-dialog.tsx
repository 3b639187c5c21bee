import type { View } from "../../../client/index.ts";
import { Confirm } from "../../components/confirm.tsx";
import { toast } from "../../components/toast.tsx";
import { useSession } from "../queries/session.tsx";
import { NameView } from "./name-view.tsx";
import { CopyAs } from "./requests.tsx";

interface Props {
  action: "rename" | "delete";
  view: View;
  onClose: () => void;
}

/** Renames or deletes a saved view. */
export function ViewDialog({ action, view, onClose }: Props) {
  const { api, account } = useSession();
  const path = `/v1/accounts/${account}/views/${view.id}`;
  if (action === "rename")
    return (
      <NameView
        title={`Rename ${view.name}`}
        action="Rename view"
        name={view.name}
        copy={(name) => <CopyAs request={{ method: "PATCH", path, body: { name } }} />}
        save={(name) => api.views.update(view.id, { name })}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      title={`Delete the view ${view.name}?`}
      action={`Delete ${view.name}`}
      footStart={<CopyAs request={{ method: "DELETE", path }} />}
      run={() => api.views.delete(view.id)}
      onClose={onClose}
      onDone={() => {
        onClose();
        toast(`View ${view.name} deleted`);
      }}
    >
      <p>It disappears for all users of the account. The listed resources are not changed.</p>
    </Confirm>
  );
}
