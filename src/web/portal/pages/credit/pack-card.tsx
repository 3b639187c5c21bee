import { Button } from "../../../components/button.tsx";
import { formatMoney } from "../../../lib/money.ts";
import { formatDays } from "../../../lib/packs.ts";
import { type TaxBehavior, TaxNote } from "../price.tsx";
import { formatUnits, type Pack } from "./units.ts";

/** Credit to buy: its price first, then what it is and until when. */
export function PackCard({
  pack: { label, price, grant },
  meters,
  tax,
  onBuy,
}: {
  pack: Pack;
  meters: Record<string, string>;
  tax: TaxBehavior | undefined;
  onBuy: (() => void) | undefined;
}) {
  return (
    <li className="plan-card">
      <h3>{label}</h3>
      <p className="plan-price">
        <strong>{formatMoney(price.amount, price.currency)}</strong>
        <TaxNote tax={tax} />
      </p>
      <ul className="plan-includes">
        <li>
          <span>{formatUnits(grant, grant.amount, meters)}</span>
        </li>
        <li>
          <span>
            {grant.expiresInDays === undefined
              ? "Does not expire"
              : `Expires ${formatDays(grant.expiresInDays)} after the payment`}
          </span>
        </li>
      </ul>
      {onBuy && (
        <Button kind="primary" onClick={onBuy} aria-label={`Buy ${label}`}>
          Buy
        </Button>
      )}
    </li>
  );
}
