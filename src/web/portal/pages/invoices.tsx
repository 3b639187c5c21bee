import { Download, Receipt } from "lucide-react";
import type { PortalInvoice, PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { actionsColumn, List } from "../../components/table.tsx";
import { download } from "../../lib/download.ts";
import { formatMoney, formatUtcDay } from "../../lib/format.ts";
import { useAction, useRead } from "../queries/api.ts";
import { PageHead } from "../shell/page-head.tsx";
import { BillingDetails } from "./billing-details.tsx";

/** The most that the page shows. */
const limit = 1000;

/** The customer's invoices, and the name and address on them. */
export default function Invoices({ session }: { session: PortalSession }) {
  const invoices = useRead("listPortalInvoices", { query: { limit } });
  return (
    <>
      <PageHead title="Invoices">Everything you were charged, to print or download.</PageHead>
      <div className="stack">
        <List
          caption="Invoices"
          of={{ data: invoices.data?.data.toReversed(), error: invoices.error }}
          empty={
            <EmptyState icon={Receipt} title="No invoices yet">
              Invoices are shown here once something was charged.
            </EmptyState>
          }
          columns={[
            { label: "Number", render: (invoice) => <InvoiceNumber invoice={invoice} /> },
            { label: "Date", render: ({ finalizedOn, createdOn }) => formatUtcDay(finalizedOn ?? createdOn) },
            { label: "State", render: (invoice) => <State invoice={invoice} /> },
            {
              label: "Amount",
              isNumber: true,
              isLead: true,
              render: ({ type, total, currency }) => formatMoney(type === "invoice" ? total : `-${total}`, currency),
            },
            actionsColumn((invoice: PortalInvoice) => <Documents invoice={invoice} />),
          ]}
        />
        <BillingDetails mayChange={session.scopes.includes("plans:write")} isShown={!invoices.isPending} />
      </div>
    </>
  );
}

const pathOf = ({ id }: PortalInvoice): string => `/portal/api/invoices/${encodeURIComponent(id)}`;

/** The page to print. */
function InvoiceNumber({ invoice }: { invoice: PortalInvoice }) {
  return (
    <a href={pathOf(invoice)} target="_blank" rel="noreferrer">
      {invoice.type === "credit-note" && "Credit note "}
      {invoice.number}
    </a>
  );
}

const states: Record<PortalInvoice["status"], { label: string; tone: Tone }> = {
  draft: { label: "Draft", tone: "grey" },
  open: { label: "Open", tone: "amber" },
  paid: { label: "Paid", tone: "green" },
  uncollectible: { label: "Uncollectible", tone: "red" },
  void: { label: "Void", tone: "grey" },
};

function State({ invoice }: { invoice: PortalInvoice }) {
  const { label, tone } = invoice.failedOn && invoice.status === "open" ? failed : states[invoice.status];
  return (
    <span className="row">
      <Badge tone={tone}>{label}</Badge>
      {invoice.status === "open" && invoice.dueOn && (
        <span className="muted small">
          {formatMoney(invoice.amountDue, invoice.currency)} due {formatUtcDay(invoice.dueOn)}
        </span>
      )}
      <Refund invoice={invoice} />
    </span>
  );
}

function Refund({ invoice: { refund, refunded, currency } }: { invoice: PortalInvoice }) {
  if (refund?.state === "failed") return null;
  const amount = refund?.amount ?? refunded;
  if (amount === undefined) return null;
  const text = refund?.state === "pending" ? "refund pending" : "refunded";
  return (
    <span className="muted small">
      {formatMoney(amount, currency)} {text}
    </span>
  );
}

const failed = { label: "Payment failed", tone: "red" as const };

function Documents({ invoice }: { invoice: PortalInvoice }) {
  return (
    <>
      <a
        className="button"
        data-kind="quiet"
        href={`${pathOf(invoice)}?format=pdf`}
        target="_blank"
        rel="noreferrer"
        aria-label={`Open ${invoice.number} as PDF`}
      >
        PDF
      </a>
      <AsCsv invoice={invoice} />
    </>
  );
}

function AsCsv({ invoice }: { invoice: PortalInvoice }) {
  const save = useAction(async () => {
    const response = await fetch(pathOf(invoice), { headers: { accept: "text/csv" } });
    if (!response.ok) throw new Error("The invoice could not be loaded.");
    download(await response.blob(), `${invoice.number ?? invoice.id}.csv`);
  });
  return (
    <Button
      icon={Download}
      kind="quiet"
      isIcon
      isBusy={save.isPending}
      aria-label={`Download ${invoice.number} as CSV`}
      title="Download as CSV"
      onClick={() => save.mutate()}
    />
  );
}
