import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { etagOf, type Subscription } from "../../../../client/index.ts";
import { Choices, TextField } from "../../../components/field.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { now } from "../../../lib/clock.ts";
import { codeOf, errorAt } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { formatPercent, formatUtcDay } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { useCall } from "../../shell/requests.tsx";
import { ChangeCost, changeAction } from "./change-cost.tsx";
import { ChangePreview } from "./change-preview.tsx";
import { PlanChoice } from "./plan-choice.tsx";
import { usePlans } from "./plans.ts";

interface Props {
  bucket: string;
  subscription: Subscription;
  onClose: () => void;
}

/**
 * Changes the plan now or at the end of the period, and shows what is charged and allowed before it does. Now, the
 * limits for the rest of this period can be a share of the new ones.
 */
export function ChangePlan({ bucket, subscription, onClose }: Props) {
  const { api } = useSession();
  const subscriptions = api.subscriptions(bucket);
  const { id } = subscription;
  const plans = usePlans(bucket);
  const [before, setBefore] = useState(subscription);
  const [chosen, setChosen] = useState(subscription.planExternalIds);
  const [timing, setTiming] = useState<"now" | "period-end">();
  const [kind, setKind] = useState("whole");
  const [typedShare, setShare] = useState<string>();
  const isSame = [...chosen].sort().join() === [...before.planExternalIds].sort().join();
  const isChange = chosen.length > 0 && (!isSame || before.planChange !== undefined);
  const change = { planExternalIds: chosen, ...(timing ? { timing } : {}) };
  const cost = useQuery({
    queryKey: ["subscription", bucket, id, "change", change],
    queryFn: ({ signal }) => subscriptions.previewChange(id, change, { signal }),
    enabled: isChange,
    // Another plan or time is shown in place. It is confirmed once it is known what it costs.
    placeholderData: keepPreviousData,
  });
  // Without a period that is paid for, there is no money in a change: it is one of limits alone.
  const isIdle = codeOf(cost.error) === "subscription_not_in_force";
  const isNow = isIdle || (cost.data !== undefined && cost.data.timing === "now");
  // A test bucket has a clock of its own, which the preview says.
  const rest = restOfPeriod(subscription, cost.data?.timing === "now" ? Date.parse(cost.data.on) : now());
  const share = typedShare ?? rest.toFixed(2);
  const prorate =
    !isNow || isSame || kind === "whole" ? undefined : kind === "rest" ? Math.round(rest * 1000) / 1000 : Number(share);
  const patch = isIdle || prorate !== undefined;
  const changes = patch
    ? { planExternalIds: chosen, ...(prorate === undefined ? {} : { prorate }) }
    : { ...change, ...(cost.data && { timing: cost.data.timing }) };
  const save = useCall({
    call: (api, base: Subscription) => {
      const called = api.subscriptions(bucket);
      return patch ? called.update(id, changes, { ifMatch: etagOf(base) }) : called.change(id, changes);
    },
    done: ({ planChange }) => (planChange ? `The plan changes on ${formatUtcDay(planChange.on)}` : "Plan changed"),
    onSuccess: onClose,
  });
  const isKnown = isIdle || (cost.data !== undefined && !cost.isPlaceholderData);
  return (
    <EditDialog
      title={`Change the plan of ${subscription.customerKey}`}
      isWide
      save={save}
      before={before}
      onBefore={setBefore}
      submit={isSame && isChange ? "Keep this plan" : isChange && cost.data ? changeAction(cost.data) : "Change plan"}
      disabled={!isChange || !isKnown}
      load={() => subscriptions.get(id)}
      fields={(theirs) => [
        { label: "Plans", theirs: theirs.planExternalIds, mine: chosen },
        { label: "Status", theirs: theirs.status, mine: before.status },
      ]}
      onTheirs={(theirs) => setChosen(theirs.planExternalIds)}
      onClose={onClose}
    >
      {before.planChange && (
        <p>
          It changes to {before.planChange.planExternalIds.join(" and ")} on {formatUtcDay(before.planChange.on)}. What
          you choose here replaces that.
        </p>
      )}
      <PlanChoice
        plans={plans.data ?? []}
        chosen={chosen}
        error={errorAt(save.errors, "/planExternalIds")}
        onChange={setChosen}
      />
      {!isSame && cost.data && !isIdle && (
        <Choices
          legend="When"
          name="timing"
          value={timing ?? cost.data.timing}
          onChange={(value) => setTiming(value as "now" | "period-end")}
          options={[
            { value: "now", label: "Now" },
            { value: "period-end", label: "At the end of the period" },
          ]}
        />
      )}
      {isChange && cost.isPending && <SkeletonLines count={2} />}
      {isChange && cost.error && !isIdle && <ErrorNotice error={cost.error} />}
      {isIdle && <p>The subscription is not active: nothing is charged, only the limits change.</p>}
      {isChange && cost.data && !isIdle && (
        <ChangeCost
          bucket={bucket}
          subscription={subscription}
          plans={plans.data ?? []}
          chosen={chosen}
          cost={cost.data}
        />
      )}
      {!isSame && isNow && (
        <>
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
              {...bindInput(share, setShare, errorAt(save.errors, "/prorate"))}
            />
          )}
          <p className="field-hint">
            {kind === "whole"
              ? "The usage so far counts against the new limit."
              : "In addition to the usage so far. The next period has the whole limit."}
          </p>
        </>
      )}
      {!isSame && isKnown && (
        <ChangePreview
          bucket={bucket}
          subscriptionId={id}
          planExternalIds={chosen}
          prorate={prorate}
          plans={plans.data ?? []}
          isLater={!isNow}
        />
      )}
    </EditDialog>
  );
}

function restOfPeriod({ nextBillingCycle, renewalStrategy }: Subscription, at: number): number {
  const end = new Date(nextBillingCycle);
  const start = new Date(end);
  if (renewalStrategy === "monthly") start.setUTCMonth(start.getUTCMonth() - 1);
  else start.setUTCFullYear(start.getUTCFullYear() - 1);
  return Math.min(Math.max((end.getTime() - at) / (end.getTime() - start.getTime()), 0), 1);
}
