import { Link } from "@tanstack/react-router";
import type { Invoice } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { formatSums, formatUtcDay } from "../../../lib/format.ts";

export type InvoiceStatus = Invoice["status"];

export const invoiceStatuses: InvoiceStatus[] = ["draft", "open", "paid", "uncollectible", "void"];

const labels: Record<InvoiceStatus, string> = {
  draft: "Draft",
  open: "Open",
  paid: "Paid",
  uncollectible: "Given up",
  void: "Void",
};

const tones: Record<InvoiceStatus, Tone> = {
  draft: "grey",
  open: "accent",
  paid: "green",
  uncollectible: "red",
  void: "grey",
};

export const invoiceStatusLabel = (status: InvoiceStatus): string => labels[status];

export function InvoiceState({ invoice }: { invoice: Invoice }) {
  if (invoice.type === "credit-note") return <Badge tone="grey">Credit note</Badge>;
  if (invoice.status === "paid" && invoice.refunded !== undefined)
    return (
      <Badge tone="grey">{Number(invoice.refunded) < Number(invoice.total) ? "Partly refunded" : "Refunded"}</Badge>
    );
  const isOverdue = invoice.status === "open" && invoice.failedOn !== undefined;
  return (
    <Badge tone={isOverdue ? "red" : tones[invoice.status]}>
      {isOverdue ? (hasFailed(invoice) ? "Payment failed" : "Overdue") : labels[invoice.status]}
    </Badge>
  );
}

/** A payment was tried before the invoice was due. */
function hasFailed({ failedOn, dueOn }: Invoice): boolean {
  return failedOn !== undefined && dueOn !== undefined && failedOn < dueOn;
}

/** What is due of invoices, by currency. */
export function formatDue(invoices: Invoice[]): string {
  return formatSums(invoices.map(({ amountDue, currency }) => ({ amount: amountDue, currency })));
}

/** Why an invoice is not paid, in a sentence. */
export function reasonOf(invoice: Invoice): string {
  const { status, collection, failedOn, dueOn } = invoice;
  if (collection?.state === "error") return "The payment provider reports a state that needs your attention.";
  if (status === "uncollectible") return "You have given it up.";
  if (collection?.state === "needs_action") return "The bank asks the customer to confirm the payment.";
  if (hasFailed(invoice)) return `A payment failed on ${formatUtcDay(failedOn!)}.`;
  if (failedOn !== undefined) return `It was not paid by its due date, ${formatUtcDay(dueOn!)}.`;
  return `It is due on ${formatUtcDay(dueOn!)}.`;
}

/** The next automatic step of an invoice, or the required action. */
export function NextStep({ invoice }: { invoice: Invoice }) {
  const { status, type, finalizesOn, paidOn, dueOn, failedOn } = invoice;
  if (type === "credit-note") return <span className="muted">None</span>;
  if (status === "draft")
    return finalizesOn === undefined ? (
      <Link to="/settings" search={{ tab: "billing" }}>
        Set the billing profile
      </Link>
    ) : (
      <span>Usage is added on {formatUtcDay(finalizesOn)}</span>
    );
  if (status === "open")
    return <span>{failedOn === undefined ? `Due on ${formatUtcDay(dueOn!)}` : "Collect it, or mark it as paid"}</span>;
  if (status === "paid") return <span className="muted">Paid on {formatUtcDay(paidOn!)}</span>;
  return <span className="muted">None</span>;
}
