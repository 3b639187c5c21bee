import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Webhook } from "../../../../client/index.ts";
import { closeUnlessPending, Dialog, DialogButtons } from "../../../components/dialog.tsx";
import { Choices } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { SecretReveal } from "./secret-reveal.tsx";

/** Creates a new secret. Messages can have signatures of both secrets for a while, so that the receiver can switch. */
export function RotateSecret({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { api, account } = useSession();
  const queries = useQueryClient();
  const [grace, setGrace] = useState("86400");
  const graceSeconds = Number(grace);
  const rotate = useMutation({
    mutationFn: () => api.webhooks.rotateSecret(id, { graceSeconds }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  if (rotate.data) return <SecretReveal title="The new secret" secret={rotate.data.secret} onClose={onClose} />;
  const leave = closeUnlessPending(rotate, onClose);
  return (
    <Dialog
      title="Rotate the secret?"
      onClose={leave}
      onSubmit={() => rotate.mutate()}
      footStart={
        <CopyAs
          request={{
            method: "POST",
            path: `/v1/accounts/${account}/webhooks/${id}/rotate-secret`,
            body: { graceSeconds },
          }}
          command={command("webhooks", "rotate-secret", id, "--grace-seconds", grace)}
        />
      }
      foot={
        <DialogButtons onClose={leave} kind={graceSeconds === 0 ? "danger-fill" : "primary"} isBusy={rotate.isPending}>
          Rotate secret
        </DialogButtons>
      }
    >
      {rotate.error && <ErrorNotice error={rotate.error} />}
      <p className="wrap-anywhere">
        Messages to {url} are signed with a new secret from now on. It is shown once, in the next step.
      </p>
      <Choices
        legend="Keep signing with the old secret"
        name="grace"
        value={grace}
        onChange={setGrace}
        options={[
          { value: "0", label: "No" },
          { value: "3600", label: "For 1 hour" },
          { value: "86400", label: "For 1 day" },
          { value: "604800", label: "For 7 days" },
        ]}
      />
      <Notice kind={graceSeconds === 0 ? "warning" : "info"}>
        {graceSeconds === 0
          ? "Until your receiver has the new secret, it cannot verify any message. Choose this for a leaked secret."
          : "During this time, each message has both signatures, and your receiver can verify either."}
      </Notice>
    </Dialog>
  );
}
