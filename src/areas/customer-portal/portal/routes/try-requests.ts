import { z } from "zod";
import { read } from "../../../../api/endpoint.ts";
import { ifFound, invalid, Problem } from "../../../../core/problems/problem.ts";
import { text } from "../../../../core/schemas/schemas.ts";
import { tryRequestInput, tryRequestResponse } from "../../../gateways/deployments/try-requests/schema.ts";
import {
  sendTryRequest,
  type TryRequestServices,
} from "../../../gateways/deployments/try-requests/send-try-request.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";

const portalTryRequestInput = tryRequestInput
  .omit({ key: true })
  .extend({
    deployment: text(200).meta({ description: "One of the portal's deployments." }),
    keyId: z
      .string()
      .regex(/^key_\w{1,64}$/, "must be the id of a key")
      .optional()
      .meta({ description: "The customer's key that the request uses, without its value." }),
  })
  .meta({
    id: "PortalTry",
    examples: [
      {
        deployment: "weather-main-1a2b3c4",
        method: "GET",
        path: "/forecast?city=Bern",
        keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
      },
    ],
  });

/** Another name than that of the management API. */
const portalTryRequestResponse = z.object(tryRequestResponse.shape).meta({
  id: "PortalTryResponse",
  description: "The response of the API, as data.",
  examples: tryRequestResponse.meta()!.examples as z.output<typeof tryRequestResponse>[],
});

export type PortalTryRequestServices = TryRequestServices & CustomerServices;

/** Each takes memory and up to 30 seconds. */
const maxConcurrent = 4;

/** A response must never become a page or a script of the portal, whatever an upstream sends and a browser assumes. */
const asData = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "content-security-policy": "default-src 'none'; sandbox",
};

export function portalTryRequestRoutes(services: PortalTryRequestServices) {
  const customers = customerEntrance(services);
  const underWay = new Map<string, number>();
  return [
    read({
      operationId: "tryPortalOperation",
      method: "POST",
      path: "/portal/api/try",
      summary: "Send a request to an API of the portal",
      description:
        "The request enters the gateway as the customer's key, and is counted and limited like any other. The response is " +
        "JSON, as `application/octet-stream`: status, headers without cookies, and body of the API. Redirects are not followed.",
      access: "customer",
      body: portalTryRequestInput,
      response: portalTryRequestResponse,
      otherTypes: ["application/octet-stream"],
      problems: ["upstream_timeout", "rate_limited"],
      handle: async (input) => {
        // It spends the customer's quota, which a session that may only read must not do.
        const { bucketName, consumer, settings } = await customers.find(input.reads, input, "keys:write");
        const { deployment, keyId, ...request } = input.body;
        if (!settings.deployments.includes(deployment)) throw invalid("/deployment", "is no deployment of the portal");
        if (keyId !== undefined && !(await ifFound(services.keys.find(input.reads, consumer, keyId))))
          throw invalid("/keyId", "is not one of your keys");
        const key = keyId && { bucketName, consumerName: consumer.name, keyId };
        const count = underWay.get(consumer.id) ?? 0;
        if (count >= maxConcurrent)
          throw new Problem("rate_limited", { detail: `At most ${maxConcurrent} requests can be tried at a time.` });
        underWay.set(consumer.id, count + 1);
        try {
          const body = await sendTryRequest(services, input.act, deployment, { ...request, ...(key && { key }) });
          return { body, headers: asData };
        } finally {
          const left = underWay.get(consumer.id)! - 1;
          if (left === 0) underWay.delete(consumer.id);
          else underWay.set(consumer.id, left);
        }
      },
    }),
  ];
}
