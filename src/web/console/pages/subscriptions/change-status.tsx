import { useState } from "react";
import { etagOf, type Subscription } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { bindInput, SelectField, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { fromLocalInput, toLocalInput } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { useCall } from "../../shell/requests.tsx";

interface Props {
  bucket: string;
  subscription: Subscription;
  onClose: () => void;
}

export function ChangeStatus({ bucket, subscription, onClose }: Props) {
  const { api } = useSession();
  const [before, setBefore] = useState(subscription);
  const [status, setStatus] = useState<Status>(subscription.status);
  const [trialEnd, setTrialEnd] = useState(trialEndOf(subscription));
  const trialEndDate = fromLocalInput(trialEnd);
  const isTrial = status === "trialing" && trialEndDate !== undefined && trialEnd !== trialEndOf(before);
  const changes = { status, ...(isTrial ? { trialEndDate } : {}) };
  const change = useCall({
    call: (api, base: Subscription) => api.subscriptions(bucket).update(base.id, changes, { ifMatch: etagOf(base) }),
    done: `Status is ${status}`,
    onSuccess: onClose,
  });
  const isOpen = status === "active" || status === "trialing";
  return (
    <EditDialog
      title={`Change the status of ${subscription.customerKey}`}
      save={change}
      before={before}
      onBefore={setBefore}
      submit="Change status"
      load={() => api.subscriptions(bucket).get(subscription.id)}
      fields={(theirs) => [
        { label: "Status", theirs: statusLabel(theirs.status), mine: statusLabel(status) },
        { label: "Trial ends", theirs: theirs.trialEndDate, mine: isTrial ? trialEndDate : before.trialEndDate },
        { label: "Plans", theirs: theirs.planExternalIds, mine: before.planExternalIds },
      ]}
      onTheirs={(theirs) => {
        setStatus(theirs.status);
        setTrialEnd(trialEndOf(theirs));
      }}
      onClose={onClose}
    >
      <SelectField
        label="Status"
        options={statuses.map((value) => ({ value, label: statusLabel(value) }))}
        {...bindInput(status, setStatus, errorAt(change.errors, "/status"))}
      />
      {status === "trialing" && (
        <TextField
          label="Trial ends"
          isOptional
          type="datetime-local"
          hint="The status then changes automatically, as the plan specifies."
          {...bindInput(trialEnd, setTrialEnd, errorAt(change.errors, "/trialEndDate"))}
        />
      )}
      {!isOpen && (
        <Notice kind="warning">Only active and trialing subscriptions allow use: quotas reject its requests.</Notice>
      )}
    </EditDialog>
  );
}

const trialEndOf = ({ trialEndDate }: Subscription): string => (trialEndDate ? toLocalInput(trialEndDate) : "");

export type Status = Subscription["status"];

export const statuses: Status[] = [
  "active",
  "trialing",
  "past-due",
  "unpaid",
  "inactive",
  "incomplete",
  "incomplete-expired",
  "canceled",
];

const tones: Partial<Record<Status, Tone>> = {
  active: "green",
  trialing: "accent",
  "past-due": "amber",
  unpaid: "amber",
  canceled: "red",
};

export const statusLabel = (status: string) => (status[0]!.toUpperCase() + status.slice(1)).replace("-", " ");

export function SubscriptionStatus({ status }: { status: Status }) {
  return <Badge tone={tones[status] ?? "grey"}>{statusLabel(status)}</Badge>;
}
