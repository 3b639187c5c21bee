import { Link } from "@tanstack/react-router";
import { Download, Printer } from "lucide-react";
import { useState } from "react";
import type { Invoice } from "../../../../client/index.ts";
import { paymentsOf } from "../../../../lib/text/invoice-payments.ts";
import { Button } from "../../../components/button.tsx";
import { Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { Notice, NotLoaded, SkeletonBadge } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { formatMoney, formatNumber, formatUnitPrice, formatUtcDay } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { actionLabels, actionsOf, type InvoiceAction, InvoiceActionDialog } from "./invoice-actions.tsx";
import { InvoiceState, reasonOf } from "./invoice-state.tsx";

export function InvoicePanel({ bucket, id, onClose }: { bucket: string; id: string; onClose: () => void }) {
  const { deniedBill } = useSession();
  const [action, setAction] = useState<InvoiceAction>();
  const invoice = useRead(["invoice", bucket, id], (api, { signal }) => api.invoices(bucket).get(id, { signal }));
  const { data } = invoice;
  const title = data ? (data.number ?? "Draft") : "Invoice";
  return (
    <SidePanel
      title={title}
      subtitle={data ? <InvoiceState invoice={data} /> : !invoice.error && <SkeletonBadge />}
      isWide
      onClose={onClose}
    >
      {(invoice.error || !data) && <NotLoaded of={invoice} />}
      {data && (
        <>
          <div className="row row-wrap">
            {actionsOf(data).map((each, index) => (
              <Button
                key={each}
                kind={
                  index === 0 && data.status !== "paid"
                    ? "primary"
                    : each === "void" || each === "mark-uncollectible"
                      ? "danger"
                      : "secondary"
                }
                denied={deniedBill}
                onClick={() => setAction(each)}
              >
                {actionLabels[each]}
              </Button>
            ))}
            <DocumentLinks bucket={bucket} invoice={data} />
          </div>
          <InvoiceNotice invoice={data} />
          <Lines invoice={data} />
          <InvoiceFacts bucket={bucket} invoice={data} />
        </>
      )}
      {data && action && (
        <InvoiceActionDialog action={action} bucket={bucket} invoice={data} onClose={() => setAction(undefined)} />
      )}
    </SidePanel>
  );
}

/** A browser that is signed in gets the page to print at the address of the invoice, and its PDF. */
function DocumentLinks({ bucket, invoice: { id, status } }: { bucket: string; invoice: Invoice }) {
  const { account, accounts } = useSession();
  const query = new URLSearchParams(accounts ? { accountName: account } : {});
  const path = `/v1/metering/${bucket}/invoices/${id}`;
  return (
    <>
      <a className="button" href={`${path}${query.size === 0 ? "" : `?${query}`}`} target="_blank" rel="noreferrer">
        <Printer size={16} aria-hidden />
        Print
      </a>
      {status !== "draft" && (
        <a
          className="button"
          href={`${path}?${new URLSearchParams([...query, ["format", "pdf"]])}`}
          target="_blank"
          rel="noreferrer"
        >
          <Download size={16} aria-hidden />
          PDF
        </a>
      )}
    </>
  );
}

/** A notice about a draft, or about the amount due and why it is not paid. */
function InvoiceNotice({ invoice }: { invoice: Invoice }) {
  const { type, status, finalizesOn, amountDue, currency, collection } = invoice;
  if (type === "credit-note") return null;
  if (status === "draft")
    return (
      <Notice kind={finalizesOn === undefined ? "warning" : "info"}>
        {finalizesOn === undefined ? (
          <>
            It is complete, but invoices name a seller:{" "}
            <Link to="/settings" search={{ tab: "billing" }}>
              set the billing profile
            </Link>
            .
          </>
        ) : (
          `It waits for late usage until ${formatUtcDay(finalizesOn)}, and is finalized then.`
        )}
      </Notice>
    );
  if (status !== "open" && status !== "uncollectible") return null;
  return (
    <Notice kind={invoice.failedOn === undefined ? "info" : "warning"}>
      {formatMoney(amountDue, currency)} are due. {reasonOf(invoice)}{" "}
      {collection?.url && (
        <a href={collection.url} target="_blank" rel="noreferrer">
          Open the payment provider's page
        </a>
      )}
    </Notice>
  );
}

function Lines({ invoice }: { invoice: Invoice }) {
  const { type, lines, subtotal, tax, total, amountDue, currency, taxBehavior, taxNote } = invoice;
  const withoutTax = taxBehavior === "inclusive" ? "Without tax" : "Subtotal";
  const payments = paymentsOf(invoice);
  const isDueShown = type === "invoice" && (payments.length > 0 || amountDue !== total);
  const sums = [
    ...(Number(tax) === 0 ? [] : [{ label: withoutTax, amount: subtotal }]),
    { label: "Total", amount: total },
    ...payments,
    ...(isDueShown ? [{ label: "Due", amount: amountDue }] : []),
  ];
  return (
    <section className="stack stack-tight">
      <h3>Lines</h3>
      <div className="table-box">
        <table className="table">
          <caption className="visually-hidden">Lines</caption>
          <thead>
            <tr>
              <th scope="col">Description</th>
              <th scope="col" data-align="end">
                Quantity
              </th>
              <th scope="col" data-align="end">
                Amount
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and never change their order
              <tr key={index}>
                <td className="two-rows">
                  <span>
                    {line.isIncluded && "Includes "}
                    {line.description ?? line.meter}
                  </span>
                  <span className="small muted block">{detailOf(line)}</span>
                </td>
                <td data-align="end" className="two-rows">
                  {formatNumber(line.quantity)}
                  {line.unitAmount && (
                    <span className="small muted block">×&nbsp;{formatUnitPrice(line.unitAmount, currency)}</span>
                  )}
                </td>
                <td data-align="end">{formatMoney(line.amount, currency)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            {sums.map(({ label, amount }) => (
              <tr key={label}>
                <th scope="row" colSpan={2}>
                  {label}
                </th>
                <td data-align="end" className="strong">
                  {formatMoney(amount, currency)}
                </td>
              </tr>
            ))}
          </tfoot>
        </table>
      </div>
      {taxBehavior === "inclusive" && <p className="small muted">Prices include tax.</p>}
      {taxNote && <p className="small muted">{taxNote}</p>}
    </section>
  );
}

const kinds: Record<Invoice["lines"][number]["kind"], string> = {
  plan: "Fee",
  overage: "Usage beyond the limit",
  proration: "Change of plans",
  credit: "Credit",
  tax: "Tax",
  manual: "Other",
  pack: "Credit pack",
};

function detailOf({ kind, periodStart, periodEnd }: Invoice["lines"][number]): string {
  const period = periodStart === periodEnd ? "" : `, ${formatUtcDay(periodStart)} to ${formatUtcDay(periodEnd)}`;
  return `${kinds[kind]}${period}`;
}

const refundStates: Record<NonNullable<Invoice["refund"]>["state"], string> = {
  pending: "is being returned to the payment method",
  succeeded: "returned to the payment method",
  failed: "could not be returned, and was added to the balance",
};

function InvoiceFacts({ bucket, invoice }: { bucket: string; invoice: Invoice }) {
  const { customerKey, buyer, subscriptionId, finalizedOn, dueOn, paidOn, failedOn, reference, correctsId } = invoice;
  const { currency, refunded, refund } = invoice;
  const isCreditNote = invoice.type === "credit-note";
  const dayOf = (time: string | undefined) => time && formatUtcDay(time);
  return (
    <Facts
      of={{
        Customer: (
          <Link to="/customers/$bucket/$key" params={{ bucket, key: customerKey }} search={{ tab: "billing" }}>
            {buyer?.legalName ?? customerKey}
          </Link>
        ),
        Subscription: subscriptionId && (
          <Link to="/subscriptions" search={{ bucket, subscription: subscriptionId }}>
            {subscriptionId}
          </Link>
        ),
        Corrects: correctsId && (
          <Link to="/billing" search={{ bucket, invoice: correctsId }}>
            {correctsId}
          </Link>
        ),
        Finalized: dayOf(finalizedOn),
        Due: !isCreditNote && dayOf(dueOn),
        Failed: dayOf(failedOn),
        Paid: !isCreditNote && dayOf(paidOn),
        Refunded: refunded && formatMoney(refunded, currency),
        Refund: refund && `${formatMoney(refund.amount, currency)} ${refundStates[refund.state]}`,
        Reference: reference,
        Id: <Copyable text={invoice.id} />,
      }}
    />
  );
}
