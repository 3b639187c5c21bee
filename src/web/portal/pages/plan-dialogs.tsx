import { keepPreviousData, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { amountText } from "../../../client/amount-text.ts";
import type { PortalPlanPreview } from "../../../client/transport/portal-schema.gen.ts";
import { Amounts } from "../../components/amounts.tsx";
import { Badge } from "../../components/badge.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { Choices } from "../../components/field.tsx";
import { Notice, SkeletonLines } from "../../components/notice.tsx";
import { formatMoney, formatNumber, formatRate, formatUnitPrice, formatUtcDay } from "../../lib/format.ts";
import { call, useRead } from "../queries/api.ts";
import { useBuyer } from "./billing-details.tsx";
import type { Current } from "./current-plan.tsx";
import { type Offer, type TaxBehavior, TaxNote } from "./plan-offer.tsx";

type Timing = "now" | "period-end";

/** What choosing a plan does and costs, before anything is confirmed. */
export function ChoosePlan({
  plan,
  current,
  tax,
  paysOnline,
  onClose,
}: {
  plan: Offer;
  /** The plan that the customer has, if it can be chosen. */
  current: Offer | undefined;
  tax: TaxBehavior | undefined;
  paysOnline: boolean;
  onClose: () => void;
}) {
  const [timing, setTiming] = useState<Timing>();
  const body = { planExternalId: plan.planExternalId, ...(timing ? { timing } : {}) };
  const preview = useRead("previewPortalPlan", {
    body,
    staleTime: 0, // Another time is shown in place. It is confirmed once it is known what it does.
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
    onSuccess: ({ url }) => (url === undefined ? onClose() : window.location.assign(url)),
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

export function CancelPlan({ subscription, onClose }: { subscription: Current; onClose: () => void }) {
  const name = subscription.plans.map(({ label }) => label).join(", ");
  return (
    <Confirm
      title={`Cancel ${name}`}
      action={`Cancel ${name}`}
      run={() => call("cancelPortalPlan", { body: { timing: "period-end" } })}
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

type Limit = PortalPlanPreview["limits"][number];

interface PlanComparisonProps {
  plan: Offer;
  current: Offer | undefined;
  preview: PortalPlanPreview;
  tax: TaxBehavior | undefined;
}

/** The price and limits of a plan beside the current ones, with the usage of the period. */
function PlanComparison({ plan, current, preview, tax }: PlanComparisonProps) {
  const { limits } = preview;
  const hasBefore = limits.some(({ before }) => before !== undefined);
  const over = limits.filter((limit) => isLower(limit) && limit.used > (limit.after ?? 0));
  return (
    <>
      <table className="table" aria-label="Comparison">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">What</span>
            </th>
            {hasBefore && <th scope="col">Now</th>}
            <th scope="col">{plan.label}</th>
            {hasBefore && <th scope="col">Used</th>}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Price</th>
            {hasBefore && <td className="two-rows">{current ? <Price price={current.price} tax={tax} /> : "—"}</td>}
            <td className="two-rows">
              <Price price={plan.price} tax={tax} />
            </td>
            {hasBefore && <td />}
          </tr>
          {limits.map((limit) => (
            <tr key={limit.meter}>
              <th scope="row">{limit.label ?? limit.meter}</th>
              {hasBefore && <td className="number">{formatLimit(limit.before)}</td>}
              <td className="number">
                {formatLimit(limit.after)} {isLower(limit) && <Badge tone="amber">Lower</Badge>}
                {limit.after !== undefined && <div className="muted small">{beyond(limit.meter, plan)}</div>}
              </td>
              {hasBefore && <td className="number">{formatNumber(limit.used)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {over.length > 0 && (
        <Notice kind="warning">
          {over.map((limit) => (
            <p key={limit.meter}>{consequence(limit, plan, preview)}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

function Price({ price, tax }: { price: Offer["price"]; tax: TaxBehavior | undefined }) {
  if (!price || Number(price.amount) === 0) return "Free";
  return (
    <>
      {formatUnitPrice(price.amount, price.currency)} per {price.interval}
      <TaxNote tax={tax} />
    </>
  );
}

const formatLimit = (max: number | undefined): string => (max === undefined ? "Not included" : formatNumber(max));

const isLower = ({ before, after = 0 }: Limit): boolean => before !== undefined && after < before;

/** What happens beyond the limit of a meter: "then €0.10 each". */
function beyond(meter: string, { rates = {}, price }: Offer): string {
  const rate = rates[meter];
  return rate && rate.overage !== "block" && price ? formatRate(rate, price.currency) : "then requests are rejected";
}

/** What it means that more was used than the new plan allows. */
function consequence(limit: Limit, { label, rates = {}, price }: Offer, { timing, on }: PortalPlanPreview): string {
  const name = limit.label ?? limit.meter;
  const rate = rates[limit.meter];
  const used = `You have used ${amountText(limit.used, name)} in this period. ${label} ${
    limit.after === undefined ? "does not include them" : `allows ${formatNumber(limit.after)}`
  }`;
  if (rate && rate.overage !== "block" && price) return `${used}, ${formatRate(rate, price.currency)}.`;
  return timing === "now"
    ? `${used}: further ones are rejected until the period ends.`
    : `${used}: from ${formatUtcDay(on)} on, as many would be rejected.`;
}
