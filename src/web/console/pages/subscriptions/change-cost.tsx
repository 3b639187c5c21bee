import type { Customer, Plan, Subscription, SubscriptionChangePreview } from "../../../../client/index.ts";
import { Amounts } from "../../../components/amounts.tsx";
import { Facts } from "../../../components/facts.tsx";
import { formatUtcDay } from "../../../lib/format.ts";
import { formatFee, formatMoney } from "../../../lib/money.ts";
import { labelOfMethod } from "../../components/payment-method.tsx";
import { useRead } from "../../queries/session.tsx";

interface Props {
  bucket: string;
  subscription: Subscription;
  plans: Plan[];
  chosen: string[];
  cost: SubscriptionChangePreview;
}

/** The price before and after a change of plans, and what is charged, credited or left for later by it. */
export function ChangeCost({ bucket, subscription: { customerKey, planExternalIds }, plans, chosen, cost }: Props) {
  const customer = useRead(["customer", bucket, customerKey], (api, { signal }) =>
    api.customers(bucket).get(customerKey, { signal }),
  );
  const { timing, on, invoice, creditNotes = [] } = cost;
  const isLater = timing === "period-end";
  return (
    <section className="stack stack-tight" aria-label="Cost">
      <Facts
        of={{
          "Price now": priceOf(plans, planExternalIds),
          [isLater ? `From ${formatUtcDay(on)}` : "Then"]: priceOf(plans, chosen),
        }}
      />
      {isLater && <p>Until {formatUtcDay(on)} nothing changes, and nothing is charged for the change.</p>}
      {!isLater && !invoice && creditNotes.length === 0 && <p>Nothing is charged or credited by this change.</p>}
      {creditNotes.map(({ correctsId, total, currency }) => (
        <p key={correctsId}>
          {formatMoney(total, currency)} of the fee before are credited with a credit note: less is due of its invoice,
          and what was paid of it is added to the customer's credits.
        </p>
      ))}
      {invoice && <Amounts invoice={invoice} due="Due" />}
      {invoice && isDue(invoice.amountDue) && customer.data && <p>{howPaid(customer.data)}</p>}
    </section>
  );
}

/** What the button of the dialog says that happens: "Change and charge €4.51". */
export function changeAction({ timing, on, invoice, creditNotes = [] }: SubscriptionChangePreview): string {
  if (timing === "period-end") return `Change on ${formatUtcDay(on)}`;
  if (invoice && isDue(invoice.amountDue))
    return `Change and charge ${formatMoney(invoice.amountDue, invoice.currency)}`;
  const credited = creditNotes.map(({ total, currency }) => formatMoney(total, currency));
  return credited.length > 0 ? `Change and credit ${credited.join(" and ")}` : "Change plan";
}

const isDue = (amount: string): boolean => Number(amount) > 0;

function howPaid({ paymentMethod }: Customer): string {
  return paymentMethod
    ? `The payment method is charged: ${labelOfMethod(paymentMethod)}.`
    : "There is no payment method: the customer gets an invoice to pay.";
}

function priceOf(plans: Plan[], ids: string[]): string {
  return ids
    .map((id) => plans.find(({ planExternalId }) => planExternalId === id))
    .map((plan) => (plan?.price ? `${plan.label}, ${formatFee(plan.price)}` : `${plan?.label ?? "A plan"}, no fee`))
    .join(" + ");
}
