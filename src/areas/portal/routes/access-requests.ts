import { z } from "zod";
import { noBody } from "../../../api/body.ts";
import { list, write } from "../../../api/endpoint.ts";
import type { AccountReference } from "../../../core/access.ts";
import { emailKey } from "../../../lib/text/email.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { Consumers } from "../../consumers/consumers.ts";
import type { MailQueue } from "../../mail/mail-queue.ts";
import { accessRequest, accessRequestInput, accessStates } from "../schema.ts";
import { findPortal } from "../settings/portals.ts";
import {
  approveAccess,
  denyAccess,
  listAccessRequests,
  presentAccessRequest,
  requestAccess,
} from "../sign-in/access-requests.ts";

const requestsPath = "/v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests";

/** Requests for access to a portal whose `signUp` is `approval`. */
export function accessRequestRoutes({ consumers, mail }: { consumers: Consumers; mail: MailQueue }, area: string) {
  const siteOf = async (reads: Reads, account: AccountReference, bucketName: string) => {
    const { bucket, portal } = await findPortal(reads, account.seq, bucketName);
    return { ...portal, bucket_name: bucket.name };
  };
  return [
    list({
      operationId: "listAccessRequests",
      path: requestsPath,
      area,
      summary: "List requests for access to a portal",
      access: "read",
      query: z.object({
        state: z.enum(accessStates, `must be one of ${accessStates.join(", ")}`).optional(),
      }),
      item: accessRequest,
      listName: "AccessRequestList",
      handle: async ({ reads, account, params, query }) => {
        const { seq } = await siteOf(reads, account, params.bucketName);
        const { data, total } = await listAccessRequests(reads, seq, query.state, query);
        return { data: data.map(presentAccessRequest), total };
      },
    }),
    write({
      operationId: "createAccessRequest",
      method: "POST",
      path: requestsPath,
      area,
      summary: "Record a request for access",
      description:
        "For requests that arrive elsewhere, such as in a form on your own site. Returns the person's request if there is one already.",
      access: "edit",
      body: accessRequestInput,
      response: accessRequest,
      handle: async ({ act, account, params, body }, transaction) => {
        const site = await siteOf(transaction, account, params.bucketName);
        const given = { mailbox: emailKey(body.email), label: body.name, note: body.note };
        return { body: presentAccessRequest(await requestAccess(transaction, act, site, given)) };
      },
    }),
    write({
      operationId: "approveAccessRequest",
      method: "POST",
      path: `${requestsPath}/{accessRequestId}/$approve`,
      area,
      summary: "Approve a request for access",
      description: "Creates the consumer with its subscription, and tells the person by mail.",
      access: "edit",
      body: noBody,
      response: accessRequest,
      problems: ["access_request_decided", "sign_up_unavailable"],
      handle: async ({ act, account, params }, transaction) => {
        const site = await siteOf(transaction, account, params.bucketName);
        const row = await approveAccess(transaction, act, { consumers, mail }, site, params.accessRequestId);
        return { body: presentAccessRequest(row) };
      },
    }),
    write({
      operationId: "denyAccessRequest",
      method: "POST",
      path: `${requestsPath}/{accessRequestId}/$deny`,
      area,
      summary: "Deny a request for access",
      access: "edit",
      body: noBody,
      response: accessRequest,
      problems: ["access_request_decided"],
      handle: async ({ act, account, params }, transaction) => {
        const { seq } = await siteOf(transaction, account, params.bucketName);
        const row = await denyAccess(transaction, act, seq, params.accessRequestId);
        return { body: presentAccessRequest(row) };
      },
    }),
  ];
}
