import type { ReactNode } from "react";
import { Notice } from "../../../components/notice.tsx";
import { formatUtcDay } from "../../../lib/format.ts";
import { formatMoney } from "../../../lib/money.ts";
import type { OpenPurchase } from "./units.ts";

/** Credit that was ordered and is not paid yet. `isBack`: the customer has just paid, or entered a payment method. */
export function OpenPurchases({
  purchases,
  isBack,
  paysOnline,
  payButton,
}: {
  purchases: OpenPurchase[];
  isBack: boolean;
  paysOnline: boolean;
  payButton: (label: string) => ReactNode;
}) {
  return purchases.map((purchase) => {
    const { id, label, isTopUp, total, needsAction, hasFailed, url, expiresOn } = purchase;
    const price = formatMoney(total.amount, total.currency);
    const until = expiresOn === undefined ? "" : ` It is canceled on ${formatUtcDay(expiresOn)} if it is not paid.`;
    if (needsAction)
      return (
        <Notice kind="warning" key={id}>
          <p>
            Your bank asks you to confirm the payment of {price} for {label}
            {isTopUp && ", an automatic top-up"}.{until}
          </p>
          {url === undefined ? (
            payButton("Confirm the payment")
          ) : (
            <a className="button" href={url} target="_blank" rel="noreferrer">
              Confirm the payment
            </a>
          )}
        </Notice>
      );
    if (hasFailed)
      return (
        <Notice kind="error" key={id}>
          <p>
            The payment of {price} for {label} failed.
            {isBack && " If you have just paid with another method, this page shows it as soon as it has arrived."}
            {until}
          </p>
          {payButton("Pay with another method")}
        </Notice>
      );
    return (
      <Notice kind="warning" key={id}>
        <p>
          {!paysOnline
            ? `${label} is added once its invoice of ${price} is paid.`
            : isBack || isTopUp
              ? `Waiting for the payment of ${price} for ${label}. This page shows it as soon as it has arrived.`
              : `${label} is not paid yet.${until}`}
        </p>
        {!isTopUp && payButton("Pay now")}
      </Notice>
    );
  });
}
