import { CreditCard } from "lucide-react";
import { Button } from "../../components/button.tsx";

interface PaymentMethodButtonProps {
  isKnown: boolean;
  isBusy: boolean;
  onClick: () => void;
}

/** Opens the provider's page, where the customer enters how to pay. */
export function PaymentMethodButton({ isKnown, isBusy, onClick }: PaymentMethodButtonProps) {
  return (
    <Button icon={CreditCard} isBusy={isBusy} onClick={onClick}>
      {isKnown ? "Change payment method" : "Add payment method"}
    </Button>
  );
}
