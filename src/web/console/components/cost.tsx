import { formatSmallMoney, formatUnitPrice } from "../../lib/format.ts";

interface Props {
  /** A decimal. Null if there are several currencies. */
  amount: string | null;
  currency: string | null | undefined;
}

/** An amount that may be far less than a coin, with the exact one on hover. */
export function Cost({ amount, currency }: Props) {
  if (amount === null) return <span className="muted">Several currencies</span>;
  if (!currency) return <span className="number">{amount}</span>;
  return (
    <span className="number" title={formatUnitPrice(amount, currency)}>
      {formatSmallMoney(amount, currency)}
    </span>
  );
}
