import { formatDateTime } from "../../../lib/time/time.ts";

export const stepNames = ["upload", "unpack", "validate", "build", "start"] as const;
export type BuildStepName = (typeof stepNames)[number];

interface BuildStep {
  status: "PENDING" | "IN_PROGRESS" | "SUCCESS" | "ERROR";
  startedOn?: string;
  finishedOn?: string;
  message?: string;
}

/** The steps of a build, from the archive to live traffic. */
export type BuildSteps = Record<BuildStepName, BuildStep>;

export function newSteps(): BuildSteps {
  const pending: BuildStep = { status: "PENDING" };
  return { upload: pending, unpack: pending, validate: pending, build: pending, start: pending };
}

export function begunStep(steps: BuildSteps, name: BuildStepName, now: number): BuildSteps {
  return { ...steps, [name]: { status: "IN_PROGRESS", startedOn: formatDateTime(now) } };
}

export function succeeded(steps: BuildSteps, name: BuildStepName, now: number, message?: string): BuildSteps {
  return ended(steps, name, "SUCCESS", now, message);
}

/**
 * Ends the build at a step. Another step in progress was interrupted with it, because nothing continues after an error.
 */
export function failedStep(steps: BuildSteps, name: BuildStepName, now: number, message: string): BuildSteps {
  const underWay = stepNames.filter((other) => other !== name && steps[other].status === "IN_PROGRESS");
  return [...underWay, name].reduce((result, step) => ended(result, step, "ERROR", now, message), steps);
}

function ended(
  steps: BuildSteps,
  name: BuildStepName,
  status: "SUCCESS" | "ERROR",
  now: number,
  message?: string,
): BuildSteps {
  const time = formatDateTime(now);
  const step: BuildStep = { status, startedOn: steps[name].startedOn ?? time, finishedOn: time };
  return { ...steps, [name]: message === undefined ? step : { ...step, message } };
}
