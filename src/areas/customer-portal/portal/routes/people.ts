import { z } from "zod";
import { read, remove, write } from "../../../../api/endpoint.ts";
import { dateTime, email } from "../../../../core/schemas/schemas.ts";
import { managerScopes } from "../../../api-keys/consumer-managers/schema.ts";
import type { MailQueue } from "../../../common/mail/mail-queue.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";
import {
  changePerson,
  invitePerson,
  listPeople,
  presentPerson,
  presentPortalInvite,
  removePerson,
  withdrawInvite,
} from "../people/people.ts";
import { scopes } from "../schema.ts";

const grantedScopes = z.array(z.enum(scopes));

const portalPerson = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: "The address, or the subject at the identity provider." }),
    scopes: grantedScopes,
    isSelf: z.boolean().meta({ description: "Whether this is the person of the session." }),
    createdOn: dateTime,
  })
  .meta({
    id: "PortalPerson",
    examples: [
      {
        id: "mngr_0QGzNqW81Kx8VhTb3mPcRdZu",
        name: "jo@acme.example",
        scopes: [...scopes],
        isSelf: true,
        createdOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

const portalInvite = z
  .object({
    id: z.string(),
    email: z.string(),
    scopes: grantedScopes,
    createdOn: dateTime,
    expiresOn: dateTime,
  })
  .meta({
    id: "PortalInvite",
    examples: [
      {
        id: "mngi_0QGzNqW81Kx8VhTb3mPcRdZu",
        email: "sam@acme.example",
        scopes: ["usage:read"],
        createdOn: "2026-01-31T10:00:00.000Z",
        expiresOn: "2026-02-07T10:00:00.000Z",
      },
    ],
  });

const portalPeople = z
  .object({ data: z.array(portalPerson), invites: z.array(portalInvite) })
  .meta({ id: "PortalPeople", examples: [{ data: [], invites: [] }] });

const portalInviteInput = z
  .strictObject({ email, scopes: managerScopes.optional() })
  .meta({ id: "PortalInviteCreate", examples: [{ email: "sam@acme.example", scopes: ["usage:read"] }] });

const personPatch = z
  .strictObject({ scopes: managerScopes.nullable().optional() })
  .meta({ id: "PortalPersonUpdate", examples: [{ scopes: ["usage:read"] }] });

const peoplePath = "/portal/api/people";
const invitesPath = "/portal/api/invites";

export interface CustomerPeopleServices extends CustomerServices {
  mail: MailQueue;
}

/** The customer's own people: its managers. */
export function portalPeopleRoutes({ mail, ...services }: CustomerPeopleServices) {
  const customers = customerEntrance(services);
  return [
    read({
      operationId: "listPortalPeople",
      path: peoplePath,
      summary: "List the people of the customer, and who is invited",
      access: "customer",
      response: portalPeople,
      handle: async (input) => {
        const customer = await customers.find(input.reads, input, "people:write");
        return { body: await listPeople(input.reads, customer, input.act.now) };
      },
    }),
    write({
      operationId: "invitePortalPerson",
      method: "POST",
      path: invitesPath,
      summary: "Invite a person",
      description:
        "Sends a mail, if the server sends mail. The invite is valid for seven days. A customer has at most 50 open invites, and sends 20 in a day, 3 to an address.",
      access: "customer",
      body: portalInviteInput,
      response: portalInvite,
      problems: ["invite_exists", "scopes_exceeded", "too_many_invites"],
      handle: async (input, transaction) => {
        const customer = await customers.lock(transaction, input, "people:write");
        const invite = await invitePerson(transaction, input.act, mail, customer, input.body);
        return { body: presentPortalInvite(invite) };
      },
    }),
    remove({
      operationId: "withdrawPortalInvite",
      path: `${invitesPath}/{inviteId}`,
      summary: "Withdraw an invite",
      access: "customer",
      problems: ["scopes_exceeded"],
      handle: async (input, transaction) => {
        const customer = await customers.lock(transaction, input, "people:write");
        const { act, params, precondition } = input;
        await withdrawInvite(transaction, act, customer, params.inviteId, precondition);
      },
    }),
    write({
      operationId: "updatePortalPerson",
      method: "PATCH",
      path: `${peoplePath}/{managerId}`,
      summary: "Change what a person may do",
      description: "`null` allows everything. One person who may do everything always remains.",
      access: "customer",
      body: personPatch,
      response: portalPerson,
      problems: ["last_manager", "scopes_exceeded"],
      handle: async (input, transaction) => {
        const customer = await customers.lock(transaction, input, "people:write");
        const { act, params, body, precondition } = input;
        const changed = await changePerson(transaction, act, customer, params.managerId, body, precondition);
        return { body: presentPerson(changed, customer), revision: changed };
      },
    }),
    remove({
      operationId: "removePortalPerson",
      path: `${peoplePath}/{managerId}`,
      summary: "Remove a person",
      description: "Their sessions end immediately. One person who may do everything always remains.",
      access: "customer",
      problems: ["last_manager", "scopes_exceeded"],
      handle: async (input, transaction) => {
        const customer = await customers.lock(transaction, input, "people:write");
        const { act, params, precondition } = input;
        await removePerson(transaction, act, customer, params.managerId, precondition);
      },
    }),
  ];
}
