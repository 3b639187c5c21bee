import type { Webhook } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Notice } from "../../../components/notice.tsx";
import { ExactTime } from "../../../components/time.tsx";

export function WebhookState({ webhook: { isEnabled, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (!isEnabled) return disabledReason ? <Badge tone="red">Disabled automatically</Badge> : <Badge>Disabled</Badge>;
  return failingSince ? <Badge tone="red">Failing</Badge> : <Badge tone="green">Enabled</Badge>;
}

/** The problem of a webhook and what to do, in a sentence. Renders nothing if it works. */
export function WebhookTrouble({ webhook: { isEnabled, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (!disabledReason && !(isEnabled && failingSince)) return null;
  return (
    <Notice kind="error">
      {disabledReason === "gone" ? (
        "It was disabled because its address responded with 410 Gone. Enable it when the address is back, then replay what it missed."
      ) : disabledReason === "failing" ? (
        "It was disabled after five days without a success. Repair the receiver, enable it, then replay what it missed."
      ) : (
        <>
          No message has arrived since <ExactTime time={failingSince!} />. Failed ones are tried again for more than a
          day; after five days without a success it is disabled. A delivery shows what its address responded.
        </>
      )}
    </Notice>
  );
}
