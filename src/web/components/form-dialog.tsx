import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ButtonProps } from "./button.tsx";
import { Dialog, DialogButtons } from "./dialog.tsx";
import { ErrorNotice } from "./notice.tsx";

interface Mutation {
  isPending: boolean;
  error: unknown;
}

interface SharedProps extends Pick<ButtonProps, "kind" | "disabled"> {
  title: string;
  /** The label of the submit button, the verb and the object: "Create key". */
  submit: string;
  onClose: () => void;
  children: ReactNode;
  /** Shown at the left of the buttons, such as the equivalent command. */
  footStart?: ReactNode;
  isWide?: boolean;
  /** The dialog cannot be closed while a request is in progress. Set it if the result is shown only once. */
  blocksClosing?: boolean;
  /** The children show the error of the mutation, such as a conflict. */
  hasOwnError?: boolean;
}

/** Without `onSubmit`, the mutation runs without variables. */
type FormDialogProps = SharedProps &
  (
    | { mutation: Mutation & { mutate: () => void }; onSubmit?: undefined }
    | { mutation: Mutation; onSubmit: () => void }
  );

/** A dialog whose form runs a mutation: its error, the fields, and the buttons to cancel and submit. */
export function FormDialog(props: FormDialogProps) {
  const { title, submit, mutation, kind, disabled, children, footStart, isWide, blocksClosing, hasOwnError } = props;
  const client = useQueryClient();
  const close = () => {
    // Not `isPending`, which is rendered later: a key press before that would close the dialog, and the value be lost.
    if (!blocksClosing || client.isMutating() === 0) props.onClose();
  };
  const send = props.onSubmit ?? props.mutation.mutate;
  return (
    <Dialog
      title={title}
      isWide={isWide}
      onClose={close}
      onSubmit={() => !disabled && send()}
      footStart={footStart}
      foot={
        <DialogButtons onClose={close} kind={kind} isBusy={mutation.isPending} disabled={disabled}>
          {submit}
        </DialogButtons>
      }
    >
      {!hasOwnError && Boolean(mutation.error) && <ErrorNotice error={mutation.error} />}
      {children}
    </Dialog>
  );
}
