import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { BookOpen, BrainCircuit } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { RangeSelect } from "../components/range-select.tsx";
import { ranges, timesOf, usualRange } from "../queries/range.ts";
import { useSession } from "../queries/session.tsx";
import { PageHead, Section } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { ModelCharts } from "./models/charts.tsx";
import { ConsumerTable, ModelTable, ProviderTable } from "./models/tables.tsx";
import { ModelTiles } from "./models/tiles.tsx";
import { useEarlierModels, useModels } from "./models/use-models.ts";

const route = getRouteApi("/frame/models");
const longestRange = "month";

/** What language models cost and earn, and how their providers respond. */
export function ModelsPage() {
  const { account } = useSession();
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
            <AsCommand
              request={{
                path: `/v1/accounts/${account}/analytics/models?by=model&from=${from}&step=${range.coarseStep}`,
              }}
            />
            {!isUnused && <RangeSelect value={name} onChange={choose} />}
          </>
        }
      >
        <p>What language models cost, what customers are charged for them, and how providers respond.</p>
      </PageHead>
      {error ? (
        <LoadError
          error={error}
          onRetry={() => {
            models.refetch();
            if (isEmpty) earlier.refetch();
          }}
        />
      ) : isUnused ? (
        <HowToOffer />
      ) : isEmpty && earlier.data === undefined ? (
        <SkeletonLines />
      ) : isEmpty ? (
        <EmptyState
          icon={<BrainCircuit size={20} aria-hidden />}
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
      icon={<BrainCircuit size={20} aria-hidden />}
      title="No model was requested yet"
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
      This command writes a project whose README has the next steps: credential, plan and deployment.{" "}
      <code>docs/models.md</code> describes all settings. Tokens, cost and margin then appear here.
    </EmptyState>
  );
}
