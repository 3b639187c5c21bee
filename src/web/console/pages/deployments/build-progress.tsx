import { Circle, CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import type { BuildMessage, DeploymentStep, StepName } from "../../../../client/index.ts";
import { formatMs } from "../../../lib/format.ts";

export type Steps = Partial<Record<StepName, DeploymentStep>>;

const stepLabels: [StepName, string][] = [
  ["upload", "Upload"],
  ["unpack", "Unpack"],
  ["validate", "Validate"],
  ["build", "Build"],
  ["start", "Start"],
];

const icons = { PENDING: Circle, IN_PROGRESS: LoaderCircle, SUCCESS: CircleCheck, ERROR: CircleAlert };
const statusLabels = { PENDING: "waiting", IN_PROGRESS: "under way", SUCCESS: "done", ERROR: "failed" };

export function BuildProgress({ steps }: { steps: Steps }) {
  return (
    <ol className="build-steps" aria-label="Steps" aria-live="polite">
      {stepLabels.map(([name, label]) => {
        const { status = "PENDING", startedOn, finishedOn, message } = steps[name] ?? {};
        const Icon = icons[status];
        const durationMs = startedOn && finishedOn && new Date(finishedOn).getTime() - new Date(startedOn).getTime();
        return (
          <li className="build-step" data-status={status} key={name}>
            <Icon size={16} aria-hidden />
            <span>
              {label} {status === "ERROR" && message && <span className="muted">{message}</span>}
            </span>
            <span className="muted number">{durationMs ? formatMs(durationMs) : statusLabels[status]}</span>
          </li>
        );
      })}
    </ol>
  );
}

export interface ShownError extends BuildMessage {
  /** The source line, if the archive is available. */
  source?: string | undefined;
}

/** Each error: the file with the line, a caret under the column, and the message. */
export function BuildErrors({ errors }: { errors: ShownError[] }) {
  return (
    <div className="stack stack-tight">
      {errors.map(({ file, line, column, message, source }) => (
        <div className="build-error" key={`${file}:${line}:${column}:${message}`}>
          <div className="build-error-head mono">{line > 0 ? `${file}:${line}:${column}` : file || "archive"}</div>
          {source !== undefined && (
            <pre className="code">
              {`${String(line).padStart(4)} │ ${source}\n${" ".repeat(4)} │ ${" ".repeat(Math.max(column - 1, 0))}^`}
            </pre>
          )}
          <p>{message}</p>
        </div>
      ))}
    </div>
  );
}
