import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { amountText } from "../../../../client/amount-text.ts";
import type { DecisionDetail } from "../../../../client/index.ts";
import { Copyable } from "../../../components/copy.tsx";
import { Meter } from "../../../components/number.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatNumber } from "../../../lib/format.ts";
import { shownKey } from "../../../lib/masked-key.ts";

/** The numbers behind a rejection: the rule, the used amount, and the reset time. */
export function DecisionFacts({ detail }: { detail: DecisionDetail }) {
  const { used, limit, meter, errors = [] } = detail;
  const facts = factsOf(detail).filter(([, value]) => value !== undefined);
  return (
    <div className="waterfall-detail stack stack-tight">
      {used !== undefined && limit !== undefined && <Meter label={meter ?? "Requests"} used={used} max={limit} />}
      {facts.length > 0 && (
        <dl className="facts">
          {facts.map(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={`${label} value`}>{value}</dd>])}
        </dl>
      )}
      {errors.length > 0 && (
        <ul className="pointer-errors">
          {errors.map(({ pointer, detail: message }) => (
            <li key={`${pointer} ${message}`}>
              <code>{pointer || "the body"}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function factsOf(detail: DecisionDetail): [string, ReactNode | undefined][] {
  const { reason, used, limit, windowSeconds, resetsOn, expiredOn, subscriptionId, amount } = detail;
  const isQuota = used !== undefined && limit !== undefined;
  return [
    ["Reason", <code key="reason">{reason}</code>],
    ["Limit", limitText(detail)],
    ["This request takes", isQuota && amount !== undefined ? formatNumber(amount) : undefined],
    ["Window", detail.window],
    ["Counted by", detail.by],
    ["Resets", resetsOn && <RelativeTime time={resetsOn} />],
    ["Plans", detail.plans?.join(", ")],
    ["Needs", detail.permission && <code>{detail.permission}</code>],
    ["Has", detail.permissions && <code>{detail.permissions.join(", ") || "none"}</code>],
    ["Header", detail.header && <code>{detail.header}</code>],
    ["Key", detail.maskedKey && <code>{shownKey(detail.maskedKey)}</code>],
    ["Key id", detail.keyId && <Copyable text={detail.keyId} />],
    ["Expired", expiredOn && <RelativeTime time={expiredOn} />],
    ["Counted", amountsText(detail.amounts)],
    ["Held", amountsText(detail.held)],
    ["Without an amount", detail.missing?.join(", ")],
    ["Claim", detail.claim && <code>{detail.claim}</code>],
    ["Network", detail.network && <code>{detail.network}</code>],
    ["Bucket", detail.bucket],
    ["Subscription", subscriptionId && <Subscription id={subscriptionId} />],
    ["Status", detail.status === undefined ? undefined : String(detail.status)],
    ["Message", detail.message],
  ];

  function limitText({ limit: most }: DecisionDetail): string | undefined {
    if (most === undefined || isQuota) return undefined;
    if (windowSeconds === undefined) return formatNumber(most);
    return `${formatNumber(most)} in ${windowSeconds === 1 ? "a second" : `${formatNumber(windowSeconds)} seconds`}`;
  }
}

function amountsText(amounts: Record<string, number> | undefined): string | undefined {
  return (
    amounts &&
    Object.entries(amounts)
      .map(([meter, amount]) => amountText(amount, meter))
      .join(", ")
  );
}

function Subscription({ id }: { id: string }) {
  return (
    <Link to="/subscriptions" search={{ subscription: id }}>
      {id}
    </Link>
  );
}
