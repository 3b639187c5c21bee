import { useInfiniteQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import type { DeliveryOptions, WebhookDelivery } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { optionsOf } from "../../../components/field.tsx";
import { FilterSelect } from "../../../components/filter-select.tsx";
import { EmptyState } from "../../../components/notice.tsx";
import { type Column, List, LoadOlder } from "../../../components/table.tsx";
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
  const isFiltered = Object.values(filter).some(Boolean);
  const panel = usePanel("delivery");
  const deliveries = useInfiniteQuery({
    queryKey: ["webhooks", webhookId, "deliveries", filter],
    queryFn: ({ pageParam: before, signal }) =>
      api.webhooks.deliveries(webhookId, { ...filter, limit: size, before, signal }),
    initialPageParam: undefined as string | undefined,
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
    { label: "State", isLead: true, render: (delivery) => <DeliveryState delivery={delivery} /> },
    { label: "Attempts", isNumber: true, render: ({ attempts }) => attempts },
    { label: "Next attempt", render: ({ nextAttemptOn }) => nextAttemptOn && <RelativeTime time={nextAttemptOn} /> },
    { label: "Created", render: ({ createdOn }) => <ExactTime time={createdOn} /> },
    { label: "Finished", render: ({ finishedOn }) => finishedOn && <ExactTime time={finishedOn} /> },
  ];
  return (
    <>
      <div className="filters">
        <FilterSelect
          label="State"
          all="Any state"
          value={filter.status}
          options={Object.entries(statuses).map(([value, { word: label }]) => ({ value, label }))}
          onChange={(status) => onSearch({ status })}
        />
        <FilterSelect
          label="Event"
          all="Any event"
          value={filter.type}
          options={optionsOf(deliveryTypes)}
          onChange={(type) => onSearch({ type })}
        />
      </div>
      <List
        caption="Deliveries"
        of={{ ...deliveries, data: rows }}
        columns={columns}
        panel={panel}
        skeletonRows={4}
        foot={<LoadOlder of={deliveries}>{rows && plural(rows.length, "delivery", "deliveries")}</LoadOlder>}
        empty={
          <EmptyState
            icon={Send}
            title={isFiltered ? "No delivery matches" : "Nothing was sent yet"}
            guide="webhooks#delivery"
          >
            {isFiltered
              ? "Choose another state or event."
              : "Each message appears here with the response of its URL. Send a test to try it."}
          </EmptyState>
        }
      />
    </>
  );
}

/** An unknown state or event type is ignored. */
const filterOf = ({ status = "", type = "" }: DeliverySearch): Pick<DeliveryOptions, "status" | "type"> => ({
  status: status in statuses ? (status as WebhookDelivery["status"]) : undefined,
  type: isDeliveryType(type) ? type : undefined,
});
