import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Plan, SimulatedCustomer, Simulation, SimulationInput, Tollgate } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { type Column, List } from "../../../components/table.tsx";
import { formatFee, formatMoney, formatNumber, formatRate, formatUtcDay, plural } from "../../../lib/format.ts";
import { useMeteringBuckets } from "../../queries/buckets.tsx";
import { CustomerLink, useDisplayNames } from "../../queries/display-names.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { useCall } from "../../shell/requests.tsx";
import { usePlans } from "../subscriptions/plans.ts";

type Plans = SimulationInput["plans"];

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** The clock of the server may be behind. */
const clockSkewMilliseconds = 60_000;
const pollMs = 1000;

/** Starts a simulation of past days. A test bucket has its own time. */
export function useSimulate(
  bucket: string,
  days: number,
  { plans, onStarted }: { plans: Plans; onStarted?: (id: string) => void },
) {
  const buckets = useMeteringBuckets();
  const clock = buckets.data?.find(({ id }) => id === bucket)?.clock;
  return useCall({
    call: (api) => {
      const now = clock === undefined ? Date.now() - clockSkewMilliseconds : Date.parse(clock);
      const [from, to] = [now - days * dayMilliseconds, now].map((time) => new Date(time).toISOString());
      return api.simulations(bucket).start({ from: from!, to: to!, plans });
    },
    onSuccess: ({ id }) => onStarted?.(id),
  });
}

export const isInProgress = ({ state }: Simulation): boolean => state === "queued" || state === "running";

/** A simulation, until it is finished. */
export const simulationOf = (api: Tollgate, bucket: string | undefined, id: string | undefined) =>
  queryOptions({
    queryKey: ["simulation", bucket, id],
    queryFn: ({ signal }) => api.simulations(bucket!).get(id!, { signal }),
    enabled: bucket !== undefined && id !== undefined,
    refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? pollMs : false),
  });

/** "Gold: €12.00 per month, 50 Requests" */
export function useSimulatedTerms(bucket: string | undefined): (simulation: Simulation) => string {
  const known = usePlans(bucket).data ?? [];
  const labelOf = (name: string) => known.find(({ planExternalId }) => planExternalId === name)?.label ?? name;
  return ({ plans, moves = [] }) => {
    const changed = Object.entries(plans).map(([name, { price, meters = {}, rates, rollover, features }]) => {
      const currency = price?.currency ?? known.find((plan) => plan.planExternalId === name)?.price?.currency ?? "";
      const parts = [
        ...(price ? [formatFee(price)] : []),
        ...Object.entries(meters).map(([meter, { label = meter, max }]) => `${formatNumber(max)} ${label}`),
        ...Object.values(rates ?? {}).map((rate) => formatRate(rate, currency)),
        ...(rates === null ? ["nothing beyond the limits"] : []),
        ...(rollover === undefined ? [] : ["another rollover"]),
        ...(features === undefined ? [] : ["other features"]),
      ];
      return `${labelOf(name)}: ${parts.join(", ") || "as it is"}`;
    });
    const moved = moves.map(({ from, to }) => `${labelOf(from)} to ${labelOf(to)}`);
    return [...changed, ...moved].join("; ") || "All plans as they are";
  };
}

/** How far a simulation is, or why it has no result. */
export function SimulationProgress({ simulation: { state, done, total } }: { simulation: Simulation }) {
  if (state === "failed")
    return <Notice kind="error">It failed. Start it again; the log of the server has the cause.</Notice>;
  if (state === "canceled") return <Notice>It was canceled.</Notice>;
  return (
    <div className="stack stack-tight">
      <label className="stack stack-tight">
        <span className="number" role="status">
          {`${formatNumber(done)} of ${plural(total, "customer")} computed`}
        </span>
        <progress className="progress" max={Math.max(total, 1)} value={done} />
      </label>
      <p className="muted">It continues when you leave this page, and after a restart of the server.</p>
    </div>
  );
}

/** Who would have paid more and less, and by how much. */
export function SimulatedEffect({ result }: { result: NonNullable<Simulation["result"]> }) {
  const { customers, distribution, meters, missing } = result;
  const { more, less, same } = customers;
  if (more + less + same === 0)
    return <p>No customer was billed for periods that began and ended in this time. Choose a longer one.</p>;
  const most = Math.max(...distribution.map((range) => range.customers));
  return (
    <>
      <p>
        {plural(more, "customer")} would have paid more, {formatNumber(less)} less, {formatNumber(same)} the same.
      </p>
      {Object.entries(meters).map(([meter, { reached, capped, firstOn }]) => (
        <p key={meter}>
          {[
            ...(reached > 0 ? [`${plural(reached, "customer")} would have reached the limit of ${meter}`] : []),
            ...(capped > 0 ? [`${plural(capped, "customer")} would have reached a cap with ${meter}`] : []),
          ].join(", ")}
          , first on {formatUtcDay(firstOn)}.
        </p>
      ))}
      {missing.subscriptions > 0 && (
        <Notice kind="warning">
          {plural(missing.subscriptions, "subscription is", "subscriptions are")} missing, because deleted ones have no
          usage: {missing.invoiced.map(({ amount, currency }) => formatMoney(amount, currency)).join(", ")} was invoiced
          to them.
        </Notice>
      )}
      <ul className="bars" aria-label="Distribution of the differences">
        {distribution
          .slice(0, distribution.findLastIndex((range) => range.customers > 0) + 1)
          .map(({ currency, from, to, customers: count }) => (
            <li className="meter" key={`${currency} ${from}`}>
              <span className="row row-between small">
                <span className="number">
                  {[...new Set([signed(from, currency), signed(to, currency)])].join(" to ")}
                </span>
                <span className="number">{formatNumber(count)}</span>
              </span>
              <span className="meter-bar" data-tone="accent" aria-hidden>
                <i style={{ width: `${(count / most) * 100}%` }} />
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}

interface SimulatedCustomersProps {
  bucket: string;
  id: string;
  size: number;
  page?: number;
  onPage?: (page: number) => void;
}

/** Each customer of a simulation, the largest difference first. */
export function SimulatedCustomers({ bucket, id, size, page = 1, onPage }: SimulatedCustomersProps) {
  const customers = useRead(
    ["simulation", bucket, id, "customers", page, size],
    (api, { signal }) =>
      api
        .simulations(bucket)
        .customers(id, { limit: size, offset: (page - 1) * size, signal })
        .page(),
    { placeholderData: keepPreviousData },
  );
  const displayNames = useDisplayNames(customers.data?.data.map(({ customerKey }) => customerKey));
  const columns: Column<SimulatedCustomer>[] = [
    {
      label: "Customer",
      render: ({ customerKey }) => (
        <CustomerLink isRow bucket={bucket} name={customerKey} displayName={displayNames.data?.get(customerKey)} />
      ),
    },
    { label: "Billed", isNumber: true, render: ({ before, currency }) => formatMoney(before, currency) },
    { label: "Simulated", isNumber: true, render: ({ after, currency }) => formatMoney(after, currency) },
    { label: "Difference", isNumber: true, render: ({ difference, currency }) => signed(difference, currency) },
    ...(onPage
      ? [
          { label: "Limited on", render: ({ limitedOn }: SimulatedCustomer) => limitedOn && formatUtcDay(limitedOn) },
          { label: "Remark", isText: true, render: remarkOf },
        ]
      : []),
  ];
  return (
    <List
      caption="Customers"
      of={customers}
      page={page}
      size={size}
      onPage={onPage}
      columns={columns}
      keyOf={({ customerKey, currency }) => `${customerKey} ${currency}`}
      skeletonRows={size > 10 ? 8 : 3}
    />
  );
}

/** "+€2.00" */
export const signed = (amount: string, currency: string): string =>
  `${Number(amount) > 0 ? "+" : ""}${formatMoney(amount, currency)}`;

function remarkOf({ precision, differs, currency }: SimulatedCustomer): ReactNode {
  const remarks = [
    ...(precision === "exact" ? [] : [`usage is known by the ${precision}`]),
    ...(differs ? [`${formatMoney(differs.invoiced, currency)} was invoiced, with changes by hand`] : []),
  ];
  return remarks.length > 0 && <span title={remarks.join("; ")}>{remarks.join("; ")}</span>;
}

const largest = 5;

/** In the form of a plan: what its subscribers would have been billed with the terms of the form, before it is saved. */
export function EffectOnCustomers({ bucket, plan, terms }: { bucket: string; plan: Plan; terms: Plans[string] }) {
  const { api, deniedBill } = useSession();
  const plans = { [plan.planExternalId]: terms };
  const simulate = useSimulate(bucket, 90, { plans });
  const simulation = useQuery(simulationOf(api, bucket, simulate.data?.id));
  const { data } = simulation;
  const [asked, setAsked] = useState("");
  const error = simulate.error ?? simulation.error;
  return (
    <section className="stack stack-tight" aria-label="Effect on customers">
      <h3>Effect on customers</h3>
      <p className="muted">
        What subscribers would have been billed for the last 90 days with the terms above. Nothing is changed.
      </p>
      {Boolean(error) && <ErrorNotice error={error} />}
      {data && (data.result ? <SimulatedEffect result={data.result} /> : <SimulationProgress simulation={data} />)}
      {data?.result && <SimulatedCustomers bucket={bucket} id={data.id} size={largest} />}
      {data && asked !== JSON.stringify(plans) && (
        <Notice kind="warning">The form has changed since. Simulate it again.</Notice>
      )}
      <div className="row row-wrap">
        <Button
          denied={deniedBill}
          disabled={Object.keys(terms).length === 0}
          isBusy={simulate.isPending || (data && isInProgress(data))}
          onClick={() => {
            setAsked(JSON.stringify(plans));
            simulate.mutate();
          }}
        >
          {data ? "Simulate again" : "Simulate the change"}
        </Button>
        {data?.result && (
          <Link to="/plans/simulations/$ids" params={{ ids: data.id }} search={{ bucket }}>
            All customers
          </Link>
        )}
      </div>
      {Object.keys(terms).length === 0 && (
        <p className="field-hint">Change a price, a rate or a limit above to see its effect.</p>
      )}
    </section>
  );
}
