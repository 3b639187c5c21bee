import { etagOf, type Subscription } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { SelectField, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { capitalized, fromLocalInput, toLocalInput } from "../../../lib/format.ts";
import { EditDialog, useEdit } from "../../shell/edit-dialog.tsx";

export interface SubscriptionProps {
  bucket: string;
  subscription: Subscription;
  onClose: () => void;
}

export function ChangeStatus({ bucket, subscription, onClose }: SubscriptionProps) {
  const { form, before, dialog, field } = useEdit({
    of: subscription,
    formOf,
    load: (api) => api.subscriptions(bucket).get(subscription.id),
    call: (api, base, form) =>
      api.subscriptions(bucket).update(base.id, changesOf(base, form), { ifMatch: etagOf(base) }),
    done: ({ status }) => `Status is ${status}`,
    onClose,
  });
  const { status } = form;
  const { trialEndDate = before.trialEndDate } = changesOf(before, form);
  const isOpen = status === "active" || status === "trialing";
  return (
    <EditDialog
      {...dialog}
      title={`Change the status of ${subscription.customerKey}`}
      submit="Change status"
      fields={(theirs) => [
        { label: "Status", theirs: statusLabel(theirs.status), mine: statusLabel(status) },
        { label: "Trial ends", theirs: theirs.trialEndDate, mine: trialEndDate },
        { label: "Plans", theirs: theirs.planExternalIds, mine: before.planExternalIds },
      ]}
    >
      <SelectField label="Status" options={statusOptions} {...field("status")} />
      {status === "trialing" && (
        <TextField
          label="Trial ends"
          isOptional
          type="datetime-local"
          hint="The status then changes automatically, as the plan specifies."
          {...field("trialEnd", "/trialEndDate")}
        />
      )}
      {!isOpen && (
        <Notice kind="warning">Only active and trialing subscriptions allow use: quotas reject its requests.</Notice>
      )}
    </EditDialog>
  );
}

const formOf = ({ status, trialEndDate }: Subscription) => ({
  status,
  trialEnd: trialEndDate ? toLocalInput(trialEndDate) : "",
});

type Form = ReturnType<typeof formOf>;

/** The end of a trial is kept, unless another one is entered. */
function changesOf(before: Subscription, { status, trialEnd }: Form) {
  const isOther = status === "trialing" && trialEnd !== formOf(before).trialEnd;
  return { status, trialEndDate: isOther ? fromLocalInput(trialEnd) : undefined };
}

export type Status = Subscription["status"];

const tones: Record<Status, Tone> = {
  active: "green",
  trialing: "accent",
  "past-due": "amber",
  unpaid: "amber",
  inactive: "grey",
  incomplete: "grey",
  "incomplete-expired": "grey",
  canceled: "red",
};

export const statusLabel = (status: string) => capitalized(status).replace("-", " ");

export const statusOptions = Object.keys(tones).map((value) => ({ value, label: statusLabel(value) }));

export function SubscriptionStatus({ status }: { status: Status }) {
  return <Badge tone={tones[status]}>{statusLabel(status)}</Badge>;
}
