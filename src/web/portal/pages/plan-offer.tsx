import type { PortalOffer } from "../../../client/transport/portal-schema.gen.ts";
import { includedIn, priceParts } from "../../../lib/text/prices.ts";
import { type TaxBehavior, TaxNote } from "./price.tsx";

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
