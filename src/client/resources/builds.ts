import type { RequestOptions } from "../transport/options.ts";
import type { BuildMessage, BuildResult, DeploymentStatus, DeploymentStep } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

export type StepName = keyof DeploymentStatus["steps"];

/** The current state of a deployment step. */
export interface Step extends DeploymentStep {
  name: StepName;
}

export interface BuildOptions extends RequestOptions {
  /** Called whenever a step begins or ends. */
  onStep?: ((step: Step) => void) | undefined;
}

/** The project could not be built or started. The previous version keeps serving. */
export class BuildError extends Error {
  override readonly name = "BuildError";
  readonly statusId: string;
  /** The step that failed. */
  readonly step: StepName;
  /** The errors with file, line and column. Empty if the failure was not caused by the project. */
  readonly errors: BuildMessage[];
  readonly buildResult: BuildResult;

  constructor(statusId: string, { steps, buildResult }: DeploymentStatus) {
    const failed = stepsOf(steps).find(({ status }) => status === "ERROR");
    const { errors = [] } = buildResult;
    super(failed?.message ?? errors[0]?.message ?? "The build failed.");
    this.statusId = statusId;
    this.step = failed?.name ?? "build";
    this.errors = errors;
    this.buildResult = buildResult;
  }
}

const firstPauseMs = 50;
const maxPauseMs = 1000;

/** Polls until the build has ended. A small project is live within a second, so it polls often at first. */
export async function waitForBuild(
  transport: Transport,
  projectName: string,
  statusId: string,
  { onStep, ...options }: BuildOptions,
): Promise<DeploymentStatus> {
  const seen = new Map<StepName, DeploymentStep["status"]>();
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.3, maxPauseMs)) {
    const status = await transport.call("getDeploymentStatus", { params: { projectName, statusId }, options });
    for (const step of stepsOf(status.steps)) {
      if (step.status === (seen.get(step.name) ?? "PENDING")) continue;
      seen.set(step.name, step.status);
      onStep?.(step);
    }
    if (status.status === "SUCCESS") return status;
    if (status.status === "ERROR") throw new BuildError(statusId, status);
    await transport.connection.sleep(pause, options.signal);
  }
}

/** In the order of execution, whatever the order of the response. */
const stepNames: StepName[] = ["upload", "unpack", "validate", "build", "start"];

function stepsOf(steps: DeploymentStatus["steps"]): Step[] {
  return stepNames.map((name) => ({ name, ...steps[name] }));
}
