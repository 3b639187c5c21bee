import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalPlanPreview } from "../../../client/transport/portal-schema.gen.ts";
import { Amounts } from "../../components/amounts.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Choices } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { formatUtcDay } from "../../lib/format.ts";
import { formatMoney } from "../../lib/money.ts";
import { goTo } from "../../lib/router.tsx";
import { call } from "../queries/api.ts";
import { forgetSession } from "../queries/session.ts";
import { useBuyer } from "./billing-details.tsx";
import type { Current } from "./current-plan.tsx";
import type { Offer } from "./plan-card.tsx";
import { PlanComparison } from "./plan-comparison.tsx";
import type { TaxBehavior } from "./price.tsx";

interface DialogProps {
  onClose: () => void;
  onDone: () => void;
}

type Timing = "now" | "period-end";

/** What choosing a plan does and costs, before anything is confirmed. */
export function ChoosePlan({
  plan,
  current,
  tax,
  paysOnline,
  onClose,
  onDone,
}: DialogProps & {
  plan: Offer;
  /** The plan that the customer has, if it can be chosen. */
  current: Offer | undefined;
  tax: TaxBehavior | undefined;
  paysOnline: boolean;
}) {
  const [timing, setTiming] = useState<Timing>();
  const body = { planExternalId: plan.planExternalId, ...(timing ? { timing } : {}) };
  const preview = useQuery({
    queryKey: ["plan preview", body],
    queryFn: ({ signal }) => call("previewPortalPlan", { body, signal }),
    staleTime: 0,
    // Another time is shown in place. It is confirmed once it is known what it does.
    placeholderData: keepPreviousData,
  });
  const shown = preview.data;
  const due = shown?.invoice && Number(shown.invoice.amountDue) > 0;
  const buyer = useBuyer(shown?.isPurchase === true && due === true);
  const choose = useMutation({
    mutationFn: async () => {
      await buyer.save();
      return call("choosePortalPlan", { body });
    },
    onSuccess: ({ url }) => (url === undefined ? onDone() : window.location.assign(url)),
  });
  const isKnown = shown !== undefined && !preview.isPlaceholderData;
  return (
    <FormDialog
      title={`Choose ${plan.label}`}
      mutation={{ ...choose, error: choose.error ?? preview.error }}
      submit={shown?.isPurchase && due && paysOnline ? "Continue to payment" : `Choose ${plan.label}`}
      disabled={!isKnown}
      onClose={onClose}
      blocksClosing
    >
      {shown ? (
        <>
          <PlanComparison plan={plan} current={current} preview={shown} tax={tax} />
          <Consequences preview={shown} paysOnline={paysOnline} />
          {buyer.fields}
        </>
      ) : (
        !preview.error && <SkeletonLines />
      )}
      {shown && !shown.isPurchase && (
        <Choices
          legend="When"
          name="timing"
          value={timing ?? shown.timing}
          onChange={(value) => setTiming(value as Timing)}
          options={[
            { value: "now", label: "Now" },
            { value: "period-end", label: "At the end of the period" },
          ]}
        />
      )}
    </FormDialog>
  );
}

function Consequences({ preview, paysOnline }: { preview: PortalPlanPreview; paysOnline: boolean }) {
  const { isPurchase, timing, on, invoice, creditNotes = [] } = preview;
  const isDue = invoice !== undefined && Number(invoice.amountDue) > 0;
  return (
    <div className="stack stack-tight">
      <p>
        {timing === "period-end"
          ? `Your plan changes on ${formatUtcDay(on)}. Until then nothing changes, and nothing is charged now.`
          : isPurchase && invoice
            ? `${isDue && !paysOnline ? "You get an invoice that says how to pay. " : ""}The plan is active as soon as it is paid.`
            : `Your plan changes now.${isDue && !paysOnline ? " You get an invoice that says how to pay." : ""}`}
      </p>
      {creditNotes.map(({ correctsId, total, currency }) => (
        <p key={correctsId}>
          {formatMoney(total, currency)} of the fee before are credited: less is due of its invoice, and what you have
          paid of it is added to your credits.
        </p>
      ))}
      {invoice && <Amounts invoice={invoice} due={timing === "now" && paysOnline ? "Due now" : "Due"} />}
    </div>
  );
}

export function CancelPlan({ subscription, onClose, onDone }: DialogProps & { subscription: Current }) {
  const name = subscription.plans.map(({ label }) => label).join(", ");
  return (
    <Confirm
      title={`Cancel ${name}`}
      action={`Cancel ${name}`}
      run={() => call("cancelPortalPlan", { body: { timing: "period-end" } })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        The plan stays until the end of the period that is paid, {formatUtcDay(subscription.periodEnd)} at the earliest.
        Then requests are rejected.
      </p>
      <p>Nothing is refunded. You can undo this until then.</p>
    </Confirm>
  );
}

export function DeleteAccount({ name, onClose }: { name: string; onClose: () => void }) {
  const deleted = () => {
    forgetSession();
    goTo("/");
  };
  return (
    <Confirm
      title="Delete account"
      action={`Delete ${name}`}
      typed={name}
      run={() => call("deletePortalAccount")}
      onDone={deleted}
      onClose={onClose}
    >
      <p>
        All keys stop working now, the plan ends now with a final invoice, and nobody can sign in any more. You cannot
        create another account for 31 days.
      </p>
      <p>Nothing is refunded, and this cannot be undone.</p>
    </Confirm>
  );
}
