import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Consumer } from "../../../../client/index.ts";
import { Code, Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { NotLoaded } from "../../../components/notice.tsx";
import { Meter } from "../../../components/number.tsx";
import { DayTime, RelativeTime } from "../../../components/time.tsx";
import { useRead } from "../../queries/session.tsx";
import { isBilledBy, useCustomerUsage } from "../../queries/usage.tsx";
import { StatusBadge } from "../requests/status.tsx";
import type { CustomerPlace } from "./use-customer.ts";

/** The usage, the latest requests and changes, and the fields of the consumer, for support cases. */
export function CustomerOverview({ name, consumer }: CustomerPlace) {
  return (
    <div className={consumer ? "columns customer-overview" : "stack"}>
      <div className="stack">
        <OverviewCard title="Usage in this period" tab="usage" action="Show usage">
          <CurrentUsage name={name} />
        </OverviewCard>
        <OverviewCard title="Last requests" tab="requests" action="Show requests">
          <LastRequests name={name} />
        </OverviewCard>
      </div>
      {consumer && <ConsumerDetails consumer={consumer} />}
    </div>
  );
}

interface OverviewCardProps {
  title: string;
  tab: string;
  action: string;
  children: ReactNode;
}

function OverviewCard({ title, tab, action, children }: OverviewCardProps) {
  return (
    <section className="card">
      <div className="card-title">
        <h2>{title}</h2>
        <Link to="." search={{ tab } as never}>
          {action}
        </Link>
      </div>
      {children}
    </section>
  );
}

function CurrentUsage({ name }: { name: string }) {
  const usage = useCustomerUsage([name]);
  if (usage.error || !usage.data) return <NotLoaded of={usage} lines={2} />;
  const held = usage.data.get(name) ?? [];
  if (held.length === 0) return <p className="muted">No active subscription: nothing is counted against a limit.</p>;
  return (
    <div className="stack">
      {held.map(({ subscriptionId, plans, meters }) => (
        <div className="stack stack-tight" key={subscriptionId}>
          {held.length > 1 && <h3>{plans.map(({ label: name }) => name).join(", ")}</h3>}
          {Object.entries(meters).map(([meter, { label, used, max }]) => (
            <Meter key={meter} label={label ?? meter} used={used} max={max} isBilled={isBilledBy(plans, meter)} />
          ))}
        </div>
      ))}
    </div>
  );
}

const lastCount = 5;

function LastRequests({ name }: { name: string }) {
  const requests = useRead(["requests", "last-of", name], (api, { signal }) =>
    api.requests.list({ consumer: name, limit: lastCount, signal }),
  );
  if (requests.error || !requests.data) return <NotLoaded of={requests} lines={lastCount} />;
  if (requests.data.data.length === 0) return <p className="muted">None are stored.</p>;
  return (
    <ul className="plain last-requests">
      {requests.data.data.map(({ id, method, path, status, time }) => (
        <li key={id}>
          <StatusBadge status={status} />
          <Link className="mono truncate" to="." search={{ tab: "requests", request: id } as never}>
            {method} {path}
          </Link>
          <span className="small muted">
            <RelativeTime time={time} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function ConsumerDetails({ consumer }: { consumer: Consumer }) {
  const { id, description, createdOn, updatedOn, metadata, tags } = consumer;
  return (
    <div className="stack">
      <Facts
        className="card"
        of={{
          Description: description && <span className="wrap-anywhere">{description}</span>,
          Id: <Copyable text={id} />,
          Created: <DayTime time={createdOn} />,
          Changed: <DayTime time={updatedOn} />,
        }}
      />
      {Object.keys(tags ?? {}).length > 0 && (
        <section className="stack stack-tight">
          <h2>Tags</h2>
          <Facts
            className="card"
            of={Object.fromEntries(Object.entries(tags ?? {}).map(([name, value]) => [name, String(value) || null]))}
          />
        </section>
      )}
      <section className="stack stack-tight">
        <h2>Metadata</h2>
        {metadata ? (
          <Code text={JSON.stringify(metadata, null, 2)} />
        ) : (
          <p className="muted">
            No metadata. Gateways pass metadata to your code as the data of the user (the consumer).
          </p>
        )}
      </section>
    </div>
  );
}
