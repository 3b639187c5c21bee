import { formatDateTime } from "../../lib/time/time.ts";

export const stepNames = ["upload", "unpack", "validate", "build", "start"] as const;
export type StepName = (typeof stepNames)[number];

export interface Step {
  status: "PENDING" | "IN_PROGRESS" | "SUCCESS" | "ERROR";
  startedOn?: string;
  finishedOn?: string;
  message?: string;
}

/** The steps of a build, from the archive to live traffic. */
export type Steps = Record<StepName, Step>;

export function newSteps(): Steps {
  const pending: Step = { status: "PENDING" };
  return { upload: pending, unpack: pending, validate: pending, build: pending, start: pending };
}

export function begun(steps: Steps, name: StepName, now: number): Steps {
  return { ...steps, [name]: { status: "IN_PROGRESS", startedOn: formatDateTime(now) } };
}

export function succeeded(steps: Steps, name: StepName, now: number, message?: string): Steps {
  return ended(steps, name, "SUCCESS", now, message);
}

/**
 * Ends the build at a step. Another step in progress was interrupted with it, because nothing continues after an error.
 */
export function failed(steps: Steps, name: StepName, now: number, message: string): Steps {
  const underWay = stepNames.filter((other) => other !== name && steps[other].status === "IN_PROGRESS");
  return [...underWay, name].reduce((result, step) => ended(result, step, "ERROR", now, message), steps);
}

function ended(steps: Steps, name: StepName, status: "SUCCESS" | "ERROR", now: number, message?: string): Steps {
  const time = formatDateTime(now);
  const step: Step = { status, startedOn: steps[name].startedOn ?? time, finishedOn: time };
  return { ...steps, [name]: message === undefined ? step : { ...step, message } };
}
