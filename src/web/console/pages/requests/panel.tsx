import { Link } from "@tanstack/react-router";
import { Clock } from "lucide-react";
import type { Request, RequestModel } from "../../../../client/index.ts";
import { Copyable, CopyButton } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { EmptyState, Notice, NotLoaded } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { statusOf } from "../../../lib/errors.ts";
import { formatDateTime, formatMs, formatNumber } from "../../../lib/format.ts";
import { reasonOf } from "../../../lib/request-reason.ts";
import { shellWord } from "../../../lib/shell.ts";
import { Cost } from "../../components/cost.tsx";
import { placeOf } from "../../queries/found.ts";
import { useRequestRetention } from "../../queries/retention.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { AsCommand } from "../../shell/requests.tsx";
import { StatusBadge } from "./status.tsx";
import { Waterfall } from "./waterfall.tsx";

interface RequestPanelProps {
  id: string;
  /** The request from the list, which saves loading it. */
  known: Request | undefined;
  onClose: () => void;
}

/** The outcome of a request: in a sentence, step by step, and with all fields. */
export function RequestPanel({ id, known, onClose }: RequestPanelProps) {
  const request = useRead(["request", id], (api, { signal }) => api.requests.get(id, { signal }), {
    // A completed request does not change.
    staleTime: Number.POSITIVE_INFINITY,
    ...(known ? { initialData: known } : {}),
  });
  const { sentence } = useRequestRetention();
  const { data, error } = request;
  return (
    <SidePanel
      isWide
      title={data ? <span className="mono">{`${data.method} ${data.path}`}</span> : "Request"}
      onClose={onClose}
      actions={data && <AsCommand call={(api) => api.requests.get(id)} />}
    >
      {error && statusOf(error) === 404 ? (
        <EmptyState icon={Clock} title="This request is no longer stored" guide="requests#what-is-recorded">
          {sentence} During a flood, not every request is stored.
        </EmptyState>
      ) : error || !data ? (
        <NotLoaded of={request} />
      ) : (
        <Explained request={data} />
      )}
    </SidePanel>
  );
}

function Explained({ request }: { request: Request }) {
  const { status } = request;
  const { cause, sentence } = reasonOf(request);
  return (
    <>
      <Notice kind={status >= 500 ? "error" : status >= 400 || request.observed ? "warning" : "success"}>
        {status >= 400 && <p className="strong">{cause}</p>}
        <p>{sentence}</p>
      </Notice>
      <section className="stack stack-tight">
        <h3>What happened</h3>
        <Waterfall request={request} />
      </section>
      {request.model && (
        <section className="stack stack-tight">
          <h3>Model</h3>
          <ModelFacts model={request.model} />
        </section>
      )}
      <section className="stack stack-tight">
        <h3>Facts</h3>
        <RequestFacts request={request} />
      </section>
    </>
  );
}

function RequestFacts({ request }: { request: Request }) {
  const { id, requestId, time, status, route, deployment, version, consumer, keyId, ip, traceId, code, error } =
    request;
  const found = useFoundConsumer(request.consumerId);
  return (
    <Facts
      of={{
        Status: (
          <span className="row">
            <StatusBadge status={status} /> {code && <code>{code}</code>}
          </span>
        ),
        When: formatDateTime(time),
        Deployment: (
          <>
            <Link to="/deployments/$name" params={{ name: deployment }}>
              {deployment}
            </Link>
            {version !== null && `, version ${version}`}
          </>
        ),
        Route: route && <span className="mono">{route}</span>,
        Consumer: consumer ? (
          found ? (
            <Link {...placeOf(found)}>{consumer}</Link>
          ) : (
            consumer
          )
        ) : (
          <span className="muted">No consumer: no key was recognised</span>
        ),
        Key: keyId && (
          <Copyable text={keyId}>
            {found && isKeyId(keyId) ? (
              <Link {...placeOf({ type: "key", path: found.path, id: keyId })}>{keyId}</Link>
            ) : (
              keyId
            )}
          </Copyable>
        ),
        Address: ip && <Copyable text={ip} />,
        "Underlying error": error,
        Id: <Copyable text={id} />,
        "x-request-id": <Copyable text={requestId} />,
        Trace: traceId && <Copyable text={traceId} />,
        "Repeat it": <RepeatAsCurl request={request} />,
      }}
    />
  );
}

/** With an access token it is the id of an authorization. */
const isKeyId = (id: string): boolean => id.startsWith("key_");

/** The request does not contain the consumer's bucket; a search finds it while the consumer exists. */
function useFoundConsumer(id: string | undefined) {
  const { isLimited } = useSession();
  const search = useRead(["search", id], (api, { signal }) => api.search(id!, { signal }), {
    enabled: id !== undefined && !isLimited,
  });
  return search.data?.find((each) => each.id === id);
}

/** Method and path; query and body are not recorded. */
function RepeatAsCurl({ request: { deployment, method, path } }: { request: Request }) {
  const found = useRead(["deployment", deployment], (api, { signal }) => api.deployments.get(deployment, { signal }), {
    retry: false,
  });
  if (!found.data) return <span className="muted">Only while the deployment exists.</span>;
  const option = method === "GET" ? "" : `-X ${shellWord(method)} `;
  const text = `curl ${option}${shellWord(`${found.data.url.replace(/\/$/, "")}${path}`)} \\\n  -H "Authorization: Bearer $API_KEY"`;
  return (
    <span className="row row-wrap">
      <CopyButton text={text} label="Copy as curl">
        Copy as curl
      </CopyButton>
      <span className="muted small">Method and path. Query and body are not recorded.</span>
    </span>
  );
}

/** What a request to a language model has used, cost and earned. */
function ModelFacts({ model }: { model: RequestModel }) {
  const { alias, provider, model: served, cost, charge, currency, firstByteMs, unpriced, providerRequestId } = model;
  return (
    <Facts
      of={{
        Model: (
          <>
            <span className="mono">{alias}</span>
            {served !== alias && (
              <>
                , served by <span className="mono">{served}</span>
              </>
            )}
          </>
        ),
        Provider: <span className="mono">{provider}</span>,
        Tokens: tokensText(model),
        Cost: (
          <>
            <Cost amount={cost} currency={currency} />
            {unpriced !== undefined && (
              <>
                , the price of <span className="mono">{unpriced}</span> is unknown
              </>
            )}
          </>
        ),
        Charge: charge !== undefined && <Cost amount={charge} currency={currency} />,
        "Time to first byte": firstByteMs !== undefined && formatMs(firstByteMs),
        "Provider’s id": providerRequestId !== undefined && <Copyable text={providerRequestId} />,
      }}
    />
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
