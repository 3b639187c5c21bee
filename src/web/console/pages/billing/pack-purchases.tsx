import { Repeat } from "lucide-react";
import { useState } from "react";
import type { PackPurchase } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Notice } from "../../../components/notice.tsx";
import { actionsColumn, List, RowButton } from "../../../components/table.tsx";
import { ExactTime } from "../../../components/time.tsx";
import { formatMoney, formatUtcDay } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { Section } from "../../shell/page.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";
import { DownloadCsv } from "./download-csv.tsx";
import { EditTopUp } from "./edit-top-up.tsx";
import { formatCredits } from "./grants.tsx";
import { useCustomer, useGrants } from "./queries.ts";

const states: Record<PackPurchase["state"], { label: string; tone: Tone }> = {
  open: { label: "Open", tone: "amber" },
  paid: { label: "Paid", tone: "green" },
  failed: { label: "Failed", tone: "red" },
  canceled: { label: "Canceled", tone: "grey" },
};

const stops = {
  payment_failed: "a payment failed",
  refunded: "credit was refunded",
  account_deleted: "of its deletion",
  maximum_too_low: "the pack costs more with tax than the monthly maximum",
};

/** The credit packs that a customer bought, with refunds, and the automatic top-up. */
export default function PackPurchases({ bucket, customer }: { bucket: string; customer: string }) {
  const { api, deniedBill } = useSession();
  const [refunded, setRefunded] = useState<PackPurchase>();
  const [isTopUpOpen, setTopUpOpen] = useState(false);
  const purchases = useRead(["pack-purchases", bucket, customer], (api, { signal }) =>
    api.packPurchases(bucket, customer).list({ signal }).all(),
  );
  const payer = useCustomer(bucket, customer);
  const grants = useGrants(bucket, customer);
  const leftOf = ({ id, grant }: PackPurchase) => {
    const own = (grants.data ?? []).filter((each) => each.purchaseId === id && each.status === "active");
    return own.map(({ balance }) => formatCredits(grant, balance)).join(" + ");
  };
  const topUp = payer.data?.topUp;
  const current = purchases.data?.find(({ id }) => id === refunded?.id);
  return (
    <Section
      title="Credit packs"
      actions={
        <>
          <DownloadCsv
            isSmall
            name={`credit-${customer}.csv`}
            label="Download history"
            load={() => api.grants(bucket, customer).historyCsv()}
          />
          <Button icon={Repeat} isSmall denied={deniedBill} disabled={!payer.data} onClick={() => setTopUpOpen(true)}>
            Automatic top-up
          </Button>
        </>
      }
    >
      {topUp && (
        <Notice kind={topUp.isEnabled ? "info" : "warning"}>
          Automatic top-up is {topUp.isEnabled ? "on" : "off"}: {topUp.packExternalId} when less than {topUp.below} is
          left, at most {topUp.maximumPerMonth} in a month.
          {topUp.stopped &&
            ` It was turned off on ${formatUtcDay(topUp.stopped.on)}, because ${stops[topUp.stopped.reason]}.`}
        </Notice>
      )}
      <List
        caption="Credit packs"
        of={purchases}
        isReversed
        skeletonRows={1}
        empty={
          <p className="muted">None. Customers buy packs in the portal, or you sell one with the API or the CLI.</p>
        }
        columns={[
          { label: "Pack", render: ({ label }) => label },
          { label: "Bought", render: ({ createdOn }) => <ExactTime time={createdOn} /> },
          {
            label: "Price with tax",
            isNumber: true,
            render: ({ total }) => formatMoney(total.amount, total.currency),
          },
          { label: "Left", isNumber: true, isLead: true, render: leftOf },
          {
            label: "State",
            render: ({ state, refunded: back, total, isTopUp }) => (
              <span className="row">
                <Badge tone={states[state].tone}>{states[state].label}</Badge>
                {isTopUp && <span className="muted">Top-up</span>}
                {back && <span className="muted">{formatMoney(back, total.currency)} refunded</span>}
              </span>
            ),
          },
          actionsColumn(
            (purchase: PackPurchase) =>
              purchase.refundable !== undefined && (
                <RowButton
                  verb="Refund"
                  of={purchase.label}
                  denied={deniedBill}
                  onClick={() => {
                    setRefunded(purchase);
                    // The amount may have changed since the page was loaded.
                    void purchases.refetch();
                    void grants.refetch();
                  }}
                />
              ),
          ),
        ]}
      />
      {isTopUpOpen && payer.data && (
        <EditTopUp bucket={bucket} customer={payer.data} onClose={() => setTopUpOpen(false)} />
      )}
      {refunded && (
        <ConfirmCall
          title={`Refund ${refunded.label}`}
          action={`Refund ${refunded.label}`}
          call={(api) => api.packPurchases(bucket, customer).refund(refunded.id)}
          done={`${refunded.label} refunded`}
          onClose={() => setRefunded(undefined)}
        >
          <p>
            {customer} loses the {leftOf(refunded)} that is left of{" "}
            {formatCredits(refunded.grant, refunded.grant.amount)}, and gets back{" "}
            <strong>{formatMoney(current?.refundable ?? "0", refunded.total.currency)}</strong> of{" "}
            {formatMoney(refunded.total.amount, refunded.total.currency)} to the payment method. Credit that is used
            until then is not returned. An automatic top-up is turned off. If the refund fails, the credit is restored.
          </p>
        </ConfirmCall>
      )}
    </Section>
  );
}
