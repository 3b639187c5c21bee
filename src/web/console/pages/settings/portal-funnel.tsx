import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { PortalFunnel as Funnel } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { Table } from "../../../components/table.tsx";
import { DayTime } from "../../../components/time.tsx";
import { formatDay, formatNumber, formatPercent } from "../../../lib/format.ts";
import { useRead } from "../../queries/session.tsx";

type Customer = Funnel["data"][number];
type Stage = Customer["stage"];

const stages: Record<Stage, { label: string; tone: Tone }> = {
  "signed-up": { label: "No key yet", tone: "grey" },
  "key-created": { label: "No successful request yet", tone: "amber" },
  active: { label: "Active", tone: "green" },
  stopped: { label: "Stopped", tone: "red" },
};

/** The steps that customers have completed since sign-up. Renders nothing without customers. */
export function PortalFunnel({ bucket }: { bucket: string }) {
  const [stage, setStage] = useState<Stage>();
  const funnel = useRead(
    ["portal-funnel", bucket, stage],
    (api, { signal }) => api.portal(bucket).funnel({ stage, signal }),
    { placeholderData: (former) => former },
  );
  if (funnel.error) return <LoadError error={funnel.error} />;
  if (!funnel.data || funnel.data.signedUp === 0) return null;
  const { signedUp, createdKey, succeeded, active, stopped, data } = funnel.data;
  const steps = [
    { label: "Signed up", count: signedUp, base: undefined },
    { label: "Created a key", count: createdKey, base: signedUp },
    { label: "First successful request", count: succeeded, base: createdKey },
    { label: "Active in 30 days", count: active, base: succeeded },
    { label: "Stopped", count: stopped, base: succeeded },
  ];
  return (
    <section className="stack stack-tight" aria-label="Sign-ups">
      <h2>Sign-ups</h2>
      <ol className="funnel">
        {steps.map(({ label, count, base }) => (
          <li className="card" key={label}>
            <span className="muted small">{label}</span>
            <strong>{formatNumber(count)}</strong>
            {base !== undefined && base > 0 && (
              <span className="muted small">{formatPercent(count / base)} of those before</span>
            )}
          </li>
        ))}
      </ol>
      <fieldset className="funnel-stages">
        <legend className="visually-hidden">Show customers</legend>
        {[undefined, ...(Object.keys(stages) as Stage[])].map((each) => (
          <Button key={each ?? "all"} isSmall aria-pressed={stage === each} onClick={() => setStage(each)}>
            {each === undefined ? "All" : stages[each].label}
          </Button>
        ))}
      </fieldset>
      {data.length === 0 ? (
        <p className="muted">No customers at this stage.</p>
      ) : (
        <Table
          caption="Customers who signed up"
          rows={data}
          keyOf={({ consumerName }) => consumerName}
          columns={[
            { label: "Customer", render: (customer) => <Name customer={customer} bucket={bucket} /> },
            {
              label: "Stage",
              render: ({ stage: reached }) => <Badge tone={stages[reached].tone}>{stages[reached].label}</Badge>,
            },
            { label: "Signed up", render: ({ signedUpOn }) => <DayTime time={signedUpOn} /> },
            { label: "First success", isMinor: true, render: ({ firstSuccessOn }) => dayOf(firstSuccessOn) },
            { label: "Last success", render: ({ lastSuccessOn }) => dayOf(lastSuccessOn) },
          ]}
        />
      )}
    </section>
  );
}

const dayOf = (time: string | undefined) => (time ? formatDay(time) : <span className="muted">None</span>);

function Name({ customer: { consumerName, name, email }, bucket }: { customer: Customer; bucket: string }) {
  return (
    <span className="wrap-anywhere">
      <Link to="/consumers/$bucket/$name" params={{ bucket, name: consumerName }}>
        {name ?? consumerName}
      </Link>{" "}
      <span className="muted">{email}</span>
    </span>
  );
}
