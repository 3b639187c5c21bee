import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Tollgate } from "../../../../client/index.ts";
import { now } from "../../../lib/clock.ts";
import { formatNumber, formatPercent, plural } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";

/** A sentence about a problem, and a link to the page that solves it. */
export interface Concern {
  id: string;
  text: string;
  action: ReactNode;
}

const day = 86_400_000;
const soonDays = 7;
const idleDays = 90;
/** With more buckets or webhooks, only the oldest are checked. */
const maxChecked = 20;
const most = 5;

type Look = (api: Tollgate, signal: AbortSignal) => Promise<Concern[]>;

const looks: Record<string, Look> = {
  limits: nearLimits,
  keys: keysToLookAt,
  webhooks: failingWebhooks,
  builds: failedBuilds,
};

/** Everything that needs attention; undefined until all of it is loaded. */
export function useConcerns() {
  const { api } = useSession();
  const results = useQueries({
    queries: Object.entries(looks).map(([name, look]) => ({
      queryKey: ["attention", name],
      queryFn: ({ signal }: { signal: AbortSignal }) => look(api, signal),
      refetchInterval: 30_000,
    })),
  });
  const isKnown = results.every(({ data }) => data !== undefined);
  return {
    concerns: isKnown ? results.flatMap(({ data }) => data ?? []) : undefined,
    error: results.find(({ error }) => error)?.error ?? undefined,
    refetch: () => results.forEach(({ error, refetch }) => void (error && refetch())),
  };
}

async function nearLimits(api: Tollgate, signal: AbortSignal): Promise<Concern[]> {
  const buckets = await api.metering.list({ limit: maxChecked, signal }).page();
  const found = await Promise.all(
    buckets.data.map(async ({ id: bucket }) => {
      const { data, total } = await api.metering.usage(bucket, { near: 0.8, limit: most, signal }).page();
      const concerns = data.map(({ subscriptionId, customerKey, share, meters }) => ({
        id: subscriptionId,
        text: `${customerKey} has used ${formatPercent(share)} of its ${largestMeter(meters)}.`,
        action: (
          <Link to="/subscriptions" search={{ bucket, subscription: subscriptionId }}>
            Show usage
          </Link>
        ),
      }));
      if (total <= most) return concerns;
      const rest = {
        id: `${bucket} more`,
        text: `${formatNumber(total - most)} more are over 80% of a limit.`,
        action: (
          <Link to="/subscriptions" search={{ bucket }}>
            Show subscriptions
          </Link>
        ),
      };
      return [...concerns, rest];
    }),
  );
  return found.flat();
}

type Meters = Record<string, { label?: string | undefined; share: number; max: number }>;

function largestMeter(meters: Meters): string {
  const [name, meter] = Object.entries(meters).sort(([, one], [, other]) => other.share - one.share)[0]!;
  return `${formatNumber(meter.max)} ${meter.label ?? name}`;
}

/** Lists include expired keys, so their number is subtracted. */
async function keysToLookAt(api: Tollgate, signal: AbortSignal): Promise<Concern[]> {
  const at = (days: number) => new Date(now() + days * day).toISOString();
  const buckets = await api.buckets.list({ limit: maxChecked, signal }).page();
  const found = await Promise.all(
    buckets.data.map(async ({ name: bucket }) => {
      const count = async (filter: { expiresBefore?: string; unusedSince?: string }) =>
        (
          await api
            .bucketKeys(bucket)
            .list({ ...filter, enabled: true, limit: 1, signal })
            .page()
        ).total;
      const unusedSince = at(-idleDays);
      const [ending, ended, idle, idleEnded] = await Promise.all([
        count({ expiresBefore: at(soonDays) }),
        count({ expiresBefore: at(0) }),
        count({ unusedSince }),
        count({ unusedSince, expiresBefore: at(0) }),
      ]);
      const where = buckets.total > 1 ? ` in ${bucket}` : "";
      return [
        ...concernOfKeys(
          `${bucket} ending`,
          ending - ended,
          (keys) => `${keys}${where} will expire within ${soonDays} days.`,
          {
            bucket,
            expires: `${soonDays}d`,
            enabled: "true",
          },
        ),
        ...concernOfKeys(
          `${bucket} idle`,
          idle - idleEnded,
          (keys) => `${keys}${where} not used for ${idleDays} days.`,
          {
            bucket,
            use: `${idleDays}d`,
            enabled: "true",
          },
        ),
      ];
    }),
  );
  return found.flat();
}

function concernOfKeys(
  id: string,
  count: number,
  text: (keys: string) => string,
  search: { bucket: string; use?: string; expires?: string; enabled: string },
): Concern[] {
  if (count <= 0) return [];
  const action = (
    <Link to="/keys" search={search}>
      Show keys
    </Link>
  );
  return [{ id, text: text(plural(count, "key")), action }];
}

async function failingWebhooks(api: Tollgate, signal: AbortSignal): Promise<Concern[]> {
  const { data } = await api.webhooks.list({ limit: maxChecked, signal }).page();
  const found = await Promise.all(
    data.map(async ({ id, url, isEnabled, disabledReason }) => {
      if (disabledReason)
        return { id, text: `The webhook to ${hostOf(url)} was disabled: ${reasons[disabledReason]}.`, action: null };
      if (!isEnabled) return undefined;
      const [last] = await api.webhooks.deliveries(id, { limit: 1, signal });
      const isFailing = last && (last.status === "failed" || (last.status === "pending" && last.attempts > 0));
      return isFailing ? { id, text: `The webhook to ${hostOf(url)} is failing.`, action: null } : undefined;
    }),
  );
  return found
    .filter((concern) => concern !== undefined)
    .map((concern) => ({
      ...concern,
      action: (
        <Link to="/webhooks/$id" params={{ id: concern.id }}>
          Show deliveries
        </Link>
      ),
    }));
}

const reasons = { gone: "its URL responded with 410", failing: "five days without a success" };

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

async function failedBuilds(api: Tollgate, signal: AbortSignal): Promise<Concern[]> {
  const { data } = await api.deployments.listAll({ limit: 100, signal }).page();
  return data
    .filter(({ message }) => message !== "")
    .map(({ name, projectName, branchName, message }) => ({
      id: name,
      text: `The last ${message === "BUILD_FAILED" ? "build" : "start"} of ${projectName} (${branchName}) failed.`,
      action: (
        <Link to="/deployments/$name" params={{ name }} search={{ tab: "logs" }}>
          Show the log
        </Link>
      ),
    }));
}
