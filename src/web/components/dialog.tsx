import { Dialog as Base } from "@base-ui/react/dialog";
import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type ReactNode, useContext, useRef } from "react";
import { closeGuarded } from "../lib/unsaved.ts";
import { AboveDialogs } from "./above-dialogs.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { Form, useForm } from "./form.tsx";
import { ErrorNotice } from "./notice.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  foot?: ReactNode;
  /** Without a foot: the label of the button that closes the dialog. */
  closeLabel?: string;
  /** Shown at the left of the buttons, such as the equivalent command. */
  footStart?: ReactNode;
  /** Makes the dialog a form: Enter sends it. */
  onSubmit?: () => void;
  isWide?: boolean;
  /** Only its buttons close the dialog: its content cannot be shown again. */
  isStubborn?: boolean;
}

export function Dialog(props: DialogProps) {
  const { title, onClose, children, closeLabel, footStart, onSubmit, isWide, isStubborn } = props;
  const closing = closeLabel && (
    <Button kind="primary" onClick={onClose}>
      {closeLabel}
    </Button>
  );
  const foot = props.foot ?? closing;
  const popup = useRef<HTMLDivElement>(null);
  const above = useContext(AboveDialogs);
  // Focuses the first field; on a phone that would open the keyboard over half of the dialog.
  const initialFocus = (openedBy: string) =>
    (openedBy !== "touch" && popup.current?.querySelector<HTMLElement>(".dialog-body :is(input, textarea, select)")) ||
    popup.current;
  const inside = (
    <>
      <div className="dialog-body">{children}</div>
      {foot && (
        <div className="dialog-foot">
          {footStart && <div className="dialog-foot-start">{footStart}</div>}
          {foot}
        </div>
      )}
    </>
  );
  return (
    <Base.Root
      open
      onOpenChange={(open) => !open && !isStubborn && closeGuarded(popup.current, onClose)}
      disablePointerDismissal={isStubborn ?? false}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop dialog-backdrop" forceRender />
        <Base.Popup className="dialog" data-wide={isWide || undefined} ref={popup} initialFocus={initialFocus}>
          <div className="dialog-head">
            <Base.Title>{title}</Base.Title>
            {!isStubborn && <CloseButton />}
          </div>
          {onSubmit ? <Form onSubmit={onSubmit}>{inside}</Form> : inside}
          {/* Inside the popup: a press outside of it would close this dialog. */}
          {above && <AboveDialogs value={null}>{above}</AboveDialogs>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface DialogButtonsProps extends Pick<ButtonProps, "kind" | "isBusy" | "disabled"> {
  onClose: () => void;
  cancel?: string | undefined;
  /** The verb and the object: "Create key". */
  children: ReactNode;
}

/** Discards the input without a confirmation, as the label of the button says. */
export function CancelButton({
  onClose,
  children = "Cancel",
  ...props
}: Pick<ButtonProps, "disabled" | "children"> & { onClose: () => void }) {
  const form = useForm();
  const cancel = () => {
    form.discard();
    onClose();
  };
  return (
    <Button {...props} onClick={cancel}>
      {children}
    </Button>
  );
}

/** The footer of a form dialog: the cancel and submit buttons. */
export function DialogButtons({ kind = "primary", onClose, cancel, children, ...submit }: DialogButtonsProps) {
  return (
    <>
      <CancelButton onClose={onClose}>{cancel}</CancelButton>
      <Button type="submit" kind={kind} {...submit}>
        <span className="truncate">{children}</span>
      </Button>
    </>
  );
}

export const CloseButton = () => <Base.Close render={<Button icon={X} kind="quiet" isIcon aria-label="Close" />} />;

interface Mutation {
  isPending: boolean;
  error: unknown;
}

interface SharedProps extends Pick<ButtonProps, "kind" | "disabled"> {
  title: string;
  /** The label of the submit button, the verb and the object: "Create key". */
  submit: string;
  /** The label of the button that closes the dialog: "Hide" if the request goes on without it. */
  cancel?: string;
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
  const { title, submit, cancel, mutation, kind, disabled, children, footStart, isWide } = props;
  const { blocksClosing, hasOwnError } = props;
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
        <DialogButtons onClose={close} cancel={cancel} kind={kind} isBusy={mutation.isPending} disabled={disabled}>
          {submit}
        </DialogButtons>
      }
    >
      {!hasOwnError && Boolean(mutation.error) && <ErrorNotice error={mutation.error} />}
      {children}
    </Dialog>
  );
}
