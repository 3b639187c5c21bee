import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CreditCard, Gauge, Pencil, ReceiptText } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Customer, Subscription } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Facts } from "../../../components/facts.tsx";
import { EmptyState, LoadError, Notice, NotLoaded, SkeletonLines } from "../../../components/notice.tsx";
import { type Column, List } from "../../../components/table.tsx";
import { formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { PaymentMethod } from "../../components/payment-method.tsx";
import { MeteringBucketSelect } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { Section } from "../../shell/page.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { addressLines } from "../billing/address.tsx";
import { describeCaps, EditCreditLimit, EditCustomer } from "../billing/edit-customer.tsx";
import { EditPaymentMethod } from "../billing/edit-payment-method.tsx";
import { Grants } from "../billing/grants.tsx";
import { InvoicePanel } from "../billing/invoice-panel.tsx";
import { InvoiceTable } from "../billing/invoice-table.tsx";
import { useCustomer, useInvoices, useSubscriptionsOf } from "../billing/queries.ts";
import { SubscriptionStatus } from "../subscriptions/change-status.tsx";
import { NoSubscription } from "../subscriptions/no-subscription.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import { SubscriptionPanel } from "../subscriptions/subscription-panel.tsx";
import { useCustomerSearch } from "./search.ts";
import type { BilledCustomer } from "./use-customer.ts";

const PackPurchases = lazy(() => import("../billing/pack-purchases.tsx"));

interface BillingProps {
  name: string;
  billed: UseQueryResult<BilledCustomer[]>;
  /** The customer in the chosen metering bucket. */
  chosen: BilledCustomer | undefined;
}

/** The payer, payment method, subscriptions, credit and invoices of a customer. */
export function CustomerBilling({ name, billed, chosen }: BillingProps) {
  const { set } = useCustomerSearch();
  const invoice = usePanel("invoice");
  const subscription = usePanel("subscription");
  if (billed.error || !billed.data) return <NotLoaded of={billed} />;
  if (!chosen) return <NoSubscription name={name} />;
  const bucket = chosen.bucketId;
  const ids = billed.data.map(({ bucketId }) => bucketId);
  return (
    <>
      {ids.length > 1 && (
        <div className="filters">
          <MeteringBucketSelect
            value={bucket}
            names={ids}
            onChange={(metering) => set({ metering, page: undefined, invoice: undefined, subscription: undefined })}
          />
        </div>
      )}
      <Payer key={bucket} bucket={bucket} name={name} />
      <CustomerSubscriptions bucket={bucket} customer={name} />
      <CustomerInvoices bucket={bucket} name={name} />
      <Grants bucket={bucket} customer={name} />
      <Suspense fallback={<SkeletonLines />}>
        <PackPurchases bucket={bucket} customer={name} />
      </Suspense>
      {invoice.shown ? (
        <InvoicePanel bucket={bucket} id={invoice.shown} onClose={invoice.close} />
      ) : (
        subscription.shown && <SubscriptionPanel bucket={bucket} id={subscription.shown} onClose={subscription.close} />
      )}
    </>
  );
}

/** The address, tax, payment method and limits of the payer. */
function Payer({ bucket, name }: { bucket: string; name: string }) {
  const { deniedBill } = useSession();
  const [open, setOpen] = useState<"edit" | "method" | "limit">();
  const { data, error } = useCustomer(bucket, name);
  if (error) return <LoadError error={error} />;
  const dialog = data && { bucket, customer: data, onClose: () => setOpen(undefined) };
  return (
    <Section
      title="Payment"
      actions={
        <>
          <Button icon={CreditCard} isSmall denied={deniedBill} onClick={() => setOpen("method")}>
            Payment method
          </Button>
          <Button icon={Gauge} isSmall denied={deniedBill} onClick={() => setOpen("limit")}>
            Credit limit
          </Button>
          <Button icon={Pencil} isSmall denied={deniedBill} onClick={() => setOpen("edit")}>
            Edit billing details
          </Button>
        </>
      }
    >
      {data ? <PayerFacts customer={data} /> : <SkeletonLines count={8} />}
      {dialog && open === "edit" && <EditCustomer {...dialog} />}
      {dialog && open === "limit" && <EditCreditLimit {...dialog} />}
      {dialog && open === "method" && <EditPaymentMethod {...dialog} />}
    </Section>
  );
}

function PayerFacts({ customer }: { customer: Customer }) {
  const { legalName, email, address, taxIds, taxStatus, paymentMethod, balances } = customer;
  const { spendCap, spendCaps, creditLimit, creditLimits } = customer;
  const none = <span className="muted">None</span>;
  return (
    <div className="stack">
      {customer.warnings?.map((warning) => (
        <Notice key={warning} kind="warning">
          <p>{warning}</p>
        </Notice>
      ))}
      {email === undefined && (
        <Notice kind="warning">There is no email address: the customer gets no mail about invoices.</Notice>
      )}
      <Facts
        className="card"
        of={{
          "Pays by": <PaymentMethod method={paymentMethod} />,
          "Legal name": legalName,
          "Billing address": address ? <span className="pre-line">{addressLines(address).join("\n")}</span> : none,
          Email: email ?? none,
          "Tax ids": taxIds?.join(", "),
          Tax: taxStatus && taxStatus !== "taxable" && (taxStatus === "exempt" ? "Exempt" : "Reverse charge"),
          Balance: balances?.map(({ amount, currency }) => formatMoney(amount, currency)).join(" · "),
          "Credit limit": describeCaps(creditLimit, creditLimits) ?? none,
          "Customer’s own cap": describeCaps(spendCap, spendCaps),
        }}
      />
    </div>
  );
}

function CustomerInvoices({ bucket, name }: { bucket: string; name: string }) {
  const { search, set } = useCustomerSearch();
  const page = search.page ?? 1;
  const invoices = useInvoices(bucket, { customerKey: name }, page);
  return (
    <Section
      title="Invoices"
      actions={
        <Link to="/billing" search={{ bucket, customer: name }}>
          Show in billing
        </Link>
      }
    >
      {invoices.data?.data.map(
        ({ id, status, number, collection }) =>
          status === "open" &&
          collection?.state === "needs_action" &&
          collection.url && (
            <Notice kind="warning" key={id}>
              The bank asks the customer to confirm the payment of {number ?? "an invoice"}. They do so on{" "}
              <a href={collection.url} target="_blank" rel="noreferrer">
                the page of the invoice
              </a>
              .
            </Notice>
          ),
      )}
      <InvoiceTable
        bucket={bucket}
        of={invoices}
        hasCustomer={false}
        skeletonRows={3}
        page={page}
        onPage={(next) => set({ page: next, tab: "billing" })}
        empty={
          <EmptyState icon={ReceiptText} title="No invoices" guide="billing">
            Its subscriptions have no price, or nothing was due yet.
          </EmptyState>
        }
      />
    </Section>
  );
}

/** The subscriptions of a customer with their payment, the newest first. */
function CustomerSubscriptions({ bucket, customer }: { bucket: string; customer: string }) {
  const plans = usePlans(bucket);
  const panel = usePanel("subscription");
  const subscriptions = useSubscriptionsOf(bucket, customer);
  const labelOf = (id: string) => plans.data?.find((plan) => plan.id === id)?.label ?? id;
  const columns: Column<Subscription>[] = [
    {
      label: "Plans",
      render: ({ id, planIds }) => (
        <PanelLink panel="subscription" id={id}>
          {planIds.map(labelOf).join(", ")}
        </PanelLink>
      ),
    },
    { label: "Status", isLead: true, render: ({ status }) => <SubscriptionStatus status={status} /> },
    { label: "Payment", render: (subscription) => <Payment {...subscription} /> },
    {
      label: "Next period",
      render: ({ nextBillingCycle, cancelsOn }) =>
        cancelsOn ? `Ends on ${formatUtcDay(cancelsOn)}` : formatUtcDay(nextBillingCycle),
    },
  ];
  return (
    <Section title="Subscriptions">
      <List caption="Subscriptions" of={subscriptions} isReversed columns={columns} panel={panel} skeletonRows={2} />
    </Section>
  );
}

const states = { not_required: "Nothing was due", pending: "Open", paid: "Paid", failed: "Failed" };

function Payment({ payment, status }: Pick<Subscription, "payment" | "status">) {
  if (!payment) return <span className="muted">No price</span>;
  const { state, blocksOn } = payment;
  // With another status, set by hand or by a pause, access has ended for that reason.
  const ends = status === "unpaid" ? "ended" : status === "active" || status === "trialing" ? "ends" : undefined;
  const end = state === "failed" && blocksOn && ends ? `: access ${ends} on ${formatUtcDay(blocksOn)}` : "";
  return <span>{`${states[state]}${end}`}</span>;
}
