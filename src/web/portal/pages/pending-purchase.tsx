import type { ReactNode } from "react";
import type { PortalPlans } from "../../../client/portal/schema.gen.ts";
import { Notice } from "../../components/notice.tsx";

type Purchase = NonNullable<PortalPlans["purchase"]>;

/** A plan that was chosen and is not paid yet. `isBack`: the customer has just entered a payment method. */
export function PendingPurchase({
  purchase,
  isBack,
  paysOnline,
  payButton,
}: {
  purchase: Purchase;
  isBack: boolean;
  paysOnline: boolean;
  payButton: (label: string) => ReactNode;
}) {
  const names = purchase.plans.map(({ label }) => label).join(", ");
  if (purchase.payment?.state === "failed")
    return (
      <Notice kind="error">
        <p>
          The payment of {names} failed. {names} is active once it is paid.
          {isBack && " If you have just paid with another method, this page shows it as soon as it has arrived."}
        </p>
        {payButton("Pay with another method")}
      </Notice>
    );
  return (
    <Notice kind="warning">
      <p>
        {isBack
          ? `Waiting for the payment of ${names}. This page shows it as soon as it has arrived.`
          : paysOnline
            ? `${names} is not paid yet. It is active once it is paid, and expires after 24 hours.`
            : `${names} is active once its invoice is paid.`}
      </p>
      {payButton("Pay now")}
    </Notice>
  );
}
