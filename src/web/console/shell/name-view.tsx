import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { View } from "../../../client/index.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { bindInput, TextField } from "../../components/field.tsx";
import { toast } from "../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../lib/errors.ts";

interface Props {
  title: string;
  action: string;
  /** The current name. */
  name?: string;
  /** The equivalent command or request, for the name in the field. */
  copy: (name: string) => ReactNode;
  save: (name: string) => Promise<View>;
  onClose: () => void;
}

/** Prompts for the name of a view, to save or rename it. */
export function NameView({ title, action, name: before = "", copy, save, onClose }: Props) {
  const [name, setName] = useState(before);
  const saving = useMutation({
    mutationFn: () => save(name.trim()),
    onSuccess: (view) => {
      toast(`View ${view.name} saved`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={title}
      mutation={saving}
      submit={action}
      disabled={name.trim() === ""}
      onClose={onClose}
      footStart={copy(name.trim())}
    >
      <TextField
        label="Name"
        placeholder="Gold customers"
        hint="All users of the account see it in the sidebar."
        maxLength={80}
        {...bindInput(name, setName, errorAt(fieldErrors(saving.error), "/name"))}
      />
    </FormDialog>
  );
}
