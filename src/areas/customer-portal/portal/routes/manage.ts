import { z } from "zod";
import { type AreaContext, areaOf } from "../../../../api/area.ts";
import { noBody } from "../../../../api/body.ts";
import { list, read, remove, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { emailKey } from "../../../../lib/text/email.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { Consumers } from "../../../api-keys/consumers/consumers.ts";
import type { MailQueue } from "../../../common/mail/mail-queue.ts";
import { mailPreview, mailPreviewInput } from "../../../common/mail/schema.ts";
import { portalPreview } from "../customer/schema.ts";
import { saleWarnings } from "../plans/sale-warnings.ts";
import {
  accessRequest,
  accessRequestInput,
  accessStates,
  funnel,
  funnelQuery,
  handoff,
  handoffInput,
  listedPortal,
  portal,
  portalInput,
  portalPreviewInput,
  viewInput,
} from "../schema.ts";
import { type Handoff, handOff, viewAs } from "../sessions/handoffs.ts";
import type { PortalSessions } from "../sessions/portal-sessions.ts";
import { inPortal, portalPath } from "../settings/in-portal.ts";
import { deletePortal, listPortals, type Portal, setPortal } from "../settings/portals.ts";
import { presentPortal, settingsOf } from "../settings/present.ts";
import {
  approveAccess,
  denyAccess,
  listAccessRequests,
  presentAccessRequest,
  requestAccess,
} from "../sign-in/access-requests.ts";
import { funnelOf } from "../sign-in/funnel.ts";
import { previewMail } from "../sign-in/mail.ts";
import { type PreviewServices, previewPortal } from "../site/preview.ts";

interface ManagedPortals {
  consumers: Consumers;
  mail: MailQueue;
  sessions: PortalSessions;
  /** What the pages of portals begin with. */
  pages: PreviewServices;
}

export function portalArea(
  { clock, keyring, address }: AreaContext,
  { consumers, mail, sessions, pages: portalPages }: ManagedPortals,
) {
  const urlOf = (portal: Pick<Portal, "name" | "host">) => address.portalUrlOf(portal);
  const reply = async (reads: Reads, row: Portal, bucketName: string) => {
    const warnings = await saleWarnings(reads, row.account_seq, bucketName, settingsOf(row));
    const body = { ...presentPortal(row), url: urlOf(row), ...(warnings.length === 0 ? {} : { warnings }) };
    return { body, revision: row, composed: true as const };
  };
  // The code is in the fragment, which browsers send to no server and in no Referer.
  const shown = ({ portal: row, code, expiresOn }: Handoff) => ({
    body: { url: `${urlOf(row)}/sign-in#code=${code}`, expiresOn: formatDateTime(expiresOn) },
    headers: { "cache-control": "no-store" },
  });
  const operations = [
    list({
      operationId: "listPortals",
      path: "/v1/accounts/{accountName}/portals",
      summary: "List the portals of an account",
      access: "read",
      item: listedPortal,
      listName: "ListedPortalList",
      handle: async ({ reads, account, query }) => {
        const { data, total } = await listPortals(reads, account.seq, query);
        const present = (row: (typeof data)[number]) => ({
          id: row.id,
          bucketName: row.bucket_name,
          title: settingsOf(row).title,
          isEnabled: row.is_enabled === 1,
          url: urlOf(row),
        });
        return { data: data.map(present), total };
      },
    }),
    inPortal.read({
      operationId: "getPortal",
      path: portalPath,
      summary: "Read the portal of a key bucket",
      access: "read",
      response: portal,
      handle: ({ reads, portal, params }) => reply(reads, portal, params.bucketName),
    }),
    write({
      operationId: "setPortal",
      method: "PUT",
      path: portalPath,
      summary: "Create the portal of a key bucket, or replace its settings",
      description: "Fields that are left out get their defaults. Applies to the next request.",
      access: "edit",
      body: portalInput,
      response: portal,
      problems: ["portal_host_taken"],
      handle: async ({ act, params, body, precondition }, transaction) =>
        reply(
          transaction,
          await setPortal(transaction, act, keyring, params.bucketName, body, precondition),
          params.bucketName,
        ),
    }),
    remove({
      operationId: "deletePortal",
      path: portalPath,
      summary: "Delete the portal of a key bucket",
      description: "Its sessions end immediately. Consumers and keys stay as they are.",
      access: "edit",
      handle: ({ act, params, precondition }, transaction) =>
        deletePortal(transaction, act, params.bucketName, precondition),
    }),
    write({
      operationId: "createPortalSession",
      method: "POST",
      path: `${portalPath}/sessions`,
      summary: "Hand a customer over to the portal",
      description:
        "For customers who are signed in at your own site. Redirect their browser to `url`, which works once and for two minutes. " +
        "The session has the given scopes, and never more than your token: a reader can grant the `:read` ones only.",
      access: "read",
      body: handoffInput,
      response: handoff,
      problems: ["portal_disabled"],
      handle: async ({ act, caller, params, body }, transaction) => {
        const { bucketName } = params;
        return shown(await handOff(transaction, act, consumers, { bucketName, role: caller.role }, body));
      },
    }),
    write({
      operationId: "viewPortal",
      method: "POST",
      path: `${portalPath}/$view`,
      summary: "View the portal as a customer",
      description: "The session can change nothing. The audit log shows who viewed the portal, and as which customer.",
      access: "read",
      body: viewInput,
      response: handoff,
      problems: ["portal_disabled"],
      handle: async ({ act, params, body }, transaction) =>
        shown(await viewAs(transaction, act, consumers, params.bucketName, body.consumerName)),
    }),
    read({
      operationId: "previewPortal",
      method: "POST",
      path: `${portalPath}/$preview`,
      summary: "Preview the portal with other settings",
      description:
        "Returns what its pages would begin with, for visitors and for a new customer. Changes nothing. " +
        "Names of deployments, plans and metering buckets that do not exist are ignored.",
      access: "read",
      body: portalPreviewInput,
      response: portalPreview,
      handle: async ({ reads, act, params, body }) => ({
        body: await previewPortal(portalPages, reads, act, params.bucketName, body),
      }),
    }),
    inPortal.read({
      operationId: "previewPortalMail",
      method: "POST",
      path: `${portalPath}/$preview-mail`,
      summary: "Preview a mail to customers with other texts",
      description: "With invented data. Changes and sends nothing.",
      access: "read",
      body: mailPreviewInput,
      response: mailPreview,
      handle: ({ act, portal, body: { kind, ...texts } }) => ({
        body: previewMail(settingsOf(portal), kind, texts, urlOf(portal), act.now),
      }),
    }),
    inPortal.read({
      operationId: "getPortalFunnel",
      path: `${portalPath}/funnel`,
      summary: "Show how far the customers who signed up have come",
      description: "From the sign-up to a key, the first successful request, and being active or having stopped.",
      access: "read",
      query: funnelQuery,
      response: funnel,
      handle: async ({ reads, account, act, portal, query }) => {
        const place = { accountSeq: account.seq, portalSeq: portal.seq, now: act.now };
        return { body: await funnelOf(reads, place, query.stage) };
      },
    }),
    ...accessRequestRoutes({ consumers, mail }),
  ];
  return areaOf(
    { Portal: "The site where the customers of a key bucket manage their keys and see their usage." },
    operations,
    { removals: [(signal) => sessions.deleteExpired(clock.now(), signal)] },
  );
}

const requestsPath = `${portalPath}/access-requests` as const;

/** Requests for access to a portal whose `signUp` is `approval`. */
function accessRequestRoutes({ consumers, mail }: { consumers: Consumers; mail: MailQueue }) {
  return [
    inPortal.list({
      operationId: "listAccessRequests",
      path: requestsPath,
      summary: "List requests for access to a portal",
      access: "read",
      query: z.object({
        state: z.enum(accessStates, `must be one of ${accessStates.join(", ")}`).optional(),
      }),
      item: accessRequest,
      listName: "AccessRequestList",
      handle: async ({ reads, portal, query }) =>
        presentPage(await listAccessRequests(reads, portal.seq, query.state, query), presentAccessRequest),
    }),
    inPortal.write({
      operationId: "createAccessRequest",
      method: "POST",
      path: requestsPath,
      summary: "Record a request for access",
      description:
        "For requests that arrive elsewhere, such as in a form on your own site. Returns the person's request if there is one already.",
      access: "edit",
      body: accessRequestInput,
      response: accessRequest,
      handle: async ({ act, bucket, portal, body }, transaction) => {
        const site = { ...portal, bucket_name: bucket.name };
        const given = { mailbox: emailKey(body.email), label: body.name, note: body.note };
        return { body: presentAccessRequest(await requestAccess(transaction, act, site, given)) };
      },
    }),
    inPortal.write({
      operationId: "approveAccessRequest",
      method: "POST",
      path: `${requestsPath}/{accessRequestId}/$approve`,
      summary: "Approve a request for access",
      description: "Creates the consumer with its subscription, and tells the person by mail.",
      access: "edit",
      body: noBody,
      response: accessRequest,
      problems: ["access_request_decided", "sign_up_unavailable"],
      handle: async ({ act, bucket, portal, params }, transaction) => {
        const site = { ...portal, bucket_name: bucket.name };
        const row = await approveAccess(transaction, act, { consumers, mail }, site, params.accessRequestId);
        return { body: presentAccessRequest(row) };
      },
    }),
    inPortal.write({
      operationId: "denyAccessRequest",
      method: "POST",
      path: `${requestsPath}/{accessRequestId}/$deny`,
      summary: "Deny a request for access",
      access: "edit",
      body: noBody,
      response: accessRequest,
      problems: ["access_request_decided"],
      handle: async ({ act, portal, params }, transaction) => {
        const row = await denyAccess(transaction, act, portal.seq, params.accessRequestId);
        return { body: presentAccessRequest(row) };
      },
    }),
  ];
}
