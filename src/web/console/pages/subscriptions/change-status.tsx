import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { etagOf, type Subscription } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { SelectField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { useSession } from "../../queries/session.tsx";
import { type Status, statuses, statusLabel } from "./status.tsx";

interface Props {
  bucket: string;
  subscription: Subscription;
  onClose: () => void;
}

export function ChangeStatus({ bucket, subscription, onClose }: Props) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [before, setBefore] = useState(subscription);
  const [status, setStatus] = useState<Status>(subscription.status);
  const change = useMutation({
    mutationFn: () => api.subscriptions(bucket).update(subscription.id, { status }, { ifMatch: etagOf(before) }),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["subscription", bucket, subscription.id] });
      queries.invalidateQueries({ queryKey: ["subscriptions"] });
      toast(`Status is ${status}`);
      onClose();
    },
  });
  const reload = async () => {
    const fresh = await api.subscriptions(bucket).get(subscription.id);
    setBefore(fresh);
    setStatus(fresh.status);
    change.reset();
  };
  const isOpen = status === "active" || status === "trialing";
  return (
    <Dialog
      title={`Change the status of ${subscription.customerKey}`}
      onClose={onClose}
      onSubmit={() => change.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Change status
          </Button>
        </>
      }
    >
      {change.error && <ErrorNotice error={change.error} onReload={reload} />}
      <SelectField
        label="Status"
        value={status}
        error={errorAt(fieldErrors(change.error), "/status")}
        onChange={(event) => setStatus(event.target.value as Status)}
        options={statuses.map((value) => ({ value, label: statusLabel(value) }))}
      />
      {!isOpen && (
        <Notice kind="warning">Only active and trialing subscriptions allow use: quotas reject its requests.</Notice>
      )}
    </Dialog>
  );
}
