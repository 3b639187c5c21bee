import { useState } from "react";
import type { PortalOffer, PortalPlans } from "../../../client/transport/portal-schema.gen.ts";
import { includedIn, plansAt, priceParts } from "../../../lib/text/prices.ts";
import { Choices } from "../../components/field.tsx";

export type Offer = PortalPlans["data"][number];
export type TaxBehavior = PortalPlans["taxBehavior"];

/** What a price says about tax. Nothing if there is none. */
export function TaxNote({ tax }: { tax: TaxBehavior | undefined }) {
  if (tax === undefined) return null;
  return <span className="muted small"> {tax === "inclusive" ? "incl. tax" : "plus tax"}</span>;
}

/** What a plan costs and what it includes. */
export function PlanOffer({ plan, tax }: { plan: PortalOffer; tax?: TaxBehavior | undefined }) {
  const { amount, per } = priceParts(plan);
  return (
    <>
      <p className="plan-price">
        <strong>{amount}</strong>
        {per && ` ${per}`}
        {per && <TaxNote tax={tax} />}
      </p>
      {plan.description && <p className="muted">{plan.description}</p>}
      <ul className="plan-includes">
        {includedIn(plan).map((text) => (
          <li key={text}>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

type Offered = Pick<PortalOffer, "label" | "price">;

/** Plans that are offered for a month and for a year are shown once, with a choice between the two. */
export function usePlansAt<Plan extends Offered & { isCurrent?: boolean }>(plans: Plan[]) {
  const [chosen, choose] = useState<string>();
  const interval = chosen ?? plans.find(({ isCurrent }) => isCurrent)?.price?.interval ?? "month";
  const hasBoth = plansAt(plans, "month").length < plans.length;
  const choice = hasBoth && (
    <Choices
      legend="Billed"
      name="interval"
      value={interval}
      onChange={choose}
      options={[
        { value: "month", label: "Monthly" },
        { value: "year", label: "Yearly" },
      ]}
    />
  );
  return { plans: hasBoth ? plansAt(plans, interval) : plans, choice };
}
