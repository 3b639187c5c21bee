import { CreditCard } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { call, useAction } from "../queries/api.ts";

/** Whether the customer comes back from the provider's page. The server determines whether the payment succeeded. */
export const isBackFromCheckout = (): boolean => new URLSearchParams(window.location.search).has("paid");

/**
 * Buttons that open the provider's page, where the customer enters a payment method and pays what is open, and comes
 * back from to `returnTo`. None are shown to customers who may not pay, or who pay invoices.
 */
export function useCheckout(returnTo: "plans" | "credit", maySeeButtons: boolean) {
  const open = useAction(async () => {
    const { url } = await call("createPortalCheckout", { body: { returnTo } });
    window.location.assign(url);
  });
  const shared = { isBusy: open.isPending, onClick: () => open.mutate() };
  return {
    payButton: (label: string) =>
      maySeeButtons && (
        <Button kind="primary" isSmall {...shared}>
          {label}
        </Button>
      ),
    methodButton: (isKnown: boolean) =>
      maySeeButtons && (
        <Button icon={CreditCard} {...shared}>
          {isKnown ? "Change payment method" : "Add payment method"}
        </Button>
      ),
  };
}
