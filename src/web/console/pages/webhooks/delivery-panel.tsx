import { RotateCw } from "lucide-react";
import type { WebhookDeliveryDetail } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Code, Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { ErrorNotice, LoadError, SkeletonLines } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { ExactTime, RelativeTime } from "../../../components/time.tsx";
import { formatDateTime, formatMs, indentedJson, plural } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { AsCommand, useCall } from "../../shell/requests.tsx";
import { DeliveryState } from "./deliveries.tsx";

type Attempt = WebhookDeliveryDetail["attemptLog"][number];

interface DeliveryPanelProps {
  webhookId: string;
  deliveryId: string;
  onClose: () => void;
}

/** A message: its request and the result of each attempt. Polls until it is finished. */
export function DeliveryPanel({ webhookId, deliveryId, onClose }: DeliveryPanelProps) {
  const { deniedEdit } = useSession();
  const delivery = useRead(
    ["webhooks", webhookId, "delivery", deliveryId],
    (api, { signal }) => api.webhooks.delivery(webhookId, deliveryId, { signal }),
    { refetchInterval: ({ state }) => (state.data?.status === "pending" ? 1000 : false) },
  );
  const retry = useCall({
    call: (api) => api.webhooks.retry(webhookId, deliveryId),
    done: "It is being attempted again",
  });
  const { data, error } = delivery;
  return (
    <SidePanel
      isWide
      title={<span className="mono">{data?.type ?? "Delivery"}</span>}
      onClose={onClose}
      actions={
        <>
          <AsCommand call={(api) => api.webhooks.retry(webhookId, deliveryId)} />
          <Button icon={RotateCw} denied={deniedEdit} isBusy={retry.isPending} onClick={() => retry.mutate()}>
            Retry now
          </Button>
        </>
      }
    >
      {retry.error && <ErrorNotice error={retry.error} />}
      {error ? <LoadError error={error} /> : data ? <Delivery delivery={data} /> : <SkeletonLines />}
    </SidePanel>
  );
}

function Delivery({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const { id, messageId, attempts, nextAttemptOn, createdOn, finishedOn, request, attemptLog } = delivery;
  return (
    <>
      <Facts
        of={{
          State: <DeliveryState delivery={delivery} />,
          Created: formatDateTime(createdOn),
          "Next attempt": nextAttemptOn && <RelativeTime time={nextAttemptOn} />,
          Finished: finishedOn && formatDateTime(finishedOn),
          Message: <Copyable text={messageId} />,
          Delivery: <Copyable text={id} />,
        }}
      />
      <section className="stack stack-tight">
        <h3>{attempts === 0 ? "No attempt yet" : plural(attempts, "attempt")}</h3>
        {[...attemptLog].reverse().map((attempt) => (
          <AttemptCard attempt={attempt} key={attempt.number} />
        ))}
      </section>
      <section className="stack stack-tight">
        <h3>What is sent</h3>
        <Code text={`POST ${request.url}\n${headerLines(request.headers)}`} />
        {/* The signature covers the body without indentation. */}
        <Code text={indentedJson(request.body)} />
      </section>
    </>
  );
}

function AttemptCard({ attempt: { number, startedOn, durationMs, status, error, response } }: { attempt: Attempt }) {
  const isSuccess = status !== undefined && status >= 200 && status < 300;
  return (
    <div className="card stack stack-tight">
      <div className="row row-between">
        <span className="row">
          <span className="strong">Attempt {number}</span>
          <Badge tone={isSuccess ? "green" : "red"}>{status ?? "No response"}</Badge>
        </span>
        <span className="muted small">
          <ExactTime time={startedOn} />, {formatMs(durationMs)}
        </span>
      </div>
      {error && <p className="small wrap-anywhere">{error}</p>}
      {response !== undefined && response !== "" && <Code text={response} />}
      {response === "" && <p className="muted small">The response had no body.</p>}
    </div>
  );
}

const headerLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
