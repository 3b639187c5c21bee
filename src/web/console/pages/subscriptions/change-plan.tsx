import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type Customer,
  etagOf,
  type Plan,
  type Subscription,
  type SubscriptionChangePreview,
} from "../../../../client/index.ts";
import { Amounts } from "../../../components/amounts.tsx";
import { Facts } from "../../../components/facts.tsx";
import { bindInput, Choices, optionsOf, TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice, SkeletonLines } from "../../../components/notice.tsx";
import { PlainTable } from "../../../components/table.tsx";
import { now } from "../../../lib/clock.ts";
import { codeOf, errorAt } from "../../../lib/errors.ts";
import { formatFee, formatMoney, formatNumber, formatPercent, formatUtcDay } from "../../../lib/format.ts";
import { labelOfMethod } from "../../components/payment-method.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { useCall } from "../../shell/requests.tsx";
import type { SubscriptionProps } from "./change-status.tsx";
import { PlanChoice } from "./plan-choice.tsx";
import { usePlans } from "./plans.ts";

/**
 * Changes the plan now or at the end of the period, and shows what is charged and allowed before it does. Now, the
 * limits for the rest of this period can be a share of the new ones.
 */
export function ChangePlan({ bucket, subscription, onClose }: SubscriptionProps) {
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
  const change = { planExternalIds: chosen, timing };
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
    ? { planExternalIds: chosen, prorate }
    : { planExternalIds: chosen, timing: cost.data?.timing ?? timing };
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
          options={optionsOf({ now: "Now", "period-end": "At the end of the period" })}
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

interface ChangeCostProps {
  bucket: string;
  subscription: Subscription;
  plans: Plan[];
  chosen: string[];
  cost: SubscriptionChangePreview;
}

/** The price before and after a change of plans, and what is charged, credited or left for later by it. */
function ChangeCost({ bucket, subscription: { customerKey, planExternalIds }, plans, chosen, cost }: ChangeCostProps) {
  const customer = useRead(["customer", bucket, customerKey], (api, { signal }) =>
    api.customers(bucket).get(customerKey, { signal }),
  );
  const { timing, on, invoice, creditNotes = [] } = cost;
  const isLater = timing === "period-end";
  return (
    <section className="stack stack-tight" aria-label="Cost">
      <Facts
        of={{
          "Price now": priceOf(plans, planExternalIds),
          [isLater ? `From ${formatUtcDay(on)}` : "Then"]: priceOf(plans, chosen),
        }}
      />
      {isLater && <p>Until {formatUtcDay(on)} nothing changes, and nothing is charged for the change.</p>}
      {!isLater && !invoice && creditNotes.length === 0 && <p>Nothing is charged or credited by this change.</p>}
      {creditNotes.map(({ correctsId, total, currency }) => (
        <p key={correctsId}>
          {formatMoney(total, currency)} of the fee before are credited with a credit note: less is due of its invoice,
          and what was paid of it is added to the customer's credits.
        </p>
      ))}
      {invoice && <Amounts invoice={invoice} due="Due" />}
      {invoice && isDue(invoice.amountDue) && customer.data && <p>{howPaid(customer.data)}</p>}
    </section>
  );
}

/** What the button of the dialog says that happens: "Change and charge €4.51". */
function changeAction({ timing, on, invoice, creditNotes = [] }: SubscriptionChangePreview): string {
  if (timing === "period-end") return `Change on ${formatUtcDay(on)}`;
  if (invoice && isDue(invoice.amountDue))
    return `Change and charge ${formatMoney(invoice.amountDue, invoice.currency)}`;
  const credited = creditNotes.map(({ total, currency }) => formatMoney(total, currency));
  return credited.length > 0 ? `Change and credit ${credited.join(" and ")}` : "Change plan";
}

const isDue = (amount: string): boolean => Number(amount) > 0;

function howPaid({ paymentMethod }: Customer): string {
  return paymentMethod
    ? `The payment method is charged: ${labelOfMethod(paymentMethod)}.`
    : "There is no payment method: the customer gets an invoice to pay.";
}

function priceOf(plans: Plan[], ids: string[]): string {
  return ids
    .map((id) => plans.find(({ planExternalId }) => planExternalId === id))
    .map((plan) => (plan?.price ? `${plan.label}, ${formatFee(plan.price)}` : `${plan?.label ?? "A plan"}, no fee`))
    .join(" + ");
}

interface ChangePreviewProps {
  bucket: string;
  subscriptionId: string;
  planExternalIds: string[];
  prorate: number | undefined;
  plans: Plan[];
  /** The change is at the end of the period: this one keeps its limits. */
  isLater: boolean;
}

/** The effect of the change on this and later periods, computed by the server. */
function ChangePreview({ bucket, subscriptionId, planExternalIds, prorate, plans, isLater }: ChangePreviewProps) {
  const change = { planExternalIds, prorate };
  const preview = useRead(
    ["plan-change", bucket, subscriptionId, change],
    (api, { signal }) => api.subscriptions(bucket).preview(subscriptionId, change, { signal }),
    {
      placeholderData: keepPreviousData,
      enabled: planExternalIds.length > 0 && !Number.isNaN(prorate),
    },
  );
  if (preview.error) return <ErrorNotice error={preview.error} />;
  if (!preview.data) return <SkeletonLines count={2} />;
  const { periodEnd, before, after, next } = preview.data;
  const rates = plans.filter((plan) => planExternalIds.includes(plan.planExternalId)).map((plan) => plan.rates ?? {});
  // What is used beyond a limit is billed, or paid in advance, if a plan has a rate for it: it is not rejected here.
  const isBilled = (meter: string) => rates.some((rate) => (rate[meter]?.overage ?? "block") !== "block");
  const over = Object.entries(after).filter(
    ([name, { used, available }]) => available === 0 && used > 0 && !isBilled(name),
  );
  return (
    <div className="stack stack-tight">
      <PlainTable
        caption="Effect of the change"
        rows={[...new Set([before, after, next].flatMap(Object.keys))]}
        keyOf={(name) => name}
        columns={[
          { label: "Meter", render: (name) => after[name]?.label ?? before[name]?.label ?? name },
          number("Used", (name) => formatNumber(before[name]?.used ?? after[name]?.used ?? 0)),
          number("Limit now", (name) => limit(before[name])),
          ...(isLater
            ? []
            : [number(`Then, until ${formatUtcDay(periodEnd)}`, (name) => (next[name] ? limit(after[name]) : "None"))]),
          number("Each period after", (name) => limit(next[name])),
        ]}
      />
      {!isLater && over.length > 0 && (
        <Notice kind="warning">
          Nothing is left of {over.map(([name, { label }]) => label ?? name).join(" and ")} after the change: requests
          that count it are rejected until {formatUtcDay(periodEnd)}.
        </Notice>
      )}
    </div>
  );
}

const limit = (meter: { max: number } | undefined): string => (meter ? formatNumber(meter.max) : "None");

const number = (label: string, render: (meter: string) => string) => ({ label, isNumber: true, render });
