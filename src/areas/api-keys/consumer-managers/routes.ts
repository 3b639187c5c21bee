import { areaOf } from "../../../api/area.ts";
import { list } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { addressOf, type ConsumerFinder, consumerPath } from "../consumer-addresses/consumer-address.ts";
import { inConsumer } from "../consumer-addresses/in-consumer.ts";
import { addedManagerRoutes } from "./manager-routes.ts";
import { acceptInvite, deleteInvite, findInvite, inviteManager, listInvites, managerRevisionOf } from "./managers.ts";
import { presentInvite, presentManager } from "./present.ts";
import { acceptInput, manager, managerInvite, managerInviteInput } from "./schema.ts";

const invitesPath = `${consumerPath}/manager-invites` as const;

function inviteRoutes(consumers: ConsumerFinder) {
  const { read, remove, write } = inConsumer(consumers);
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
        return presentPage(await listInvites(input.reads, consumer, input.act.now, input.query), presentInvite);
      },
    }),
    write({
      operationId: "inviteManager",
      method: "POST",
      path: invitesPath,
      summary: "Invite a manager",
      description: "The invite is valid for seven days.",
      access: "edit",
      body: managerInviteInput,
      response: managerInvite,
      problems: ["invite_exists"],
      examples: { request: { email: "jo@acme.example" } },
      handle: async ({ act, consumer, body }, transaction) => {
        const invite = await inviteManager(transaction, act, consumer, body.email, body.scopes);
        return { body: presentInvite(invite), revision: managerRevisionOf(invite) };
      },
    }),
    read({
      operationId: "getManagerInvite",
      path: `${invitesPath}/{inviteId}`,
      summary: "Read an invite",
      access: "read",
      response: managerInvite,
      handle: async ({ reads, consumer, params }) => {
        const found = await findInvite(reads, consumer, params.inviteId);
        return { body: presentInvite(found), revision: managerRevisionOf(found) };
      },
    }),
    remove({
      operationId: "deleteManagerInvite",
      path: `${invitesPath}/{inviteId}`,
      summary: "Withdraw an invite",
      access: "edit",
      handle: ({ act, consumer, params, precondition }, transaction) =>
        deleteInvite(transaction, act, consumer, params.inviteId, precondition),
    }),
    write({
      operationId: "acceptManagerInvite",
      method: "POST",
      path: `${invitesPath}/{inviteId}/accept`,
      summary: "Accept an invite",
      access: "edit",
      body: acceptInput,
      response: manager,
      problems: ["invite_expired", "manager_exists"],
      examples: { request: { sub: "auth0|5f7c8ec7c33c6c004bbafe82" } },
      handle: async ({ act, consumer, params, body }, transaction) => {
        const accepted = await acceptInvite(transaction, act, consumer, params.inviteId, body);
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
