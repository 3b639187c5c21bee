import { useQueryClient } from "@tanstack/react-query";
import type { Webhook } from "../../../../client/index.ts";
import { Confirm } from "../../../components/confirm.tsx";
import { toast } from "../../../components/toast.tsx";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

interface ConfirmationProps {
  webhook: Webhook;
  onClose: () => void;
}

/** Disables an enabled webhook, or enables a disabled one. */
export function SwitchWebhook({ webhook: { id, isEnabled }, onClose }: ConfirmationProps) {
  const { api, account } = useSession();
  const verb = isEnabled ? "Disable" : "Enable";
  return (
    <Confirm
      title={`${verb} this webhook?`}
      action={`${verb} webhook`}
      isSafe={!isEnabled}
      footStart={
        <CopyAs
          request={{
            method: "PATCH",
            path: `/v1/accounts/${account}/webhooks/${id}`,
            body: { isEnabled: !isEnabled },
          }}
          command={command("webhooks", "update", id, "--enabled", String(!isEnabled))}
        />
      }
      run={() => api.webhooks.update(id, { isEnabled: !isEnabled })}
      onClose={onClose}
      onDone={() => {
        toast(`Webhook ${isEnabled ? "disabled" : "enabled"}`);
        onClose();
      }}
    >
      {isEnabled ? (
        <p>
          It gets no messages from now on, and pending ones count as failed. Enable it again at any time, and replay
          what it missed within 30 days.
        </p>
      ) : (
        <p>It gets the messages from now on. Replay those that it missed.</p>
      )}
    </Confirm>
  );
}

export function DeleteWebhook({ webhook: { id, url }, onClose, onDone }: ConfirmationProps & { onDone: () => void }) {
  const { api, account } = useSession();
  const queries = useQueryClient();
  return (
    <Confirm
      title="Delete this webhook?"
      action="Delete webhook"
      footStart={
        <CopyAs
          request={{ method: "DELETE", path: `/v1/accounts/${account}/webhooks/${id}` }}
          command={command("webhooks", "delete", id)}
        />
      }
      run={() => api.webhooks.delete(id)}
      onClose={onClose}
      onDone={() => {
        queries.removeQueries({ queryKey: ["webhooks", id] });
        toast("Webhook deleted");
        onDone();
      }}
    >
      <p className="wrap-anywhere">
        Nothing is sent to {url} any more. Its secret and the record of its deliveries are deleted with it. This cannot
        be undone.
      </p>
    </Confirm>
  );
}
