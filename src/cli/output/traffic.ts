import type { CanaryCounts, Traffic } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { counted, milliseconds, shortTime, showList } from "./show.ts";

/** Prints both versions of a canary release, one per row, or how the last one ended. */
export function showTraffic({ splits, stickyBy, abort, lastCanary }: Traffic, terminal: Terminal): void {
  const rows = splits.map(({ versionNumber, isLive, share, counts, lastMinute }) => ({
    version: versionNumber,
    role: isLive ? "live" : "canary",
    share: percent(share),
    ...countsOf(counts),
    lastMinute: lastMinute && `${counted(lastMinute.requests, "request")}, ${percent(lastMinute.errorShare)} failed`,
  }));
  showList(terminal, rows, ["version", "role", "share", "requests", "errors", "p50", "p95", "p99", "lastMinute"]);
  const note = (text: string) => terminal.note(text, "dim");
  if (stickyBy) note(`Requests of one ${stickyBy === "ip" ? "address" : "credential"} stay on one version.`);
  if (abort)
    note(
      `Aborted when ${percent(abort.errorShare)} of at least ${abort.minimumRequests} requests in 60 seconds failed.`,
    );
  if (lastCanary) {
    const { versionNumber, outcome, endedOn, counts } = lastCanary;
    note(
      `The last canary release, of version ${versionNumber}, was ${outcome} at ${shortTime(endedOn)}: ` +
        `${counted(counts.requests, "request")}, ${percent(counts.errorShare)} failed.`,
    );
  }
}

function countsOf(counts: CanaryCounts | undefined) {
  const { requests, errors, errorShare = 0, latencyMs } = counts ?? {};
  const { p50, p95, p99 } = latencyMs ?? {};
  const duration = (ms: number | undefined) => (ms === undefined ? undefined : milliseconds(ms));
  return {
    requests,
    errors: errors ? `${errors} (${percent(errorShare)})` : errors,
    p50: duration(p50),
    p95: duration(p95),
    p99: duration(p99),
  };
}

/** At most two digits after the point. */
function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`;
}
