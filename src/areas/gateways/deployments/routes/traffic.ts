import { noBody } from "../../../../api/body.ts";
import { read, remove, write } from "../../../../api/endpoint.ts";
import { isForPreviews } from "../../../../core/access.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import {
  preparePromotion,
  prepareSplit,
  promoteCanary,
  splitTraffic,
  stopCanary,
  testedVersion,
} from "../canary-releases/canaries.ts";
import { presentTraffic } from "../canary-releases/present.ts";
import { testInput, testValue, traffic, trafficInput } from "../canary-releases/schema.ts";
import { testHeader } from "../canary-releases/test-value.ts";
import { deploymentRevisionOf, findDeployment } from "../deployments.ts";
import { type DeploymentServices, deploymentPath } from "./shared.ts";

const trafficPath = `${deploymentPath}/traffic` as const;

export function trafficRoutes({ starter, testValues, clock }: DeploymentServices) {
  return [
    read({
      operationId: "getTraffic",
      path: trafficPath,
      summary: "Read the versions that serve a deployment, with counts and latencies",
      access: "read",
      response: traffic,
      handle: async ({ reads, account, params }) => {
        const found = await findDeployment(reads, account.seq, params.deploymentName);
        const body = await presentTraffic(reads, found, clock.now());
        return { body, revision: deploymentRevisionOf(found), composed: true };
      },
    }),
    write({
      operationId: "splitTraffic",
      method: "PUT",
      path: trafficPath,
      summary: "Split traffic between the live version and another one",
      description:
        "Starts a canary release, or changes the running one. The same version continues with its counts. A deployment and a rollback end it.",
      access: "edit",
      body: trafficInput,
      response: traffic,
      problems: ["no_live_version", "version_does_not_start"],
      before: ({ reads, account, params, body }) => prepareSplit(reads, starter, account, params.deploymentName, body),
      handle: async ({ act, params, body, precondition }, transaction) => {
        const split = await splitTraffic(transaction, act, params.deploymentName, body, precondition);
        const shown = await presentTraffic(transaction, split, act.now);
        return { body: shown, revision: deploymentRevisionOf(split), composed: true };
      },
    }),
    remove({
      operationId: "stopCanary",
      path: trafficPath,
      summary: "Return all traffic to the live version",
      description: "Ends the canary release. Without one it does nothing.",
      access: "edit",
      handle: ({ act, params, precondition }, transaction) =>
        stopCanary(transaction, act, params.deploymentName, precondition),
    }),
    write({
      operationId: "promoteCanary",
      method: "POST",
      path: `${trafficPath}/$promote`,
      summary: "Make the canary the live version",
      access: "edit",
      body: noBody,
      response: traffic,
      problems: ["no_canary", "version_does_not_start"],
      before: ({ reads, account, params }) => preparePromotion(reads, starter, account, params.deploymentName),
      handle: async ({ act, params, caller, precondition }, transaction) => {
        const name = params.deploymentName;
        const promoted = await promoteCanary(transaction, act, name, precondition, isForPreviews(caller));
        const shown = await presentTraffic(transaction, promoted, act.now);
        return { body: shown, revision: deploymentRevisionOf(promoted), composed: true };
      },
    }),
    read({
      operationId: "testVersion",
      method: "POST",
      path: `${trafficPath}/$test`,
      summary: "Create a header value that selects a version of the canary release",
      description:
        "Requests with it in the header `x-tollgate-version` are served by that version for an hour, while the canary release runs. Their responses name the version in the same header.",
      access: "edit",
      body: testInput,
      response: testValue,
      problems: ["no_canary"],
      handle: async ({ reads, account, params, body: { versionNumber } }) => {
        const tested = await testedVersion(reads, account.seq, params.deploymentName, versionNumber);
        const { value, expiresOn } = testValues.issue(tested, clock.now());
        return { body: { header: testHeader, value, versionNumber, expiresOn: formatDateTime(expiresOn) } };
      },
    }),
  ];
}
