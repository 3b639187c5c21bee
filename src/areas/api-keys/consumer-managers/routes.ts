import { areaOf } from "../../../api/area.ts";
import { list, read, write } from "../../../api/endpoint.ts";
import { addressOf, type ConsumerFinder, consumerPath } from "../consumer-addresses/consumer-address.ts";
import { addedManagerRoutes } from "./manager-routes.ts";
import { acceptInvite, deleteInvite, findInvite, inviteManager, listInvites, managerRevisionOf } from "./managers.ts";
import { presentInvite, presentManager } from "./present.ts";
import { acceptInput, manager, managerInvite, managerInviteInput } from "./schema.ts";

const invitesPath = `${consumerPath}/manager-invites` as const;

function inviteRoutes(consumers: ConsumerFinder) {
  return [
    list({
      operationId: "listManagerInvites",
      path: invitesPath,
      summary: "List the pending invites of a consumer",
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
      summary: "Invite a manager",
      description: "The invite is valid for seven days.",
      access: "edit",
      takesTags: true,
      body: managerInviteInput,
      response: managerInvite,
      problems: ["invite_exists"],
      examples: { request: { email: "jo@acme.example" } },
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const { email, scopes } = input.body;
        const invite = await inviteManager(transaction, input.act, consumer, email, scopes);
        return { body: presentInvite(invite), revision: managerRevisionOf(invite) };
      },
    }),
    read({
      operationId: "getManagerInvite",
      path: `${invitesPath}/{inviteId}`,
      summary: "Read an invite",
      access: "read",
      takesTags: true,
      response: managerInvite,
      handle: async (input) => {
        const { consumer } = await consumers.find(input.reads, addressOf(input));
        const found = await findInvite(input.reads, consumer, input.params.inviteId);
        return { body: presentInvite(found), revision: managerRevisionOf(found) };
      },
    }),
    write({
      operationId: "deleteManagerInvite",
      method: "DELETE",
      path: `${invitesPath}/{inviteId}`,
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
      summary: "Accept an invite",
      access: "edit",
      takesTags: true,
      body: acceptInput,
      response: manager,
      problems: ["invite_expired", "manager_exists"],
      examples: { request: { sub: "auth0|5f7c8ec7c33c6c004bbafe82" } },
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const { inviteId } = input.params;
        const accepted = await acceptInvite(transaction, input.act, consumer, inviteId, input.body);
        return { body: presentManager(accepted), revision: accepted };
      },
    }),
  ];
}

export function managerArea(consumers: ConsumerFinder) {
  return areaOf({ Managers: "The people who manage a consumer's keys, and invited email addresses." }, [
    ...addedManagerRoutes(consumers),
    ...inviteRoutes(consumers),
  ]);
}
