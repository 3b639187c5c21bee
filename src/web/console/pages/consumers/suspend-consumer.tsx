import { useState } from "react";
import { type Consumer, etagOf } from "../../../../client/index.ts";
import { TextArea } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { command } from "../../../lib/shell.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";

interface SuspendConsumerProps {
  bucket: string;
  consumer: Consumer;
  onClose: () => void;
}

/** Suspends a consumer, or ends its suspension. */
export function SuspendConsumer({ bucket, consumer, onClose }: SuspendConsumerProps) {
  const [reason, setReason] = useState("");
  const { name, isSuspended = false } = consumer;
  const changes = isSuspended
    ? { isSuspended: false }
    : { isSuspended: true, suspensionReason: reason === "" ? null : reason };
  const save = useCall({
    call: (api) => api.consumers(bucket).update(name, changes, { ifMatch: etagOf(consumer) }),
    done: `${name} ${isSuspended ? "resumed" : "suspended"}`,
    onSuccess: onClose,
  });
  const words = isSuspended ? ["resume"] : ["suspend", ...(reason === "" ? [] : ["--reason", reason])];
  return (
    <FormDialog
      title={`${isSuspended ? "Resume" : "Suspend"} ${name}?`}
      mutation={save}
      submit={isSuspended ? "Resume" : "Suspend"}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      footStart={
        <CopyAs
          call={save.call}
          command={command("consumers", words[0]!, "--bucket", bucket, "--name", name, ...words.slice(1))}
        />
      }
    >
      {isSuspended ? (
        <p>Requests with its keys, and those of programs that it has authorized, are admitted again.</p>
      ) : (
        <>
          <p>
            Requests with its keys, and those of programs that it has authorized, are rejected from now on. In the
            portal, the customer can sign in, read the reason and pay, and change nothing.
          </p>
          <TextArea
            label="Reason"
            isOptional
            rows={3}
            hint="The customer reads it in the portal."
            {...bindInput(reason, setReason, errorAt(save.errors, "/suspensionReason"))}
          />
        </>
      )}
    </FormDialog>
  );
}
