import { read } from "../../../api/endpoint.ts";
import { trialInput, trialResponse } from "../trials/schema.ts";
import { sendTrial } from "../trials/send-trial.ts";
import { area, type DeploymentServices, deploymentPath, inAccountOfCaller } from "./shared.ts";

export function trialRoutes(services: DeploymentServices) {
  return [
    read({
      operationId: "tryDeployment",
      method: "POST",
      path: `${deploymentPath}/$try`,
      area,
      inAccountOfCaller,
      summary: "Send a request to a deployment",
      description:
        "The server sends the request into the gateway, where it is counted and limited like any other, and returns the " +
        "response as data. Redirects are not followed.",
      access: "edit",
      // It can send a key of any consumer.
      inProjects: "never",
      body: trialInput,
      response: trialResponse,
      problems: ["upstream_timeout"],
      examples: {
        request: {
          method: "GET",
          path: "/orders/7",
          key: { bucketName: "main", consumerName: "acme", keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu" },
        },
      },
      handle: async ({ act, params, body }) => ({
        body: await sendTrial(services, act, params.deploymentName, body),
      }),
    }),
  ];
}
