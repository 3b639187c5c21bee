import { useQueryClient } from "@tanstack/react-query";
import type { Webhook } from "../../../../client/index.ts";
import { toast } from "../../../components/toast.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";

interface ConfirmationProps {
  webhook: Webhook;
  onClose: () => void;
}

/** Disables an enabled webhook, or enables a disabled one. */
export function SwitchWebhook({ webhook: { id, isEnabled }, onClose }: ConfirmationProps) {
  const verb = isEnabled ? "Disable" : "Enable";
  return (
    <ConfirmCall
      title={`${verb} this webhook?`}
      action={`${verb} webhook`}
      isSafe={!isEnabled}
      call={(api) => api.webhooks.update(id, { isEnabled: !isEnabled })}
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
    </ConfirmCall>
  );
}

export function DeleteWebhook({ webhook: { id, url }, onClose, onDone }: ConfirmationProps & { onDone: () => void }) {
  const queries = useQueryClient();
  return (
    <ConfirmCall
      title="Delete this webhook?"
      action="Delete webhook"
      call={(api) => api.webhooks.delete(id)}
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
    </ConfirmCall>
  );
}
