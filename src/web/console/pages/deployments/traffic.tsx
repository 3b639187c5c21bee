import { Bird } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { CanaryCounts, Traffic } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Facts } from "../../../components/facts.tsx";
import { Notice, NotLoaded } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatMs, formatPercent, plural } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";
import { SplitTraffic } from "./split-traffic.tsx";
import { useVersions } from "./versions.tsx";

type Split = Traffic["splits"][number];
type Last = NonNullable<Traffic["lastCanary"]>;

/** Both versions of a canary release side by side, or how the last one ended. */
export function DeploymentTraffic({ name }: { name: string }) {
  const { deniedEdit } = useSession();
  const traffic = useRead(["deployment", name, "traffic"], (api, { signal }) => api.traffic.get(name, { signal }), {
    refetchInterval: 2_000,
  });
  const versions = useVersions(name);
  const [open, setOpen] = useState<"split" | "promote" | "stop">();
  const error = traffic.error ?? versions.error;
  if (error || !traffic.data || !versions.data) return <NotLoaded of={{ error }} />;
  const { splits, lastCanary, startedOn, liveVersionNumber } = traffic.data;
  const canary = splits[1];
  if (liveVersionNumber === null) return null;
  const others = versions.data.filter(({ isActive }) => !isActive);
  const close = () => setOpen(undefined);
  return (
    <div className="stack">
      {canary ? (
        <>
          <div className="row row-wrap row-between">
            <span className="muted">
              Canary release of version {canary.versionNumber}, started <RelativeTime time={startedOn!} />.{" "}
              {rulesOf(traffic.data).join(" ")}
            </span>
            <span className="row row-wrap">
              <Button denied={deniedEdit} onClick={() => setOpen("split")}>
                Change shares…
              </Button>
              <Button denied={deniedEdit} onClick={() => setOpen("stop")}>
                Stop…
              </Button>
              <Button kind="primary" denied={deniedEdit} onClick={() => setOpen("promote")}>
                Promote version {canary.versionNumber}…
              </Button>
            </span>
          </div>
          <div className="columns columns-even">
            {splits.map((split) => (
              <Side key={split.versionNumber} split={split} />
            ))}
          </div>
        </>
      ) : (
        <>
          <div className="row row-wrap row-between">
            <span className="muted">
              No canary release: version {liveVersionNumber} serves all requests.{" "}
              {others.length === 0 && (
                <>
                  <code>tollgate deploy --canary 5</code> gives the next version a share of them.
                </>
              )}
            </span>
            {others.length > 0 && (
              <Button icon={Bird} denied={deniedEdit} onClick={() => setOpen("split")}>
                Start a canary release…
              </Button>
            )}
          </div>
          {lastCanary && <LastRelease last={lastCanary} />}
        </>
      )}
      {open === "split" && (
        <SplitTraffic name={name} traffic={traffic.data} numbers={others.map(({ number }) => number)} onClose={close} />
      )}
      {open === "promote" && (
        <ConfirmCall
          action={`Promote version ${canary?.versionNumber}`}
          isSafe
          call={(api) => api.traffic.promote(name)}
          onClose={close}
          done={`Version ${canary?.versionNumber} is live`}
        >
          <p>
            Version {canary?.versionNumber} serves all requests from now on, without losing one. A roll-back returns to
            version {liveVersionNumber}.
          </p>
        </ConfirmCall>
      )}
      {open === "stop" && (
        <ConfirmCall
          title="Stop the canary release?"
          action="Stop the release"
          call={(api) => api.traffic.stop(name)}
          onClose={close}
          done={`Version ${liveVersionNumber} serves all requests`}
        >
          <p>
            Version {liveVersionNumber} serves all requests at once. Version {canary?.versionNumber} stays and can get a
            share again, with counts from zero.
          </p>
        </ConfirmCall>
      )}
    </div>
  );
}

function rulesOf({ stickyBy, abort }: Traffic): string[] {
  return [
    ...(stickyBy ? [`Requests of one ${stickyBy === "ip" ? "address" : "credential"} stay on one version.`] : []),
    abort
      ? `Aborted if ${formatPercent(abort.errorShare)} of at least ${plural(abort.minimumRequests, "request")} in 60 seconds fail.`
      : "Not aborted automatically.",
  ];
}

/** One version with its share, requests, errors and latency. */
function Side({ split: { versionNumber, isLive, share, counts, lastMinute } }: { split: Split }) {
  return (
    <section className="card" aria-label={`Version ${versionNumber}`}>
      <h2 className="card-title">
        Version {versionNumber}
        <Badge tone={isLive ? "green" : "amber"}>{isLive ? "Live" : "Canary"}</Badge>
      </h2>
      <div className="stack">
        <div className="meter">
          <span>{formatPercent(share)} of requests</span>
          <span className="meter-bar" data-tone={isLive ? undefined : "amber"}>
            <i style={{ width: `${share * 100}%` }} />
          </span>
        </div>
        {counts && <Counts counts={counts} more={{ "Last 60 seconds": lastMinute && inWords(lastMinute) }} />}
      </div>
    </section>
  );
}

interface CountsProps {
  counts: CanaryCounts;
  more: Record<string, ReactNode>;
}

function Counts({ counts: { requests, errors, errorShare, latencyMs }, more }: CountsProps) {
  return (
    <Facts
      of={{
        Requests: <Figure value={requests} />,
        Errors: (
          <>
            <Figure value={errors} /> <span className="muted">({formatPercent(errorShare)})</span>
          </>
        ),
        Latency: latencyMs ? (
          <span className="row row-wrap">
            {(["p50", "p95", "p99"] as const).map((percentile) => (
              <span key={percentile}>
                <span className="muted">{percentile}</span> {formatMs(latencyMs[percentile])}
              </span>
            ))}
          </span>
        ) : (
          <span className="muted">No requests yet</span>
        ),
        ...more,
      }}
    />
  );
}

const inWords = ({ requests, errorShare }: { requests: number; errorShare: number }) =>
  `${plural(requests, "request")}, ${formatPercent(errorShare)} failed`;

const outcomes: Record<Last["outcome"], { tone: Tone; label: string }> = {
  aborted: { tone: "red", label: "Aborted" },
  promoted: { tone: "green", label: "Promoted" },
  stopped: { tone: "grey", label: "Stopped" },
  replaced: { tone: "grey", label: "Replaced" },
};

function LastRelease({
  last: { versionNumber, liveVersionNumber, outcome, endedOn, counts, liveCounts },
}: {
  last: Last;
}) {
  return (
    <div className="stack">
      {outcome === "aborted" && (
        <Notice kind="warning">
          Version {versionNumber} was aborted <RelativeTime time={endedOn} />: {formatPercent(counts.errorShare)} of its{" "}
          {plural(counts.requests, "request")} failed. Version {liveVersionNumber} serves all requests again.
        </Notice>
      )}
      <details className="fold">
        <summary>
          Last canary release: version {versionNumber}, {outcomes[outcome].label.toLowerCase()}
        </summary>
        <div className="columns columns-even">
          {(
            [
              [liveVersionNumber, liveCounts],
              [versionNumber, counts],
            ] as const
          ).map(([number, some]) => (
            <section className="card" key={number} aria-label={`Version ${number} of the last release`}>
              <h2 className="card-title">
                Version {number}
                {number === versionNumber && <Badge tone={outcomes[outcome].tone}>{outcomes[outcome].label}</Badge>}
              </h2>
              <Counts counts={some} more={{ Ended: number === versionNumber && <RelativeTime time={endedOn} /> }} />
            </section>
          ))}
        </div>
      </details>
    </div>
  );
}
