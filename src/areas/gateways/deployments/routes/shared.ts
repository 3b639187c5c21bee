import { z } from "zod";
import type { AccountReference } from "../../../../core/access.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import type { BuildQueue } from "../builds/build-queue.ts";
import type { Uploads } from "../builds/uploads.ts";
import type { SealedTestValues } from "../canary-releases/test-value.ts";
import type { Deployment } from "../deployments.ts";
import { presentDeployment } from "../present.ts";
import type { TryRequestServices } from "../try-requests/send-try-request.ts";
import type { Starter } from "../versions/starter.ts";
import type { UpstreamStatuses } from "../versions/upstream-status.ts";

export const projectPath = "/v1/accounts/{accountName}/projects/{projectName}";
export const deploymentPath = "/v1/deployments/{deploymentName}";

export const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "must be the number of a version")
  .transform(Number)
  .optional();

export interface DeploymentServices extends TryRequestServices {
  uploads: Uploads;
  builds: Pick<BuildQueue, "ended">;
  starter: Starter;
  upstreams: UpstreamStatuses;
  testValues: SealedTestValues;
  clock: Clock;
  /** The public address of the management API. */
  publicUrl(): string;
}

export function present(deployment: Deployment, account: AccountReference, urlOf: (name: string) => string) {
  return { ...presentDeployment(deployment, account.name), url: urlOf(deployment.name) };
}
