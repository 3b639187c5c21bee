import type { Decision, Request } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { formatMs } from "../../../lib/format.ts";
import { DecisionFacts } from "./decision-facts.tsx";

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
