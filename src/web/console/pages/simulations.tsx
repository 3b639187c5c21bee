import { useQueries, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { FlaskConical, Plus } from "lucide-react";
import { useState } from "react";
import { etagOf, type Simulation } from "../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { EmptyState, LoadError, NotLoaded, SkeletonLines } from "../../components/notice.tsx";
import { type Column, List, pageSize, Table } from "../../components/table.tsx";
import { ExactTime } from "../../components/time.tsx";
import { formatMoney, formatNumber, formatUtcDay, sumsOf } from "../../lib/format.ts";
import { SelectBox, SelectionBar, useSelection } from "../components/selection.tsx";
import { MeteringBucketSelect, useChosenMeteringBucket } from "../queries/buckets.tsx";
import { usePaged } from "../queries/paged.ts";
import { useSession } from "../queries/session.tsx";
import { PageHead, Section } from "../shell/page.tsx";
import { AsCommand, ConfirmCall } from "../shell/requests.tsx";
import { DownloadCsv } from "./billing/download-csv.tsx";
import { SimulatePlan } from "./plans/plan-form.tsx";
import {
  isInProgress,
  SimulatedCustomers,
  SimulatedEffect,
  SimulationProgress,
  signed,
  simulationOf,
  useSimulatedTerms,
} from "./plans/simulated.tsx";
import { NoPlans } from "./plans.tsx";
import { usePlans } from "./subscriptions/plans.ts";

const pollMs = 2000;
const maxCompared = 4;

const listRoute = getRouteApi("/frame/plans/simulations");

/** What customers would have been billed with other plans: all simulations of a bucket. */
export function SimulationsPage() {
  const { deniedBill } = useSession();
  const search = listRoute.useSearch();
  const navigate = useNavigate({ from: "/plans/simulations" });
  const { buckets, bucket } = useChosenMeteringBucket(search.bucket);
  const selection = useSelection(bucket ?? "");
  const termsOf = useSimulatedTerms(bucket);
  const simulations = usePaged(["simulations", bucket], (api, paging) => api.simulations(bucket!).list(paging).page(), {
    enabled: bucket !== undefined,
    refetchInterval: ({ state: { data } }) => (data?.data.some(isInProgress) ? pollMs : false),
  });
  const show = (ids: string) => void navigate({ to: "/plans/simulations/$ids", params: { ids }, search: { bucket } });
  const create = () => navigate({ search: (old) => ({ ...old, new: true }) });
  const columns: Column<Simulation>[] = [
    {
      label: "Select",
      isSelect: true,
      render: ({ id, result, ...simulation }) =>
        result && (
          <SelectBox
            label={`Compare ${termsOf({ id, ...simulation })}`}
            checked={selection.ids.has(id)}
            onChange={() => selection.toggle(id)}
          />
        ),
    },
    {
      label: "Plans",
      isText: "wide",
      render: (simulation) => (
        <Link
          className="row-link"
          title={termsOf(simulation)}
          to="/plans/simulations/$ids"
          params={{ ids: simulation.id }}
          search={{ bucket }}
        >
          {termsOf(simulation)}
        </Link>
      ),
    },
    { label: "Periods", isMinor: true, render: periodOf },
    {
      label: "Difference",
      isNumber: true,
      render: ({ result, ...simulation }) => (result ? differenceOf(result) : <State {...simulation} />),
    },
    { label: "Pay more", isNumber: true, render: ({ result }) => result && formatNumber(result.customers.more) },
    { label: "Pay less", isNumber: true, render: ({ result }) => result && formatNumber(result.customers.less) },
    { label: "Started", isMinor: true, render: ({ createdOn }) => <ExactTime time={createdOn} /> },
  ];
  return (
    <>
      <PageHead
        title="Simulations"
        actions={
          bucket && (
            <>
              <AsCommand call={(api) => api.simulations(bucket).list().page()} />
              <Button icon={Plus} kind="primary" denied={deniedBill} onClick={create}>
                New simulation
              </Button>
            </>
          )
        }
      >
        <p>What customers would have been billed with other plans. They change nothing, and are kept for 30 days.</p>
      </PageHead>
      <div className="filters">
        <MeteringBucketSelect value={bucket} onChange={(name) => navigate({ search: { bucket: name } })} />
      </div>
      <SelectionBar selection={selection} noun="simulation" count={selection.ids.size} total={0} canSelectAll={false}>
        <Button
          isSmall
          disabled={selection.ids.size < 2 || selection.ids.size > maxCompared}
          title={`Choose two to ${maxCompared}`}
          onClick={() => show([...selection.ids].join())}
        >
          Compare
        </Button>
      </SelectionBar>
      {buckets.data?.length === 0 ? (
        <NoPlans isFirst />
      ) : (
        <List
          caption="Simulations"
          of={simulations}
          {...simulations.paging}
          error={buckets.error}
          columns={columns}
          onOpen={({ id }) => show(id)}
          isSelected={({ id }) => selection.ids.has(id)}
          empty={
            <EmptyState
              icon={FlaskConical}
              title="No simulations yet"
              guide="changing-prices"
              action={
                <Button kind="primary" denied={deniedBill} onClick={create}>
                  Simulate a plan
                </Button>
              }
            >
              Before you change a price or a limit, see what your customers would have been billed for their past usage.
            </EmptyState>
          }
        />
      )}
      {search.new && bucket && !deniedBill && (
        <NewSimulation bucket={bucket} onClose={() => navigate({ search: ({ new: _, ...old }) => old })} />
      )}
    </>
  );
}

function State({ state, done, total }: Omit<Simulation, "result">) {
  if (state === "queued" || state === "running")
    return <Badge tone="accent">{`${formatNumber(done)} of ${formatNumber(total)}`}</Badge>;
  return <Badge tone={state === "failed" ? "red" : "grey"}>{state === "failed" ? "Failed" : "Canceled"}</Badge>;
}

const periodOf = ({ from, to }: Simulation): string => `${formatUtcDay(from)} – ${formatUtcDay(to)}`;

type Result = NonNullable<Simulation["result"]>;

const negative = (amount: string): string => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`);

function differences({ before, after }: Pick<Result, "before" | "after">) {
  const change = (rows: Result["after"], signOf = (amount: string) => amount) =>
    rows.map(({ currency, total }) => ({ currency, amount: signOf(total) }));
  return sumsOf([...change(after), ...change(before, negative)]);
}

const differenceOf = (result: Result): string =>
  differences(result)
    .map(({ amount, currency }) => signed(amount, currency))
    .join(" · ");

function NewSimulation({ bucket, onClose }: { bucket: string; onClose: () => void }) {
  const plans = usePlans(bucket);
  if (plans.data?.length) return <SimulatePlan bucket={bucket} plans={plans.data} onClose={onClose} />;
  return (
    <Dialog title="New simulation" onClose={onClose} closeLabel="Close">
      {plans.error || !plans.data ? <NotLoaded of={plans} /> : <p>This bucket has no plan to simulate yet.</p>}
    </Dialog>
  );
}

const resultRoute = getRouteApi("/frame/plans/simulations/$ids");

/** One simulation with all its customers, or several beside each other. */
export function SimulationPage() {
  const { api, deniedBill } = useSession();
  const { ids } = resultRoute.useParams();
  const search = resultRoute.useSearch();
  const navigate = useNavigate({ from: "/plans/simulations/$ids" });
  const { bucket } = useChosenMeteringBucket(search.bucket);
  /** As it is when it is to be canceled or deleted. */
  const [open, setOpen] = useState<Simulation>();
  const queries = useQueryClient();
  const termsOf = useSimulatedTerms(bucket);
  const all = useQueries({
    queries: ids.split(",", maxCompared).map((id) => simulationOf(api, bucket, id)),
  });
  const failed = all.find(({ error }) => error);
  if (failed) return <LoadError error={failed.error} />;
  const simulations = all.flatMap(({ data }) => data ?? []);
  const [first] = simulations;
  if (!bucket || !first || simulations.length < all.length) return <SkeletonLines count={6} />;
  const isOne = all.length === 1;
  const canCancel = open !== undefined && isInProgress(open);
  const hasEnded = canCancel && !isInProgress(first);
  return (
    <>
      <PageHead
        title={isOne ? termsOf(first) : `${all.length} simulations`}
        actions={
          isOne && (
            <>
              {first.result && (
                <DownloadCsv name="simulation.csv" load={() => api.simulations(bucket).customersCsv(first.id)} />
              )}
              <Button kind="danger" denied={deniedBill} onClick={() => setOpen(first)}>
                {isInProgress(first) ? "Cancel" : "Delete"}
              </Button>
            </>
          )
        }
      >
        <p>
          {isOne
            ? `If these terms had applied in the periods of ${periodOf(first)}. Nothing was changed.`
            : "What customers would have been billed with each of them. Nothing was changed."}
        </p>
      </PageHead>
      <div className="stack">
        {simulations.some(({ result }) => result) && <Sums simulations={simulations} termsOf={termsOf} />}
        {simulations.map((simulation) => (
          <Section
            key={simulation.id}
            title={isOne ? "Effect on customers" : termsOf(simulation)}
            actions={
              !isOne && (
                <Link to="/plans/simulations/$ids" params={{ ids: simulation.id }} search={{ bucket }}>
                  All customers
                </Link>
              )
            }
          >
            {simulation.result ? (
              <div className="stack stack-tight">
                <SimulatedEffect result={simulation.result} />
              </div>
            ) : (
              <SimulationProgress simulation={simulation} />
            )}
          </Section>
        ))}
        {isOne && first.result && (
          <SimulatedCustomers
            bucket={bucket}
            id={first.id}
            size={pageSize}
            page={search.page ?? 1}
            onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
          />
        )}
      </div>
      {open && (
        <ConfirmCall
          title={canCancel ? "Cancel this simulation?" : "Delete this simulation?"}
          action={canCancel ? "Cancel the simulation" : "Delete simulation"}
          isImpossible={hasEnded}
          // The same request deletes one that has ended in the meantime.
          call={(api) => api.simulations(bucket).delete(open.id, { ifMatch: etagOf(open) })}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            if (canCancel) return setOpen(undefined);
            queries.removeQueries({ queryKey: ["simulation", bucket, first.id] });
            navigate({ to: "/plans/simulations", search: { bucket } });
          }}
        >
          <p>
            {hasEnded
              ? "It has ended in the meantime: there is nothing to cancel."
              : canCancel
                ? "What is computed so far has no result. You can start it again."
                : "Its result is deleted. You can start it again; plans and invoices are not changed."}
          </p>
        </ConfirmCall>
      )}
    </>
  );
}

interface SumsRow {
  id: string;
  name: string;
  sums: Result["after"][number];
  difference?: string;
}

/** What was billed, and what would have been with each simulation. */
function Sums({ simulations, termsOf }: { simulations: Simulation[]; termsOf: (simulation: Simulation) => string }) {
  const rows = simulations.flatMap((simulation) => {
    const { id, result } = simulation;
    if (!result) return [];
    const billed = result.before.map((sums): SumsRow => ({ id, name: `Billed, ${periodOf(simulation)}`, sums }));
    const changed = differences(result);
    const simulated = result.after.map((sums): SumsRow => {
      const { amount = "0" } = changed.find(({ currency }) => currency === sums.currency) ?? {};
      return { id, name: termsOf(simulation), sums, difference: signed(amount, sums.currency) };
    });
    return [...billed, ...simulated];
  });
  // Simulations of the same periods compare with the same invoices.
  const shown = [...new Map(rows.map((row) => [`${row.name} ${JSON.stringify(row.sums)}`, row])).values()];
  const amount = (label: string, name: "fees" | "usage" | "credits" | "tax" | "total"): Column<SumsRow> => ({
    label,
    isNumber: true,
    isMinor: name !== "total",
    render: ({ sums }) => formatMoney(sums[name], sums.currency),
  });
  const columns: Column<SumsRow>[] = [
    { label: "Terms", isText: "wide", render: ({ name }) => <span title={name}>{name}</span> },
    amount("Fees", "fees"),
    amount("Usage", "usage"),
    amount("Credits", "credits"),
    amount("Tax", "tax"),
    amount("Total", "total"),
    { label: "Difference", isNumber: true, render: ({ difference }) => difference },
  ];
  return (
    <Table
      caption="Sums"
      columns={columns}
      rows={shown}
      keyOf={({ id, name, sums }) => `${id} ${name} ${sums.currency}`}
    />
  );
}
