import { useQueryClient } from "@tanstack/react-query";
import type { Subscription } from "../../../../client/index.ts";
import { Confirm } from "../../../components/confirm.tsx";
import { toast } from "../../../components/toast.tsx";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

/** Whether it can be paused, or else resumed. */
export function pauseActionOf({ status, cancelsOn }: Subscription): "pause" | "resume" | undefined {
  if (status === "inactive" || cancelsOn !== undefined) return "resume";
  return ["active", "trialing", "past-due", "unpaid"].includes(status) ? "pause" : undefined;
}

/** Pauses or resumes a subscription after a confirmation that says what happens. */
export function PauseOrResume({
  action,
  bucket,
  subscription: { id, customerKey, cancelsOn },
  onClose,
}: {
  action: "pause" | "resume";
  bucket: string;
  subscription: Subscription;
  onClose: () => void;
}) {
  const { api } = useSession();
  const queries = useQueryClient();
  const isPause = action === "pause";
  return (
    <Confirm
      title={`${isPause ? "Pause" : "Resume"} the subscription of ${customerKey}?`}
      action={isPause ? "Pause subscription" : "Resume subscription"}
      isSafe={!isPause}
      footStart={
        <CopyAs
          request={{ method: "POST", path: `/v1/metering/${bucket}/subscriptions/${id}/$${action}`, body: {} }}
          command={command("subscriptions", action, id, "--bucket", bucket)}
        />
      }
      run={() => api.subscriptions(bucket)[action](id)}
      onClose={onClose}
      onDone={() => {
        queries.invalidateQueries({ queryKey: ["subscription", bucket, id] });
        queries.invalidateQueries({ queryKey: ["subscriptions"] });
        queries.invalidateQueries({ queryKey: ["invoices", bucket] });
        toast(isPause ? "Subscription paused" : "Subscription resumed");
        onClose();
      }}
    >
      <p>
        {isPause
          ? `Requests of ${customerKey} are rejected from now on, and nothing is billed until you resume it. What was used before is billed; the rest of the paid period is not refunded.`
          : cancelsOn
            ? "It is not canceled at the end of the period, and renews again."
            : `Requests of ${customerKey} are accepted again at once. A period that is paid for continues; otherwise the fee is charged for the rest of the current period.`}
      </p>
    </Confirm>
  );
}
