import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { CreditCard, Gauge, Pencil, ReceiptText } from "lucide-react";
import { useState } from "react";
import type { Subscription } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState, LoadError, Notice } from "../../components/notice.tsx";
import { SkeletonPage } from "../../components/skeleton.tsx";
import { type Column, Pager, Table } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { formatUtcDay } from "../../lib/format.ts";
import { formatMoney } from "../../lib/money.ts";
import { command } from "../../lib/shell.ts";
import { ConsumerLink } from "../components/consumer-link.tsx";
import { useSession } from "../queries/session.tsx";
import { PageHead, Section } from "../shell/page.tsx";
import { usePanel } from "../shell/panel-links.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { addressLines } from "./billing/address.ts";
import { customerPath } from "./billing/customer-path.ts";
import { describeCap, EditCreditLimit } from "./billing/edit-credit-limit.tsx";
import { EditCustomer } from "./billing/edit-customer.tsx";
import { EditPaymentMethod } from "./billing/edit-payment-method.tsx";
import { Grants } from "./billing/grants.tsx";
import { InvoicePanel } from "./billing/invoice-panel.tsx";
import { InvoiceTable } from "./billing/invoice-table.tsx";
import { PaymentMethod } from "./billing/payment-method.tsx";
import { useInvoices } from "./billing/use-invoices.ts";
import { useSubscriptionsOf } from "./billing/use-subscriptions.ts";
import { usePlans } from "./subscriptions/plans.ts";
import { SubscriptionStatus } from "./subscriptions/status.tsx";

const route = getRouteApi("/frame/billing/customers/$bucket/$key");

/** One customer: who pays, by what, for which subscriptions, and each invoice. */
export function CustomerPage() {
  const { api, deniedBill } = useSession();
  const { bucket, key } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/billing/customers/$bucket/$key" });
  const panel = usePanel("invoice");
  const [open, setOpen] = useState<"edit" | "method" | "limit">();
  const customer = useQuery({
    queryKey: ["customer", bucket, key],
    queryFn: ({ signal }) => api.customers(bucket).get(key, { signal }),
  });
  const page = search.page ?? 1;
  const invoices = useInvoices(bucket, { customerKey: key }, page);
  if (customer.error)
    return (
      <LoadError
        error={customer.error}
        onRetry={() => customer.refetch()}
        back={
          <Link className="button" to="/billing" search={{ bucket, tab: "customers" }}>
            Show customers
          </Link>
        }
      />
    );
  if (!customer.data) return <SkeletonPage title={key} />;
  const { email, legalName, address, taxIds, taxStatus, paymentMethod, balances, createdOn } = customer.data;
  const { currency, spendCap, creditLimit } = customer.data;
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHead
        title={legalName ?? key}
        actions={
          <>
            <AsCommand
              request={{ path: customerPath(bucket, key) }}
              command={command("customers", "show", key, "--bucket", bucket)}
            />
            <Button denied={deniedBill} onClick={() => setOpen("method")}>
              <CreditCard size={16} aria-hidden />
              Payment method
            </Button>
            <Button denied={deniedBill} onClick={() => setOpen("limit")}>
              <Gauge size={16} aria-hidden />
              Credit limit
            </Button>
            <Button denied={deniedBill} onClick={() => setOpen("edit")}>
              <Pencil size={16} aria-hidden />
              Edit
            </Button>
          </>
        }
      >
        <p>
          Customer since <RelativeTime time={createdOn} />
        </p>
      </PageHead>
      {email === undefined && (
        <Notice kind="warning">There is no email address: the customer gets no mail about invoices.</Notice>
      )}
      {invoices.data?.data.map(
        ({ id, status, number, collection }) =>
          status === "open" &&
          collection?.state === "needs_action" &&
          collection.url && (
            <Notice kind="warning" key={id}>
              The bank requires a second step of the customer for {number ?? "an invoice"}. They take it at{" "}
              <a href={collection.url} target="_blank" rel="noreferrer">
                the page of the invoice
              </a>
              .
            </Notice>
          ),
      )}
      <dl className="facts">
        <dt>Billing address</dt>
        <dd>
          {address ? (
            <span className="pre-line">{addressLines(address).join("\n")}</span>
          ) : (
            <span className="muted">None</span>
          )}
        </dd>
        <dt>Email</dt>
        <dd>{email ?? <span className="muted">None</span>}</dd>
        {taxIds && (
          <>
            <dt>Tax ids</dt>
            <dd>{taxIds.join(", ")}</dd>
          </>
        )}
        {taxStatus && taxStatus !== "taxable" && (
          <>
            <dt>Tax</dt>
            <dd>{taxStatus === "exempt" ? "Exempt" : "Reverse charge"}</dd>
          </>
        )}
        <dt>Pays by</dt>
        <dd>
          <PaymentMethod method={paymentMethod} />
        </dd>
        {balances && (
          <>
            <dt>Balance</dt>
            <dd>{balances.map(({ amount, currency }) => formatMoney(amount, currency)).join(" · ")}</dd>
          </>
        )}
        <dt>Credit limit</dt>
        <dd>{creditLimit ? describeCap(creditLimit, currency) : <span className="muted">None</span>}</dd>
        {spendCap && (
          <>
            <dt>Customer’s own cap</dt>
            <dd>{describeCap(spendCap, currency)}</dd>
          </>
        )}
        <dt>Consumer</dt>
        <dd>
          <ConsumerLink name={key} />
        </dd>
      </dl>
      <Subscriptions bucket={bucket} customer={key} />
      <Grants bucket={bucket} customer={key} />
      <Section title="Invoices">
        {invoices.error ? (
          <LoadError error={invoices.error} onRetry={() => invoices.refetch()} />
        ) : invoices.data?.total === 0 ? (
          <EmptyState icon={<ReceiptText size={20} aria-hidden />} title="No invoices">
            Its subscriptions have no price, or nothing was due yet.
          </EmptyState>
        ) : (
          <>
            <InvoiceTable
              caption="Invoices"
              bucket={bucket}
              rows={invoices.data?.data}
              hasCustomer={false}
              skeletonRows={3}
            />
            <Pager
              page={page}
              total={invoices.data?.total}
              onPage={(next) => navigate({ search: (old) => ({ ...old, page: next }) })}
            />
          </>
        )}
      </Section>
      {open === "edit" && <EditCustomer bucket={bucket} customer={customer.data} onClose={close} />}
      {open === "limit" && <EditCreditLimit bucket={bucket} customer={customer.data} onClose={close} />}
      {open === "method" && <EditPaymentMethod bucket={bucket} customer={customer.data} onClose={close} />}
      {panel.shown && <InvoicePanel bucket={bucket} id={panel.shown} onClose={panel.close} />}
    </>
  );
}

function Subscriptions({ bucket, customer }: { bucket: string; customer: string }) {
  const plans = usePlans(bucket);
  const subscriptions = useSubscriptionsOf(bucket, customer);
  const labelOf = (id: string) => plans.data?.find((plan) => plan.id === id)?.label ?? id;
  const columns: Column<Subscription>[] = [
    {
      label: "Plans",
      render: ({ id, planIds }) => (
        <Link className="row-link" to="/subscriptions" search={{ bucket, subscription: id }}>
          {planIds.map(labelOf).join(", ")}
        </Link>
      ),
    },
    { label: "Status", render: ({ status }) => <SubscriptionStatus status={status} /> },
    { label: "Payment", render: (subscription) => <Payment {...subscription} /> },
    {
      label: "Next period",
      render: ({ nextBillingCycle, cancelsOn }) =>
        cancelsOn ? `Ends on ${formatUtcDay(cancelsOn)}` : formatUtcDay(nextBillingCycle),
    },
  ];
  return (
    <Section title="Subscriptions">
      {subscriptions.error ? (
        <LoadError error={subscriptions.error} onRetry={() => subscriptions.refetch()} />
      ) : (
        <Table
          caption="Subscriptions"
          columns={columns}
          rows={subscriptions.data?.data.toReversed()}
          keyOf={({ id }) => id}
          skeletonRows={2}
        />
      )}
    </Section>
  );
}

const states = { not_required: "Nothing was due", pending: "Open", paid: "Paid", failed: "Failed" };

function Payment({ payment, status }: Pick<Subscription, "payment" | "status">) {
  if (!payment) return <span className="muted">No price</span>;
  const { state, blocksOn } = payment;
  const end =
    state === "failed" && blocksOn
      ? `: access ${status === "unpaid" ? "ended" : "ends"} on ${formatUtcDay(blocksOn)}`
      : "";
  return <span>{`${states[state]}${end}`}</span>;
}
