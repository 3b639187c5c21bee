import type { PortalCreditOverview } from "../../../../client/portal/schema.gen.ts";
import { Badge } from "../../../components/badge.tsx";
import { Table } from "../../../components/table.tsx";
import { formatUtcDay } from "../../../lib/format.ts";
import { formatUnits } from "./units.ts";

type Credit = NonNullable<PortalCreditOverview["credits"]>[number];

/** What can be used now, by meter and currency, and what of it runs out when. */
export function Left({
  left,
  credits,
  meters,
}: {
  left: NonNullable<PortalCreditOverview["left"]>;
  credits: Credit[];
  meters: Record<string, string>;
}) {
  const next = credits.find(({ expiresOn, status }) => expiresOn !== undefined && status === "active");
  return (
    <section className="card stack" aria-label="What is left">
      <h2>What is left</h2>
      <ul className="credit-left">
        {left.length === 0 && <li>Nothing yet</li>}
        {left.map((each) => (
          <li key={each.meter ?? each.currency}>{formatUnits(each, each.amount, meters)}</li>
        ))}
      </ul>
      <p className="muted">
        {next
          ? `The next to expire: ${formatUnits(next, next.balance, meters)} on ${formatUtcDay(next.expiresOn!)}.`
          : "It does not expire."}
      </p>
      <Table
        caption="Credits"
        rows={credits}
        keyOf={({ id }) => id}
        columns={[
          { label: "From", render: (credit) => <Source credit={credit} meters={meters} /> },
          { label: "Left", isNumber: true, render: (credit) => formatUnits(credit, credit.balance, meters) },
          { label: "Of", isNumber: true, render: (credit) => formatUnits(credit, credit.amount, meters) },
          { label: "Until", render: ({ expiresOn }) => (expiresOn ? formatUtcDay(expiresOn) : "No end") },
        ]}
      />
    </section>
  );
}

function Source({ credit, meters }: { credit: Credit; meters: Record<string, string> }) {
  const { reason, meter, status, effectiveOn } = credit;
  return (
    <span className="row">
      {reason ?? (meter === undefined ? "Money" : (meters[meter] ?? meter))}
      {status === "scheduled" && <Badge tone="amber">from {formatUtcDay(effectiveOn)}</Badge>}
    </span>
  );
}
