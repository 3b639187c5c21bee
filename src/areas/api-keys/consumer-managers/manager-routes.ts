import { list, read, write } from "../../../api/endpoint.ts";
import { addressOf, type ConsumerFinder, consumerPath } from "../consumer-addresses/consumer-address.ts";
import { addManager, deleteManager, findManager, listManagers, updateManager } from "./managers.ts";
import { presentManager } from "./present.ts";
import { manager, managerInput, managerPatch } from "./schema.ts";

const managersPath = `${consumerPath}/managers` as const;

export function addedManagerRoutes(consumers: ConsumerFinder) {
  return [
    list({
      operationId: "listManagers",
      path: managersPath,
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
        return { body: presentManager(added), revision: added };
      },
    }),
    read({
      operationId: "getManager",
      path: `${managersPath}/{managerId}`,
      summary: "Read a manager",
      access: "read",
      takesTags: true,
      response: manager,
      handle: async (input) => {
        const { consumer } = await consumers.find(input.reads, addressOf(input));
        const found = await findManager(input.reads, consumer, input.params.managerId);
        return { body: presentManager(found), revision: found };
      },
    }),
    write({
      operationId: "updateManager",
      method: "PATCH",
      path: `${managersPath}/{managerId}`,
      summary: "Change what a manager may do in the portal",
      access: "edit",
      takesTags: true,
      body: managerPatch,
      response: manager,
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const { act, params, body, precondition } = input;
        const changed = await updateManager(transaction, act, consumer, params.managerId, body, precondition);
        return { body: presentManager(changed), revision: changed };
      },
    }),
    write({
      operationId: "deleteManager",
      method: "DELETE",
      path: `${managersPath}/{managerId}`,
      summary: "Remove a manager",
      access: "edit",
      takesTags: true,
      handle: async (input, transaction) => {
        const { consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        await deleteManager(transaction, input.act, consumer, input.params.managerId, input.precondition);
        return {};
      },
    }),
  ];
}
