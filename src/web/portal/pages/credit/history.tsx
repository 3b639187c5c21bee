import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalCreditEntry } from "../../../../client/transport/portal-schema.gen.ts";
import { LoadError } from "../../../components/notice.tsx";
import { Pager, Table } from "../../../components/table.tsx";
import { formatMinute } from "../../../lib/format.ts";
import { useRead } from "../../queries/api.ts";
import { formatUnits } from "./units.ts";

const size = 20;

const kinds: Record<PortalCreditEntry["kind"], string> = {
  granted: "Added",
  consumed: "Used",
  expired: "Expired",
  voided: "Ended",
  refunded: "Refunded",
  restored: "Added again: the refund failed",
  adjusted: "Corrected",
};

/** What was added to the customer's credit, and what it was used for, the newest first. */
export function History({ meters }: { meters: Record<string, string> }) {
  const [page, setPage] = useState(1);
  const history = useRead("listPortalCreditHistory", {
    query: { order: "desc", limit: size, offset: (page - 1) * size },
    placeholderData: keepPreviousData,
  });
  if (history.error) return <LoadError error={history.error} />;
  return (
    <section className="stack" aria-label="History">
      <div>
        <h2>History</h2>
        <p className="muted">Usage is entered at the end of each hour.</p>
      </div>
      {history.data?.total === 0 ? (
        <p className="muted">Nothing yet. Credit that you buy or get is shown here, and what it was used for.</p>
      ) : (
        <div>
          <Table
            caption="History"
            rows={history.data?.data}
            skeletonRows={3}
            columns={[
              { label: "When", render: ({ hour, createdOn }) => formatMinute(hour ?? createdOn) },
              { label: "What", render: (entry) => described(entry, meters) },
              { label: "Credit", isText: true, render: ({ reason }) => reason ?? "" },
              { label: "Amount", isNumber: true, isLead: true, render: (entry) => signed(entry, meters) },
            ]}
          />
          {(history.data?.total ?? 0) > size && (
            <Pager page={page} size={size} total={history.data?.total} onPage={setPage} />
          )}
        </div>
      )}
    </section>
  );
}

/** Money is used for a meter; units are of one. */
function described({ kind, currency, meter }: PortalCreditEntry, meters: Record<string, string>): string {
  const isForMeter = kind === "consumed" && currency !== undefined && meter !== undefined;
  return isForMeter ? `Used for ${meters[meter] ?? meter}` : kinds[kind];
}

function signed(entry: PortalCreditEntry, meters: Record<string, string>): string {
  const text = formatUnits(entry, entry.amount, meters);
  return Number(entry.amount) > 0 ? `+${text}` : text;
}
