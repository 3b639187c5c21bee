import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { amountText } from "../../../../client/amount-text.ts";
import type { Decision, DecisionDetail, Request } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { Meter } from "../../../components/number.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatMs, formatNumber, shownKey } from "../../../lib/format.ts";

interface Step {
  name: string;
  type: string;
  outcome: string;
  tone: Tone;
  startMs: number;
  ms: number;
  decision?: Decision;
}

const outcomes: Record<Decision["outcome"], { word: string; tone: Tone }> = {
  passed: { word: "Passed", tone: "green" },
  rejected: { word: "Rejected", tone: "red" },
  observed: { word: "Observed", tone: "amber" },
  answered: { word: "Responded", tone: "accent" },
  skipped: { word: "Skipped", tone: "grey" },
};

/** The policies in their order and then the target: each with its decision, start and duration. */
export function Waterfall({ request }: { request: Request }) {
  const steps = stepsOf(request);
  const wholeMs = Math.max(request.durationMs, ...steps.map(({ startMs, ms }) => startMs + ms), 0.001);
  if (steps.length === 0) return <p className="muted">No policy and no target: the gateway responded itself.</p>;
  return (
    <ol className="waterfall">
      {steps.map(({ name, type, outcome, tone, startMs, ms, decision }) => (
        <li key={`${type} ${name}`}>
          <span className="waterfall-name">
            <span className="strong wrap-anywhere">{name}</span>
            <small className="muted">{type}</small>
          </span>
          <Badge tone={tone}>{outcome}</Badge>
          <span className="waterfall-track" aria-hidden>
            <i data-tone={tone} style={{ left: `${(startMs / wholeMs) * 100}%`, width: `${(ms / wholeMs) * 100}%` }} />
          </span>
          <span
            className="number waterfall-time"
            title={`Began ${exactMs(startMs)} into the request, took ${exactMs(ms)}`}
          >
            {outcome === "Skipped" ? "" : formatMs(ms)}
          </span>
          {decision?.detail && <DecisionFacts detail={decision.detail} />}
        </li>
      ))}
      <li className="waterfall-whole">
        <span className="muted">Whole request</span>
        <span className="number waterfall-time" title={exactMs(request.durationMs)}>
          {formatMs(request.durationMs)}
        </span>
      </li>
    </ol>
  );
}

const exactMs = (ms: number): string => `${ms.toLocaleString("en", { maximumFractionDigits: 3 })} ms`;

function stepsOf({ decisions, target, status, code }: Request): Step[] {
  let startMs = 0;
  const steps = decisions.map((decision): Step => {
    const { word, tone } = outcomes[decision.outcome];
    const step = {
      name: decision.policy,
      type: decision.type,
      outcome: word,
      tone,
      startMs,
      ms: decision.ms,
      decision,
    };
    startMs += decision.ms;
    return step;
  });
  if (!target) return steps;
  const isFailed = code !== undefined || status >= 500;
  const tries = target.attempts > 1 ? ` in ${target.attempts} attempts` : "";
  return [
    ...steps,
    {
      name: target.url ?? target.module ?? "target",
      type: `${target.kind}${tries}`,
      outcome: code === undefined ? `Responded ${status}` : "Failed",
      tone: isFailed ? "red" : "accent",
      startMs,
      ms: target.ms,
    },
  ];
}

/** The numbers behind a rejection: the rule, the used amount, and the reset time. */
export function DecisionFacts({ detail }: { detail: DecisionDetail }) {
  const { used, limit, meter, errors = [] } = detail;
  return (
    <div className="waterfall-detail stack stack-tight">
      {used !== undefined && limit !== undefined && <Meter label={meter ?? "Requests"} used={used} max={limit} />}
      <Facts of={factsOf(detail)} />
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

function factsOf(detail: DecisionDetail): Record<string, ReactNode> {
  const { reason, used, limit, windowSeconds, resetsOn, expiredOn, subscriptionId, amount } = detail;
  const isQuota = used !== undefined && limit !== undefined;
  return {
    Reason: <code>{reason}</code>,
    Limit: limitText(detail),
    "This request takes": isQuota && amount !== undefined ? formatNumber(amount) : undefined,
    Window: detail.window,
    "Counted by": detail.by,
    Resets: resetsOn && <RelativeTime time={resetsOn} />,
    Plans: detail.plans?.join(", "),
    Needs: detail.permission && <code>{detail.permission}</code>,
    Has: detail.permissions && <code>{detail.permissions.join(", ") || "none"}</code>,
    Header: detail.header && <code>{detail.header}</code>,
    Key: detail.maskedKey && <code>{shownKey(detail.maskedKey)}</code>,
    "Key id": detail.keyId && <Copyable text={detail.keyId} />,
    Expired: expiredOn && <RelativeTime time={expiredOn} />,
    Counted: amountsText(detail.amounts),
    Held: amountsText(detail.held),
    "Without an amount": detail.missing?.join(", "),
    Claim: detail.claim && <code>{detail.claim}</code>,
    Network: detail.network && <code>{detail.network}</code>,
    Bucket: detail.bucket,
    Subscription: subscriptionId && <Subscription id={subscriptionId} />,
    Status: detail.status?.toString(),
    Message: detail.message,
  };

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
