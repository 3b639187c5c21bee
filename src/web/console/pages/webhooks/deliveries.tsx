import { useInfiniteQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import type { DeliveryOptions, WebhookDelivery } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState, LoadError } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { ExactTime, RelativeTime } from "../../../components/time.tsx";
import { plural } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { deliveryTypes, isDeliveryType } from "./event-types.ts";

const size = 50;

export interface DeliverySearch {
  status?: string | undefined;
  type?: string | undefined;
  delivery?: string | undefined;
}

const statuses: Record<WebhookDelivery["status"], { word: string; tone: Tone }> = {
  pending: { word: "Pending", tone: "amber" },
  succeeded: { word: "Succeeded", tone: "green" },
  failed: { word: "Failed", tone: "red" },
};

/** A failed delivery that will be retried is shown as retrying, not as pending. */
export function DeliveryState({
  delivery: { status, attempts },
}: {
  delivery: Pick<WebhookDelivery, "status" | "attempts">;
}) {
  const { word, tone } = statuses[status];
  return <Badge tone={tone}>{status === "pending" && attempts > 0 ? "Retrying" : word}</Badge>;
}

interface DeliveriesProps {
  webhookId: string;
  search: DeliverySearch;
  onSearch: (changes: DeliverySearch) => void;
}

/** The deliveries of a webhook and their results, newest first. Polls while the page is visible. */
export function Deliveries({ webhookId, search, onSearch }: DeliveriesProps) {
  const { api } = useSession();
  const filter = filterOf(search);
  const panel = usePanel("delivery");
  const deliveries = useInfiniteQuery({
    queryKey: ["webhooks", webhookId, "deliveries", filter],
    queryFn: ({ pageParam, signal }) =>
      api.webhooks.deliveries(webhookId, {
        ...filter,
        limit: size,
        ...(pageParam ? { before: pageParam } : {}),
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page: WebhookDelivery[]) => (page.length < size ? undefined : page.at(-1)?.id),
    refetchInterval: 5000,
  });
  const rows = deliveries.data?.pages.flat();
  const columns: Column<WebhookDelivery>[] = [
    {
      label: "Event",
      render: ({ id, type }) => (
        <PanelLink panel="delivery" id={id} className="mono">
          {type}
        </PanelLink>
      ),
    },
    {
      label: "State",
      isLead: true,
      render: (delivery) => <DeliveryState delivery={delivery} />,
    },
    { label: "Attempts", isNumber: true, render: ({ attempts }) => attempts },
    { label: "Next attempt", render: ({ nextAttemptOn }) => nextAttemptOn && <RelativeTime time={nextAttemptOn} /> },
    { label: "Created", render: ({ createdOn }) => <ExactTime time={createdOn} /> },
    { label: "Finished", render: ({ finishedOn }) => finishedOn && <ExactTime time={finishedOn} /> },
  ];
  return (
    <>
      <div className="filters">
        <select
          className="input"
          aria-label="State"
          value={search.status ?? ""}
          onChange={(event) => onSearch({ status: event.target.value || undefined })}
        >
          <option value="">Any state</option>
          {Object.entries(statuses).map(([status, { word }]) => (
            <option value={status} key={status}>
              {word}
            </option>
          ))}
        </select>
        <select
          className="input"
          aria-label="Event"
          value={search.type ?? ""}
          onChange={(event) => onSearch({ type: event.target.value || undefined })}
        >
          <option value="">Any event</option>
          {deliveryTypes.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </div>
      {deliveries.error ? (
        <LoadError error={deliveries.error} onRetry={() => deliveries.refetch()} />
      ) : rows?.length === 0 ? (
        <EmptyState
          icon={Send}
          title={isEmpty(filter) ? "Nothing was sent yet" : "No delivery matches"}
          guide="webhooks#delivery"
        >
          {isEmpty(filter)
            ? "Each message appears here with the response of its URL. Send a test to try it."
            : "Choose another state or event."}
        </EmptyState>
      ) : (
        <>
          <Table caption="Deliveries" columns={columns} rows={rows} panel={panel} skeletonRows={4} />
          <div className="table-foot">
            <span>{rows && plural(rows.length, "delivery", "deliveries")}</span>
            {deliveries.hasNextPage && (
              <Button isSmall isBusy={deliveries.isFetchingNextPage} onClick={() => deliveries.fetchNextPage()}>
                Load older
              </Button>
            )}
          </div>
        </>
      )}
    </>
  );
}

const isEmpty = (filter: object): boolean => Object.keys(filter).length === 0;

/** An unknown state or event type is ignored. */
function filterOf({ status, type }: DeliverySearch): Pick<DeliveryOptions, "status" | "type"> {
  return {
    ...(status !== undefined && status in statuses ? { status: status as WebhookDelivery["status"] } : {}),
    ...(type !== undefined && isDeliveryType(type) ? { type } : {}),
  };
}
