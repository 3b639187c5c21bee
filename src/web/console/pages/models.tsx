import { keepPreviousData } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { BookOpen, BrainCircuit } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { EmptyState, LoadError, SkeletonLines } from "../../components/notice.tsx";
import { Figure } from "../../components/number.tsx";
import { now } from "../../lib/clock.ts";
import { formatPercent } from "../../lib/format.ts";
import { Cost } from "../components/cost.tsx";
import { RangeSelect } from "../components/range-select.tsx";
import { type Range, ranges, timesOf, usualRange } from "../queries/range.ts";
import { useRead } from "../queries/session.tsx";
import { PageHead, Section } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { type Change, changeOf, type Pair, Tile } from "./home/tiles.tsx";
import {
  ConsumerTable,
  ModelCharts,
  type ModelSeries,
  ModelTable,
  type ModelTotals,
  marginShare,
  ProviderTable,
} from "./models/tables.tsx";

/** The maximum of the API. All others are one more series. */
const maxSeries = 100;
const maxConsumers = 10;
const yearMs = 365 * 86_400_000;

/** Requests to models in the range and before, by model, provider and consumer. */
function useModels(name: string, range: Range) {
  return useRead(
    ["analytics", "models", name],
    async (api, { signal }) => {
      const { from, before } = timesOf(range);
      const coarse = { from, step: range.coarseStep, limit: maxSeries, signal };
      const [present, earlier, models, providers, consumers] = await Promise.all([
        api.analytics.models({ from, step: range.step, signal }),
        api.analytics.models({ from: before, to: from, step: range.step, signal }),
        api.analytics.models({ ...coarse, by: "model" }),
        api.analytics.models({ ...coarse, by: "provider" }),
        api.analytics.models({ ...coarse, by: "consumer", limit: maxConsumers }),
      ]);
      return {
        present: present.series[0]!,
        before: earlier.series[0]!,
        models: models.series,
        providers: providers.series,
        consumers: consumers.series,
      };
    },
    {
      placeholderData: keepPreviousData,
      refetchInterval: range.refetchMs,
    },
  );
}

/** Whether a model was requested within a year. Asked only if the range has no requests. */
function useEarlierModels(isEnabled: boolean) {
  return useRead(
    ["analytics", "models", "year"],
    async (api, { signal }) => {
      const from = new Date(now() - yearMs).toISOString();
      const { series } = await api.analytics.models({ from, step: "1d", signal });
      return series[0]!.totals.requests > 0;
    },
    {
      enabled: isEnabled,
    },
  );
}

const route = getRouteApi("/frame/models");
const longestRange = "month";

/** What language models cost and earn, and how their providers respond. */
export function ModelsPage() {
  const navigate = useNavigate({ from: "/models" });
  const { range: named = usualRange } = route.useSearch();
  const name = ranges[named] ? named : usualRange;
  const range = ranges[name]!;
  const models = useModels(name, range);
  const { data } = models;
  const isEmpty = data?.present.totals.requests === 0;
  const earlier = useEarlierModels(isEmpty);
  const error = models.error ?? (isEmpty ? earlier.error : null);
  const isUnused = isEmpty && earlier.data === false;
  const choose = (next: string) => navigate({ search: { range: next } });
  const { from } = timesOf(range);
  return (
    <>
      <PageHead
        title="Models"
        actions={
          <>
            <AsCommand call={(api) => api.analytics.models({ by: "model", from, step: range.coarseStep })} />
            {!isUnused && <RangeSelect value={name} onChange={choose} />}
          </>
        }
      >
        <p>What language models cost, what customers are charged for them, and how providers respond.</p>
      </PageHead>
      {error ? (
        <LoadError error={error} />
      ) : isUnused ? (
        <HowToOffer />
      ) : isEmpty && earlier.data === undefined ? (
        <SkeletonLines />
      ) : isEmpty ? (
        <EmptyState
          icon={BrainCircuit}
          title={`No requests to models in the last ${range.label}`}
          action={
            name !== longestRange && (
              <Button onClick={() => choose(longestRange)}>{`Show the last ${ranges[longestRange]!.label}`}</Button>
            )
          }
        >
          There were some earlier. A request is counted when its response has ended.
        </EmptyState>
      ) : (
        <div className="stack">
          <h2 className="visually-hidden">All models</h2>
          <ModelTiles all={data} />
          <ModelCharts series={data?.present} range={range} />
          <Section title="By model">
            <div className="stack stack-tight">
              <ModelTable series={data?.models} />
              <p className="muted small">
                Cost is what the providers charge. Charge is what meters with the count <code>cost</code> have counted:
                of models that you meter in tokens or requests only, the revenue is on their invoices.
              </p>
            </div>
          </Section>
          <Section title="By consumer">
            <ConsumerTable series={data?.consumers} />
          </Section>
          <Section title="By provider">
            <div className="stack stack-tight">
              <ProviderTable series={data?.providers} />
              <p className="muted small">
                Errors are 5xx responses. The time to the first byte of the response is a mean. Estimated are requests
                whose tokens the provider did not report.
              </p>
            </div>
          </Section>
        </div>
      )}
    </>
  );
}

function HowToOffer() {
  return (
    <EmptyState
      icon={BrainCircuit}
      title="No model was requested yet"
      guide="models"
      action={
        <>
          <Code text="tollgate init my-models --models openai" />
          <a className="button" href="/docs/operations/getModelAnalytics">
            <BookOpen size={16} aria-hidden />
            API reference
          </a>
        </>
      }
    >
      Offer language models of OpenAI, Anthropic or your own servers to customers, with your keys, budgets and prices.
      This command writes a project whose README has the next steps: credential, plan and deployment. Tokens, cost and
      margin then appear here.
    </EmptyState>
  );
}

/** Requests, cost, charge and margin, each with the change from the previous period. */
function ModelTiles({ all }: { all: Pair<ModelSeries> | undefined }) {
  const share = all && marginShare(all.present.totals);
  return (
    <div className="figures">
      <Tile
        label="Requests"
        change={all && changeOf(all.present.totals.requests, all.before.totals.requests, { isMoreGood: true })}
        values={all?.present.points.map(({ requests }) => requests) ?? []}
      >
        {all && <Figure value={all.present.totals.requests} />}
      </Tile>
      <MoneyTile label="Cost" name="cost" all={all} isMoreGood={false} color="chart-2" />
      <MoneyTile label="Charge" name="charge" all={all} isMoreGood />
      <MoneyTile
        label={share === undefined ? "Margin" : `Margin (${formatPercent(share)})`}
        name="margin"
        all={all}
        isMoreGood
      />
    </div>
  );
}

interface MoneyTileProps {
  label: string;
  name: "cost" | "charge" | "margin";
  all: Pair<ModelSeries> | undefined;
  isMoreGood: boolean;
  color?: string;
}

function MoneyTile({ label, name, all, isMoreGood, color }: MoneyTileProps) {
  const present = all?.present.totals;
  const before = all?.before.totals;
  return (
    <Tile
      label={label}
      change={present && before && changeOfMoney(present, before)}
      // In billionths: a sparkline of values below 1 would be flat.
      values={all?.present.points.map((point) => Math.max(Number(point[name] ?? 0) * 1e9, 0)) ?? []}
      color={color}
    >
      {present && <Cost amount={present[name]} currency={present.currency} />}
    </Tile>
  );

  /** Amounts of different currencies, or of different signs, have no ratio. */
  function changeOfMoney(now: ModelTotals, earlier: ModelTotals): Change {
    const amounts = [now, earlier].map((totals) => Number(totals[name] ?? Number.NaN));
    const isComparable =
      amounts.every((amount) => amount >= 0) && (amounts[1] === 0 || now.currency === earlier.currency);
    return isComparable ? changeOf(amounts[0]!, amounts[1]!, { isMoreGood }) : { text: "" };
  }
}
