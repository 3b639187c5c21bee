import { read } from "../../../api/endpoint.ts";
import { tryRequestInput, tryRequestResponse } from "../try-requests/schema.ts";
import { sendTryRequest } from "../try-requests/send-try-request.ts";
import { area, type DeploymentServices, deploymentPath, inAccountOfCaller } from "./shared.ts";

export function tryRequestRoutes(services: DeploymentServices) {
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
      notForAssistants: "The response is that of the API, which may be a credential.",
      // It can send a key of any consumer.
      inProjects: "never",
      body: tryRequestInput,
      response: tryRequestResponse,
      problems: ["upstream_timeout"],
      examples: {
        request: {
          method: "GET",
          path: "/orders/7",
          key: { bucketName: "main", consumerName: "acme", keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu" },
        },
      },
      handle: async ({ act, params, body }) => ({
        body: await sendTryRequest(services, act, params.deploymentName, body),
      }),
    }),
  ];
}
