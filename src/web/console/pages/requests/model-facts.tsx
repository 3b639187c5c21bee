import type { RequestModel } from "../../../../client/index.ts";
import { Copyable } from "../../../components/copy.tsx";
import { formatMs, formatNumber } from "../../../lib/format.ts";
import { Cost } from "../../components/cost.tsx";

/** What a request to a language model has used, cost and earned. */
export function ModelFacts({ model }: { model: RequestModel }) {
  const { alias, provider, model: served, cost, charge, currency, firstByteMs, unpriced, providerRequestId } = model;
  return (
    <dl className="facts">
      <dt>Model</dt>
      <dd>
        <span className="mono">{alias}</span>
        {served !== alias && (
          <>
            , served by <span className="mono">{served}</span>
          </>
        )}
      </dd>
      <dt>Provider</dt>
      <dd className="mono">{provider}</dd>
      <dt>Tokens</dt>
      <dd>{tokensText(model)}</dd>
      <dt>Cost</dt>
      <dd>
        <Cost amount={cost} currency={currency} />
        {unpriced !== undefined && (
          <>
            , the price of <span className="mono">{unpriced}</span> is unknown
          </>
        )}
      </dd>
      {charge !== undefined && (
        <>
          <dt>Charge</dt>
          <dd>
            <Cost amount={charge} currency={currency} />
          </dd>
        </>
      )}
      {firstByteMs !== undefined && (
        <>
          <dt>First byte after</dt>
          <dd>{formatMs(firstByteMs)}</dd>
        </>
      )}
      {providerRequestId !== undefined && (
        <>
          <dt>Provider’s id</dt>
          <dd>
            <Copyable text={providerRequestId} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** "8 input, 3 cached, 5 output (estimated)": only the categories that were used. */
function tokensText({ input, cached, cacheWrite, output, basis }: RequestModel): string {
  const used = [
    [input, "input"] as const,
    [cached, "cached"] as const,
    [cacheWrite, "written to the cache"] as const,
    [output, "output"] as const,
  ].flatMap(([tokens, category]) => (tokens > 0 ? [`${formatNumber(tokens)} ${category}`] : []));
  const text = used.length === 0 ? "None" : used.join(", ");
  return basis === "estimated" ? `${text} (estimated)` : text;
}
