import type { PortalPlans } from "../../../client/transport/portal-schema.gen.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { formatUtcDay } from "../../lib/format.ts";

export type Current = NonNullable<PortalPlans["subscription"]>;

const states: Partial<Record<Current["status"], { label: string; tone: Tone }>> = {
  active: { label: "Active", tone: "green" },
  trialing: { label: "Trial", tone: "amber" },
  unpaid: { label: "Unpaid", tone: "red" },
};

/** The plan that the customer has, and what will happen to it. */
export function CurrentPlan({
  subscription,
  paymentMethod,
  mayChange,
  isUndoing,
  onUndo,
  onCancel,
}: {
  subscription: Current;
  paymentMethod: string | undefined;
  mayChange: boolean;
  isUndoing: boolean;
  onUndo: () => void;
  onCancel: () => void;
}) {
  const { status, plans, periodEnd, trialEndDate, cancelsOn, planChange } = subscription;
  const state = states[status];
  return (
    <section className="card stack" aria-label="Your plan">
      <div className="row">
        <h2>{plans.map(({ label }) => label).join(", ")}</h2>
        {state && <Badge tone={state.tone}>{state.label}</Badge>}
      </div>
      <p className="muted">
        {cancelsOn
          ? `Ends on ${formatUtcDay(cancelsOn)}. Nothing is charged after that.`
          : planChange
            ? `Changes to ${planChange.planExternalIds.join(", ")} on ${formatUtcDay(planChange.on)}.`
            : trialEndDate
              ? `The trial ends on ${formatUtcDay(trialEndDate)}.`
              : `The current period ends on ${formatUtcDay(periodEnd)}.`}
        {paymentMethod && ` Paid by: ${paymentMethod}.`}
      </p>
      {mayChange && (
        <div className="row">
          {cancelsOn || planChange ? (
            <Button isBusy={isUndoing} onClick={onUndo}>
              {cancelsOn ? "Keep the plan" : "Undo the change"}
            </Button>
          ) : (
            <Button onClick={onCancel}>Cancel plan…</Button>
          )}
        </div>
      )}
    </section>
  );
}
