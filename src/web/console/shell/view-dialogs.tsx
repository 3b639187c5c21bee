import { useState } from "react";
import type { Tollgate, View } from "../../../client/index.ts";
import { bindInput, TextField } from "../../components/field.tsx";
import { errorAt } from "../../lib/errors.ts";
import { CallDialog, ConfirmCall, useCall } from "./requests.tsx";

interface NameViewProps {
  title: string;
  action: string;
  /** The current name. */
  name?: string;
  call: (api: Tollgate, name: string) => Promise<View>;
  onClose: () => void;
}

/** Prompts for the name of a view, to save or rename it. */
export function NameView({ title, action, name: before = "", call, onClose }: NameViewProps) {
  const [typed, setName] = useState(before);
  const name = typed.trim();
  const save = useCall({
    call: (api) => call(api, name),
    done: (view) => `View ${view.name} saved`,
    onSuccess: onClose,
  });
  return (
    <CallDialog title={title} of={save} submit={action} disabled={name === ""} onClose={onClose}>
      <TextField
        label="Name"
        placeholder="Gold customers"
        hint="All users of the account see it in the sidebar."
        maxLength={80}
        {...bindInput(typed, setName, errorAt(save.errors, "/name"))}
      />
    </CallDialog>
  );
}

interface ViewDialogProps {
  action: "rename" | "delete";
  view: View;
  onClose: () => void;
}

/** Renames or deletes a saved view. */
export function ViewDialog({ action, view: { id, name: before }, onClose }: ViewDialogProps) {
  if (action === "rename")
    return (
      <NameView
        title={`Rename ${before}`}
        action="Rename view"
        name={before}
        call={(api, name) => api.views.update(id, { name })}
        onClose={onClose}
      />
    );
  return (
    <ConfirmCall
      title={`Delete the view ${before}?`}
      action={`Delete ${before}`}
      call={(api) => api.views.delete(id)}
      onClose={onClose}
      done={`View ${before} deleted`}
    >
      <p>It disappears for all users of the account. The listed resources are not changed.</p>
    </ConfirmCall>
  );
}
