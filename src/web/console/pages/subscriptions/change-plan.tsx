import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { etagOf, type Subscription } from "../../../../client/index.ts";
import { Choices, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { toast } from "../../../components/toast.tsx";
import { now } from "../../../lib/clock.ts";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { formatPercent } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { SaveError } from "../../components/conflict.tsx";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { ChangePreview } from "./change-preview.tsx";
import { PlanChoice } from "./plan-choice.tsx";
import { usePlans } from "./plans.ts";

interface Props {
  bucket: string;
  subscription: Subscription;
  onClose: () => void;
}

/** Changes the plan from now on, with a choice of the limits for the rest of this period. */
export function ChangePlan({ bucket, subscription, onClose }: Props) {
  const { api } = useSession();
  const plans = usePlans(bucket);
  const [before, setBefore] = useState(subscription);
  const [chosen, setChosen] = useState(subscription.planExternalIds);
  const [kind, setKind] = useState("whole");
  const rest = restOfPeriod(subscription);
  const [share, setShare] = useState(rest.toFixed(2));
  const prorate = kind === "rest" ? Math.round(rest * 1000) / 1000 : kind === "own" ? Number(share) : undefined;
  const changes = { planExternalIds: chosen, ...(prorate === undefined ? {} : { prorate }) };
  const change = useMutation({
    mutationFn: (base: Subscription) => api.subscriptions(bucket).update(base.id, changes, { ifMatch: etagOf(base) }),
    onSuccess: () => {
      toast("Plan changed");
      onClose();
    },
  });
  const errors = fieldErrors(change.error);
  const isSame = [...chosen].sort().join() === [...before.planExternalIds].sort().join();
  return (
    <FormDialog
      title={`Change the plan of ${subscription.customerKey}`}
      isWide
      mutation={change}
      submit="Change plan"
      disabled={isSame || chosen.length === 0}
      hasOwnError
      onClose={onClose}
      onSubmit={() => change.mutate(before)}
      footStart={
        <CopyAs
          request={{
            method: "PATCH",
            path: `/v1/metering/${bucket}/subscriptions/${subscription.id}`,
            body: changes,
          }}
          command={commandOf(bucket, subscription.id, changes)}
        />
      }
    >
      <SaveError
        error={change.error}
        load={() => api.subscriptions(bucket).get(subscription.id)}
        fields={(theirs) => [
          { label: "Plans", theirs: theirs.planExternalIds, mine: chosen },
          { label: "Status", theirs: theirs.status, mine: before.status },
        ]}
        onTheirs={(theirs) => {
          setBefore(theirs);
          setChosen(theirs.planExternalIds);
          change.reset();
        }}
        onMine={(theirs) => {
          setBefore(theirs);
          change.mutate(theirs);
        }}
      />
      <PlanChoice
        plans={plans.data ?? []}
        chosen={chosen}
        error={errorAt(errors, "/planExternalIds")}
        onChange={setChosen}
      />
      <Choices
        legend="The rest of this period allows"
        name="prorate"
        value={kind}
        onChange={setKind}
        options={[
          { value: "whole", label: "The whole new limit" },
          { value: "rest", label: `${formatPercent(rest)} of it, as time is left` },
          { value: "own", label: "A share…" },
        ]}
      />
      {kind === "own" && (
        <TextField
          label="Share of the new limit, 0 to 1"
          inputMode="decimal"
          {...bindInput(share, setShare, errorAt(errors, "/prorate"))}
        />
      )}
      <p className="field-hint">
        {kind === "whole"
          ? "The usage so far counts against the new limit."
          : "In addition to the usage so far. The next period has the whole limit."}
      </p>
      {!isSame && chosen.length > 0 && (
        <ChangePreview bucket={bucket} subscriptionId={subscription.id} planExternalIds={chosen} prorate={prorate} />
      )}
    </FormDialog>
  );
}

function commandOf(bucket: string, id: string, changes: { planExternalIds: string[]; prorate?: number }): string {
  const plans = changes.planExternalIds.flatMap((plan) => ["--plan", plan]);
  const prorate = changes.prorate === undefined ? [] : ["--prorate", String(changes.prorate)];
  return command("subscriptions", "update", id, "--bucket", bucket, ...plans, ...prorate);
}

function restOfPeriod({ nextBillingCycle, renewalStrategy }: Subscription): number {
  const end = new Date(nextBillingCycle);
  const start = new Date(end);
  if (renewalStrategy === "monthly") start.setUTCMonth(start.getUTCMonth() - 1);
  else start.setUTCFullYear(start.getUTCFullYear() - 1);
  return Math.min(Math.max((end.getTime() - now()) / (end.getTime() - start.getTime()), 0), 1);
}
