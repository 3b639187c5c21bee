import { list, read, write } from "../../api/endpoint.ts";
import { addressOf, type ConsumerFinder, consumerPath } from "../buckets/consumer-address.ts";
import {
  acceptInvite,
  addManager,
  deleteInvite,
  deleteManager,
  findInvite,
  findManager,
  inviteManager,
  listInvites,
  listManagers,
  revisionOf,
} from "./managers.ts";
import { presentInvite, presentManager } from "./present.ts";
import { acceptInput, inviteInput, manager, managerInput, managerInvite } from "./schema.ts";

export const managerAreas = {
  Managers: "People who look after a consumer's keys, and e-mail addresses that are invited to.",
};

const area = "Managers";
const managersPath = `${consumerPath}/managers` as const;
const invitesPath = `${consumerPath}/manager-invites` as const;

export function managerRoutes(consumers: ConsumerFinder) {
  return [
    list({
      operationId: "listManagers",
      path: managersPath,
      area,
      summary: "List the managers of a consumer",
      access: "read",
      takesTags: true,
      item: manager,
      listName: "ManagerList",
      handle: async (input) => {
        const consumer = await consumers.findIfBucketExists(input.reads, addressOf(input));
        if (!consumer) return { data: [], total: 0 };
        const { data, total } = await listManagers(input.reads, consumer, input.query);
        return { data: data.map(presentManager), total };
      },
    }),
    write({
      operationId: "addManager",
      method: "POST",
      path: managersPath,
      area,
      summary: "Add a manager",
      access: "edit",
      takesTags: true,
      body: managerInput,
      response: manager,
      problems: ["manager_exists"],
      examples: { request: { sub: "auth0|5f7c8ec7c33c6c004bbafe82", email: "jo@acme.example" } },
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const added = await addManager(transaction, input.act, consumer, input.body);
        return { body: presentManager(added), revision: revisionOf(added) };
      },
    }),
    read({
      operationId: "getManager",
      path: `${managersPath}/{managerId}`,
      area,
      summary: "Read a manager",
      access: "read",
      takesTags: true,
      response: manager,
      handle: async (input) => {
        const { consumer } = await consumers.find(input.reads, addressOf(input));
        const found = await findManager(input.reads, consumer, input.params.managerId);
        return { body: presentManager(found), revision: revisionOf(found) };
      },
    }),
    write({
      operationId: "deleteManager",
      method: "DELETE",
      path: `${managersPath}/{managerId}`,
      area,
      summary: "Remove a manager",
      access: "edit",
      takesTags: true,
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        await deleteManager(transaction, input.act, consumer, input.params.managerId, input.precondition);
        return {};
      },
    }),
    list({
      operationId: "listManagerInvites",
      path: invitesPath,
      area,
      summary: "List the open invites of a consumer",
      access: "read",
      takesTags: true,
      item: managerInvite,
      listName: "ManagerInviteList",
      handle: async (input) => {
        const consumer = await consumers.findIfBucketExists(input.reads, addressOf(input));
        if (!consumer) return { data: [], total: 0 };
        const { data, total } = await listInvites(input.reads, consumer, input.act.now, input.query);
        return { data: data.map(presentInvite), total };
      },
    }),
    write({
      operationId: "inviteManager",
      method: "POST",
      path: invitesPath,
      area,
      summary: "Invite a manager",
      description: "The invite is good for seven days.",
      access: "edit",
      takesTags: true,
      body: inviteInput,
      response: managerInvite,
      problems: ["invite_exists"],
      examples: { request: { email: "jo@acme.example" } },
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const invite = await inviteManager(transaction, input.act, consumer, input.body.email);
        return { body: presentInvite(invite), revision: revisionOf(invite) };
      },
    }),
    read({
      operationId: "getManagerInvite",
      path: `${invitesPath}/{inviteId}`,
      area,
      summary: "Read an invite",
      access: "read",
      takesTags: true,
      response: managerInvite,
      handle: async (input) => {
        const { consumer } = await consumers.find(input.reads, addressOf(input));
        const found = await findInvite(input.reads, consumer, input.params.inviteId);
        return { body: presentInvite(found), revision: revisionOf(found) };
      },
    }),
    write({
      operationId: "deleteManagerInvite",
      method: "DELETE",
      path: `${invitesPath}/{inviteId}`,
      area,
      summary: "Withdraw an invite",
      access: "edit",
      takesTags: true,
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        await deleteInvite(transaction, input.act, consumer, input.params.inviteId, input.precondition);
        return {};
      },
    }),
    write({
      operationId: "acceptManagerInvite",
      method: "POST",
      path: `${invitesPath}/{inviteId}/accept`,
      area,
      summary: "Turn an invite into a manager",
      access: "edit",
      takesTags: true,
      body: acceptInput,
      response: manager,
      problems: ["invite_expired", "manager_exists"],
      examples: { request: { sub: "auth0|5f7c8ec7c33c6c004bbafe82" } },
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const { inviteId } = input.params;
        const accepted = await acceptInvite(transaction, input.act, consumer, inviteId, input.body.sub);
        return { body: presentManager(accepted), revision: revisionOf(accepted) };
      },
    }),
  ];
}
