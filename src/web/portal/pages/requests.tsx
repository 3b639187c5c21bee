import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import type { PortalRequest } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/field.tsx";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { Table } from "../../components/table.tsx";
import { ExactTime } from "../../components/time.tsx";
import { formatMs } from "../../lib/format.ts";
import { reasonOf } from "../../lib/request-reason.ts";
import { call } from "../queries/api.ts";
import { PageHead } from "../shell/page-head.tsx";

const pageSize = 50;

export default function Requests() {
  const [isFailed, setFailed] = useState(false);
  const requests = useInfiniteQuery({
    queryKey: ["listPortalRequests", "pages", isFailed],
    queryFn: ({ pageParam, signal }) =>
      call("listPortalRequests", {
        query: { limit: pageSize, ...(isFailed && { outcome: "failed" }), ...(pageParam && { before: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ data }) => (data.length < pageSize ? undefined : data.at(-1)?.id),
    placeholderData: keepPreviousData,
  });
  const rows = requests.data?.pages.flatMap(({ data }) => data);
  return (
    <>
      <PageHead
        title="Requests"
        action={
          <Checkbox label="Only failed" checked={isFailed} onChange={(event) => setFailed(event.target.checked)} />
        }
      >
        Recent requests with your keys, newest first.
      </PageHead>
      {requests.error ? (
        <LoadError error={requests.error} />
      ) : rows?.length === 0 ? (
        <EmptyState icon={ListChecks} title={isFailed ? "No failed requests" : "No requests yet"}>
          {isFailed
            ? "All recent requests with your keys succeeded."
            : "Requests with your keys appear here within a second, with the reason if one fails."}
        </EmptyState>
      ) : (
        <>
          <Table
            caption="Requests"
            rows={rows}
            columns={[
              {
                label: "Request",
                isText: "wide",
                render: (request) => (
                  <div>
                    <span className="mono wrap-anywhere">
                      {request.method} {request.path}
                    </span>
                    <Reason request={request} />
                  </div>
                ),
              },
              { label: "Status", isLead: true, render: ({ status }) => <Status status={status} /> },
              { label: "Duration", isNumber: true, render: ({ durationMs }) => formatMs(durationMs) },
              { label: "When", render: ({ time }) => <ExactTime time={time} /> },
            ]}
          />
          {requests.hasNextPage && (
            <div className="more">
              <Button isBusy={requests.isFetchingNextPage} onClick={() => requests.fetchNextPage()}>
                Show older
              </Button>
            </div>
          )}
        </>
      )}
    </>
  );
}

export function Status({ status }: { status: number }) {
  const tone = status >= 500 ? "red" : status >= 400 ? "amber" : "green";
  return <Badge tone={tone}>{status}</Badge>;
}

/** Why a request failed: the cause, and the details in one sentence. */
export function Reason({ request }: { request: PortalRequest }) {
  if (request.status < 400) return null;
  if (request.decisions.length === 0) {
    const text =
      request.status >= 500 ? "The API failed. Try again later." : (request.detail ?? "The API rejected the request.");
    return <span className="reason">{text}</span>;
  }
  const { cause, details } = reasonOf(request);
  return (
    <span className="reason">
      <span className="strong">{cause}</span> <span>{details}</span>
    </span>
  );
}
