import { Gift } from "lucide-react";
import { useState } from "react";
import { amountText } from "../../../../client/amount-text.ts";
import type { Grant } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { actionsColumn, type Column, List, RowButton } from "../../../components/table.tsx";
import { formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { Section } from "../../shell/page.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";
import { DownloadCsv } from "./download-csv.tsx";
import { NewGrant } from "./new-grant.tsx";
import { useGrants } from "./queries.ts";

const states: Record<Grant["status"], { label: string; tone: Tone }> = {
  scheduled: { label: "Scheduled", tone: "amber" },
  active: { label: "Active", tone: "green" },
  depleted: { label: "Used up", tone: "grey" },
  expired: { label: "Expired", tone: "grey" },
  voided: { label: "Voided", tone: "grey" },
};

const fundings = { promotional: "Promotional", prepaid: "Credit pack", paid: "Paid" };

export function formatCredits({ meter, currency }: Pick<Grant, "meter" | "currency">, amount: string | number): string {
  return currency === undefined ? amountText(Number(amount), meter ?? "") : formatMoney(String(amount), currency);
}

/** The credits of a customer: what is left of them, granting more, and voiding. */
export function Grants({ bucket, customer }: { bucket: string; customer: string }) {
  const { api, deniedBill } = useSession();
  const [isNew, setNew] = useState(false);
  const [voided, setVoided] = useState<Grant>();
  const grants = useGrants(bucket, customer);
  const columns: Column<Grant>[] = [
    {
      label: "Reason",
      isText: "wide",
      render: ({ reason, funding, warning }) => (
        <>
          {reason ?? fundings[funding]}
          {warning && <p className="muted">{warning}</p>}
        </>
      ),
    },
    { label: "Left", isNumber: true, isLead: true, render: (grant) => formatCredits(grant, grant.balance) },
    { label: "Granted", isNumber: true, render: (grant) => formatCredits(grant, grant.amount) },
    { label: "Funding", isMinor: true, render: ({ funding }) => fundings[funding] },
    {
      label: "State",
      render: ({ status, warning }) =>
        warning ? (
          <Badge tone="amber">No such meter</Badge>
        ) : (
          <Badge tone={states[status].tone}>{states[status].label}</Badge>
        ),
    },
    { label: "Expires", render: ({ expiresOn }) => (expiresOn ? formatUtcDay(expiresOn) : "Never") },
    actionsColumn(
      (grant) =>
        (grant.status === "active" || grant.status === "scheduled") && (
          <RowButton
            verb="Void"
            of={formatCredits(grant, grant.amount)}
            denied={deniedBill}
            onClick={() => setVoided(grant)}
          />
        ),
    ),
  ];
  return (
    <Section
      title="Credits"
      actions={
        <>
          <DownloadCsv isSmall name={`grants-${customer}.csv`} load={() => api.grants(bucket, customer).listCsv()} />
          <Button icon={Gift} isSmall denied={deniedBill} onClick={() => setNew(true)}>
            Grant credits
          </Button>
        </>
      }
    >
      <List
        caption="Credits"
        of={grants}
        isReversed
        columns={columns}
        skeletonRows={1}
        empty={
          <p className="muted">None. Grant units of a meter, or money that pays overage and invoices: a free month.</p>
        }
      />
      {isNew && <NewGrant bucket={bucket} customer={customer} onClose={() => setNew(false)} />}
      {voided && (
        <ConfirmCall
          title="Void credits"
          action={`Void ${formatCredits(voided, voided.balance)}`}
          call={(api) => api.grants(bucket, customer).void(voided.id)}
          done="Credits voided"
          onClose={() => setVoided(undefined)}
        >
          <p>
            {customer} can no longer use the {formatCredits(voided, voided.balance)} that are left. What the credits
            have paid stays paid. This cannot be undone; you can grant new credits.
          </p>
        </ConfirmCall>
      )}
    </Section>
  );
}
