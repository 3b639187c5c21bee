import { Link } from "@tanstack/react-router";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice, NotLoaded } from "../../../components/notice.tsx";
import { PlainTable } from "../../../components/table.tsx";
import { formatNumber, formatUtcDay, plural } from "../../../lib/format.ts";
import { useRead } from "../../queries/session.tsx";
import { AsCommand } from "../../shell/requests.tsx";

/** Compares the counters with the stored events. */
export function Reconcile({ bucket, onClose }: { bucket: string; onClose: () => void }) {
  const result = useRead(["reconciliation", bucket], (api, { signal }) => api.metering.reconcile(bucket, { signal }), {
    staleTime: 0,
    gcTime: 0,
  });
  const meters = Object.entries(result.data?.meters ?? {});
  return (
    <Dialog
      title="Reconcile usage"
      isWide
      onClose={onClose}
      foot={
        <>
          <AsCommand call={(api) => api.metering.reconcile(bucket)} />
          <Button isBusy={result.isFetching} onClick={() => result.refetch()}>
            Compare again
          </Button>
          <Button kind="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p>Compares the counters of all subscriptions with the events that were stored.</p>
      {(result.error || !result.data) && <NotLoaded of={result} lines={3} />}
      {result.data &&
        (result.data.agrees ? (
          <Notice kind="success">
            {meters.length === 0 ? "No events were sent yet." : "Every accepted event was counted once."}
          </Notice>
        ) : (
          <Notice kind="error">
            {plural(result.data.differences.length, "count")} differ from the events. Keep this list for your report.
          </Notice>
        ))}
      {meters.length > 0 && (
        <PlainTable
          caption="By meter"
          rows={meters}
          keyOf={([name]) => name}
          columns={[
            { label: "Meter", render: ([name]) => <span className="mono">{name}</span> },
            { label: "Events", isNumber: true, render: ([, { accepted }]) => formatNumber(accepted) },
            { label: "Counted", isNumber: true, render: ([, { counted }]) => formatNumber(counted.amount) },
            { label: "Stored", isNumber: true, render: ([, { stored }]) => formatNumber(stored.amount) },
          ]}
        />
      )}
      <ul className="stack stack-tight small">
        {result.data?.differences.map(({ subscriptionId, meter, periodStart, counted, stored }) => (
          <li key={`${subscriptionId} ${meter} ${periodStart}`}>
            <Link to="/subscriptions" search={{ bucket, subscription: subscriptionId }}>
              {subscriptionId}
            </Link>
            : {meter} from {formatUtcDay(periodStart)}, counted {formatNumber(counted.amount)}, stored{" "}
            {formatNumber(stored.amount)}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
