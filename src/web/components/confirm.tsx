import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { FormDialog } from "./dialog.tsx";
import { bindInput, TextField } from "./field.tsx";
import { toast } from "./toasts.ts";

interface ConfirmProps {
  /** By default the action as a question. */
  title?: string;
  /** The consequences, and whether they can be undone. */
  children: ReactNode;
  /** The verb and the object: "Delete acme". */
  action: string;
  /** The text to type if many people are affected. */
  typed?: string;
  isSafe?: boolean;
  /** The equivalent command. */
  footStart?: ReactNode;
  /** Nothing can be confirmed: the text explains why. */
  isImpossible?: boolean;
  run: () => Promise<unknown>;
  /** The text of a toast after a success. */
  done?: string;
  /** By default the dialog is closed. */
  onDone?: () => void;
  onClose: () => void;
}

export function Confirm({
  action,
  title = `${action}?`,
  children,
  typed,
  isSafe,
  isImpossible,
  footStart,
  run,
  done,
  onClose,
  onDone = onClose,
}: ConfirmProps) {
  const [text, setText] = useState("");
  const finish = () => {
    if (done !== undefined) toast(done);
    onDone();
  };
  const mutation = useMutation({ mutationFn: run, onSuccess: finish });
  return (
    <FormDialog
      title={title}
      mutation={mutation}
      submit={action}
      kind={isSafe ? "primary" : "danger-fill"}
      disabled={isImpossible || (typed !== undefined && text !== typed)}
      onClose={onClose}
      footStart={footStart}
    >
      <div className="stack stack-tight">{children}</div>
      {typed !== undefined && <TypeToConfirm expected={typed} value={text} onChange={setText} />}
    </FormDialog>
  );
}

interface TypeToConfirmProps {
  expected: string;
  value: string;
  onChange: (value: string) => void;
}

/** A name for one item, a number for many. */
export function TypeToConfirm({ expected, value, onChange }: TypeToConfirmProps) {
  return <TextField data-transient label={`Type ${expected} to confirm`} isMono {...bindInput(value, onChange)} />;
}
