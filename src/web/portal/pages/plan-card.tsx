import { Check } from "lucide-react";
import type { ReactNode } from "react";
import type { PortalPlans } from "../../../client/portal/schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { formatRate, formatRollover, formatUnitPrice } from "../../lib/money.ts";

export type Offer = PortalPlans["data"][number];

/** A plan: its price first, then what it includes. */
export function PlanCard({ plan, onChoose }: { plan: Offer; onChoose: (() => void) | undefined }) {
  const {
    label,
    description,
    meters,
    rates = {},
    rollover = {},
    features = {},
    price,
    trialDays,
    isCurrent,
    isAvailable,
  } = plan;
  return (
    <li className="plan-card" data-current={isCurrent || undefined}>
      <div className="row">
        <h2>{label}</h2>
        {isCurrent && <Badge tone="accent">Your plan</Badge>}
      </div>
      <p className="plan-price">
        {price && Number(price.amount) > 0 ? (
          <>
            <strong>{formatUnitPrice(price.amount, price.currency)}</strong> per {price.interval}
          </>
        ) : (
          <strong>Free</strong>
        )}
      </p>
      {description && <p className="muted">{description}</p>}
      <ul className="plan-includes">
        {Object.entries(meters).map(([name, meter]) => (
          <Included key={name}>
            {meter.max.toLocaleString("en")} {meter.label ?? name} per month
            {rates[name] && rates[name].overage !== "block" && price && `, ${formatRate(rates[name], price.currency)}`}
            {rollover[name] && `; ${formatRollover(rollover[name])}`}
          </Included>
        ))}
        {Object.entries(features).map(([name, value]) => (
          <Included key={name}>{value === true ? name : `${name}: ${value}`}</Included>
        ))}
        {trialDays !== undefined && <Included>{trialDays} days free trial</Included>}
      </ul>
      {!isAvailable && <p className="muted">Not available yet</p>}
      {onChoose && isAvailable && !isCurrent && (
        <Button kind="primary" onClick={onChoose}>
          Choose {label}
        </Button>
      )}
    </li>
  );
}

function Included({ children }: { children: ReactNode }) {
  return (
    <li>
      <Check size={16} aria-hidden />
      <span>{children}</span>
    </li>
  );
}
