import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { SkeletonLines } from "../../../components/notice.tsx";
import { formatNumber, formatPercent, plural } from "../../../lib/format.ts";
import type { Overview } from "./use-overview.ts";

/** A sentence about a problem, and a link to the page that solves it. */
interface Concern {
  id: string;
  /** Whether something is rejected or broken already, in contrast to something that will be. */
  isSevere: boolean;
  text: ReactNode;
  action: ReactNode;
}

/** Subscriptions at limits, failing webhooks and builds, expiring or unused keys: the severe ones first. */
export function Attention({ overview }: { overview: Overview }) {
  const { isComplete, limits, keys, webhooks, deployments } = overview;
  const concerns = [
    ...limitConcerns(limits),
    ...webhooks.map(webhookConcern),
    ...deployments.filter(({ message }) => message !== "").map(deploymentConcern),
    ...keyConcerns(keys),
  ].sort((one, other) => Number(other.isSevere) - Number(one.isSevere));
  return (
    <div className="card">
      <h2 className="card-title">Needs attention</h2>
      {isComplete && concerns.length === 0 && (
        <p className="row muted">
          <CircleCheck size={16} aria-hidden />
          Nothing needs attention: no consumer is near a limit, keys and webhooks work, and every build succeeded.
        </p>
      )}
      <ul className="attention">
        {concerns.map(({ id, isSevere, text, action }) => (
          <li key={id} data-severe={isSevere || undefined}>
            {isSevere ? <CircleAlert size={16} aria-label="Severe" /> : <TriangleAlert size={16} aria-hidden />}
            <span>
              {text} {action}
            </span>
          </li>
        ))}
      </ul>
      {!isComplete && <SkeletonLines count={2} />}
    </div>
  );
}

function limitConcerns(limits: Overview["limits"]): Concern[] {
  if (!limits) return [];
  const { data, total, used } = limits;
  const listed = data.map(({ bucketId, subscriptionId, customerKey, share, meter, label, used, max, isBilled }) => {
    const allowed = `${formatNumber(max)} ${label ?? meter}`;
    const text =
      share >= 1 && isBilled
        ? ` has used ${formatPercent(share)} of its ${allowed}: usage beyond it is billed.`
        : share > 1
          ? ` is over its limit: ${formatPercent(share)} of its ${allowed}.`
          : share === 1
            ? ` has used up its ${allowed}.`
            : ` has used ${formatPercent(share)} of its ${allowed}.`;
    return {
      id: subscriptionId,
      isSevere: share >= 1 && !isBilled,
      text: (
        <span title={`${formatNumber(used)} of ${formatNumber(max)}`}>
          <strong>{customerKey}</strong>
          {text}
        </span>
      ),
      action: (
        <Link to="/subscriptions" search={{ bucket: bucketId, subscription: subscriptionId }}>
          Show usage
        </Link>
      ),
    };
  });
  const unlisted = total - data.length;
  if (unlisted === 0) return listed;
  const severe = used - data.filter(({ share }) => share >= 1).length;
  const more = {
    id: "more",
    isSevere: severe > 0,
    text:
      severe > 0
        ? `${plural(unlisted, "more subscription")} over 80% of a limit, of which ${formatNumber(severe)} at it or beyond.`
        : `${plural(unlisted, "more subscription")} over 80% of a limit.`,
    action: (
      <Link to="/subscriptions" search={{ bucket: data[0]!.bucketId, sort: "usage" }}>
        Show subscriptions
      </Link>
    ),
  };
  return [...listed, more];
}

const soonDays = 7;
const idleDays = 90;

function keyConcerns(keys: Overview["keys"] = []): Concern[] {
  const concern = (id: string, text: string, search: { bucket: string; use?: string; expires?: string }): Concern => ({
    id,
    isSevere: false,
    text,
    action: (
      <Link to="/keys" search={{ ...search, enabled: "true" }}>
        Show keys
      </Link>
    ),
  });
  return keys.flatMap(({ bucketName: bucket, expiring, unused }) => {
    const where = bucket === "main" && keys.length === 1 ? "" : ` of the bucket ${bucket}`;
    const soon = `${plural(expiring, "key")}${where} will expire within ${soonDays} days.`;
    const idle = `${plural(unused, "key")}${where} not used for ${idleDays} days.`;
    return [
      ...(expiring > 0 ? [concern(`${bucket} expiring`, soon, { bucket, expires: `${soonDays}d` })] : []),
      ...(unused > 0 ? [concern(`${bucket} unused`, idle, { bucket, use: `${idleDays}d` })] : []),
    ];
  });
}

const reasons = { gone: "its URL responded with 410", failing: "five days without a success" };

function webhookConcern({ id, url, disabledReason }: Overview["webhooks"][number]): Concern {
  const host = URL.parse(url)?.host ?? url;
  return {
    id,
    isSevere: true,
    text: disabledReason
      ? `The webhook to ${host} was disabled: ${reasons[disabledReason]}.`
      : `The webhook to ${host} is failing.`,
    action: (
      <Link to="/webhooks/$id" params={{ id }}>
        Show deliveries
      </Link>
    ),
  };
}

function deploymentConcern({ name, projectName, branchName, message }: Overview["deployments"][number]): Concern {
  return {
    id: name,
    isSevere: true,
    text: `The last ${message === "BUILD_FAILED" ? "build" : "start"} of ${projectName} (${branchName}) failed.`,
    action: (
      <Link to="/deployments/$name" params={{ name }} search={{ tab: "logs" }}>
        Show the log
      </Link>
    ),
  };
}
