import type { PortalPlans } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { PlanOffer } from "./plan-offer.tsx";
import type { TaxBehavior } from "./price.tsx";

export type Offer = PortalPlans["data"][number];

interface PlanCardProps {
  plan: Offer;
  tax: TaxBehavior | undefined;
  onChoose: (() => void) | undefined;
}

/** A plan: its price first, then what it includes. */
export function PlanCard({ plan, tax, onChoose }: PlanCardProps) {
  const { label, isCurrent, isAvailable, isRecommended } = plan;
  return (
    <li className="plan-card" data-current={isCurrent || isRecommended}>
      <div className="row">
        <h2>{label}</h2>
        {isCurrent && <Badge tone="accent">Your plan</Badge>}
        {isRecommended && !isCurrent && <Badge tone="green">Recommended</Badge>}
      </div>
      <PlanOffer plan={plan} tax={tax} />
      {!isAvailable && <p className="muted">Not available yet</p>}
      {onChoose && isAvailable && !isCurrent && (
        <Button kind="primary" onClick={onChoose}>
          Choose {label}
        </Button>
      )}
    </li>
  );
}
