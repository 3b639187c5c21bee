import { useState } from "react";
import type { Subscription } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Code, Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { bindInput, SelectField, TextField } from "../../../components/field.tsx";
import { Notice, NotLoaded, SkeletonBadge } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { DayTime, ExactTime } from "../../../components/time.tsx";
import { CustomerLink } from "../../queries/display-names.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { CallDialog, ConfirmCall, useCall } from "../../shell/requests.tsx";
import { ChangePlan } from "./change-plan.tsx";
import { ChangeStatus, type SubscriptionProps, SubscriptionStatus } from "./change-status.tsx";
import { usePlans } from "./plans.ts";
import { UsageView } from "./usage-view.tsx";

type Open = "plan" | "status" | "pause" | "resume" | "event" | "delete";

export function SubscriptionPanel({ bucket, id, onClose }: { bucket: string; id: string; onClose: () => void }) {
  const { deniedBill, deniedEdit } = useSession();
  const plans = usePlans(bucket);
  const [open, setOpen] = useState<Open>();
  const subscription = useRead(["subscription", bucket, id], (api, { signal }) =>
    api.subscriptions(bucket).get(id, { signal }),
  );
  const { data } = subscription;
  const close = () => setOpen(undefined);
  const pauseAction = data && pauseActionOf(data);
  const labels = data?.planIds.map((planId) => plans.data?.find((plan) => plan.id === planId)?.label ?? planId);
  return (
    <SidePanel
      title={data?.customerKey ?? "Subscription"}
      subtitle={data ? <SubscriptionStatus status={data.status} /> : !subscription.error && <SkeletonBadge />}
      isWide
      onClose={onClose}
    >
      {(subscription.error || !data) && <NotLoaded of={subscription} />}
      {data && (
        <>
          <div className="row row-wrap">
            <Button denied={deniedBill} onClick={() => setOpen("plan")}>
              Change plan
            </Button>
            <Button denied={deniedBill} onClick={() => setOpen("status")}>
              Change status
            </Button>
            {pauseAction && (
              <Button denied={deniedBill} onClick={() => setOpen(pauseAction)}>
                {pauseAction === "pause" ? "Pause" : "Resume"}
              </Button>
            )}
            <Button denied={deniedEdit} onClick={() => setOpen("event")}>
              Send test event
            </Button>
            <Button kind="danger" denied={deniedBill} onClick={() => setOpen("delete")}>
              Delete
            </Button>
          </div>
          <UsageView bucketId={bucket} subscriptionId={id} planIds={data.planIds}>
            <Facts
              of={{
                Plans: labels?.join(", ") ?? null,
                Customer: <CustomerLink bucket={bucket} name={data.customerKey} />,
                Renews: (
                  <>
                    {data.renewalStrategy}, next <ExactTime time={data.nextBillingCycle} />
                  </>
                ),
                "Trial ends": data.trialEndDate && <ExactTime time={data.trialEndDate} />,
                Id: <Copyable text={data.id} />,
                "External id": <Copyable text={data.subscriptionExternalId} />,
                "Customer's external id": <Copyable text={data.customerExternalId} />,
                Region: data.region ?? null,
                Created: <DayTime time={data.createdOn} />,
              }}
            />
            {data.metadata && <Code text={JSON.stringify(data.metadata, null, 2)} />}
          </UsageView>
        </>
      )}
      {data && open === "plan" && <ChangePlan bucket={bucket} subscription={data} onClose={close} />}
      {data && open === "status" && <ChangeStatus bucket={bucket} subscription={data} onClose={close} />}
      {data && (open === "pause" || open === "resume") && (
        <PauseOrResume action={open} bucket={bucket} subscription={data} onClose={close} />
      )}
      {data && open === "event" && <TestEvent bucket={bucket} subscription={data} onClose={close} />}
      {data && open === "delete" && (
        <ConfirmCall
          title={`Delete the subscription of ${data.customerKey}?`}
          action="Delete subscription"
          typed={data.customerKey}
          call={(api) => api.subscriptions(bucket).delete(id)}
          onClose={close}
          done="Subscription deleted"
          onDone={onClose}
        >
          <p>
            What {data.customerKey} has used is deleted with it, and routes with a quota reject its requests from now
            on. This cannot be undone. To keep the record, change the status to canceled instead.
          </p>
        </ConfirmCall>
      )}
    </SidePanel>
  );
}

/** Whether it can be paused, or else resumed. */
function pauseActionOf({ status, cancelsOn }: Subscription): "pause" | "resume" | undefined {
  if (status === "inactive" || cancelsOn !== undefined) return "resume";
  return ["active", "trialing", "past-due", "unpaid"].includes(status) ? "pause" : undefined;
}

/** Pauses or resumes a subscription after a confirmation that says what happens. */
export function PauseOrResume({
  action,
  bucket,
  subscription: { id, customerKey, cancelsOn },
  onClose,
}: SubscriptionProps & { action: "pause" | "resume" }) {
  const isPause = action === "pause";
  return (
    <ConfirmCall
      title={`${isPause ? "Pause" : "Resume"} the subscription of ${customerKey}?`}
      action={isPause ? "Pause subscription" : "Resume subscription"}
      isSafe={!isPause}
      call={(api) => api.subscriptions(bucket)[action](id)}
      onClose={onClose}
      done={isPause ? "Subscription paused" : "Subscription resumed"}
    >
      <p>
        {isPause
          ? `Requests of ${customerKey} are rejected from now on, and nothing is billed until you resume it. What was used before is billed; the rest of the paid period is not refunded.`
          : cancelsOn
            ? "It is not canceled at the end of the period, and renews again."
            : `Requests of ${customerKey} are accepted again immediately. A period that is paid for continues; otherwise the fee is charged for the rest of the current period.`}
      </p>
    </ConfirmCall>
  );
}

/** Sends a usage event as a program would. The event is counted. */
export function TestEvent({ bucket, subscription, onClose }: SubscriptionProps) {
  const usage = useRead(["usage", bucket, subscription.id, undefined], (api, { signal }) =>
    api.usage(bucket, subscription.id).get({ signal }),
  );
  const meters = Object.keys(usage.data?.meters ?? {});
  const [chosen, setMeter] = useState<string>();
  const [amount, setAmount] = useState("1");
  const meter = chosen ?? meters[0] ?? "";
  const [id] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join("-"));
  const event = {
    specversion: "1.0" as const,
    id,
    source: "console",
    type: "test",
    subject: subscription.customerKey,
    data: { [meter]: Number(amount) },
  };
  const send = useCall({
    call: async (api) => {
      const { rejected } = await api.events(bucket).send([event]);
      if (rejected[0]) throw new Error(rejected[0].detail);
    },
    done: "Event counted",
    onSuccess: onClose,
  });
  return (
    <CallDialog title="Send test event" of={send} submit="Send event" disabled={meter === ""} onClose={onClose}>
      <Notice>The event is counted like any other and cannot be taken back.</Notice>
      <div className="form-grid">
        <SelectField
          label="Meter"
          options={meters.map((value) => ({ value, label: usage.data?.meters[value]?.label ?? value }))}
          {...bindInput(meter, setMeter)}
        />
        <TextField label="Amount" inputMode="decimal" {...bindInput(amount, setAmount)} />
      </div>
    </CallDialog>
  );
}
