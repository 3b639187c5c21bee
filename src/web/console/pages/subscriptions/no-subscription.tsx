import { Link } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import { EmptyState } from "../../../components/notice.tsx";
import { useSession } from "../../queries/session.tsx";

/** Shown by tabs that need a subscription. */
export function NoSubscription({ name }: { name: string }) {
  const { canBill } = useSession();
  return (
    <EmptyState
      icon={ReceiptText}
      title={`${name} has no subscription`}
      guide="metering#subscriptions"
      action={
        canBill && (
          <Link className="button" data-kind="primary" to="/subscriptions" search={{ new: true, customer: name }}>
            Create a subscription
          </Link>
        )
      }
    >
      A subscription holds a customer to the limits of a plan and counts what it uses. Its customer key is the
      consumer's name.
    </EmptyState>
  );
}
