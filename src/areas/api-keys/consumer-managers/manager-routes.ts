import { list } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { addressOf, type ConsumerFinder, consumerPath } from "../consumer-addresses/consumer-address.ts";
import { inConsumer } from "../consumer-addresses/in-consumer.ts";
import { addManager, deleteManager, findManager, listManagers, updateManager } from "./managers.ts";
import { presentManager } from "./present.ts";
import { manager, managerInput, managerPatch } from "./schema.ts";

const managersPath = `${consumerPath}/managers` as const;

export function addedManagerRoutes(consumers: ConsumerFinder) {
  const { read, remove, write } = inConsumer(consumers);
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
        return presentPage(await listManagers(input.reads, consumer, input.query), presentManager);
      },
    }),
    write({
      operationId: "addManager",
      method: "POST",
      path: managersPath,
      summary: "Add a manager",
      access: "edit",
      body: managerInput,
      response: manager,
      problems: ["manager_exists"],
      examples: { request: { sub: "auth0|5f7c8ec7c33c6c004bbafe82", email: "jo@acme.example" } },
      handle: async ({ act, consumer, body }, transaction) => {
        const added = await addManager(transaction, act, consumer, body);
        return { body: presentManager(added), revision: added };
      },
    }),
    read({
      operationId: "getManager",
      path: `${managersPath}/{managerId}`,
      summary: "Read a manager",
      access: "read",
      response: manager,
      handle: async ({ reads, consumer, params }) => {
        const found = await findManager(reads, consumer, params.managerId);
        return { body: presentManager(found), revision: found };
      },
    }),
    write({
      operationId: "updateManager",
      method: "PATCH",
      path: `${managersPath}/{managerId}`,
      summary: "Change what a manager may do in the portal",
      access: "edit",
      body: managerPatch,
      response: manager,
      handle: async ({ act, consumer, params, body, precondition }, transaction) => {
        const changed = await updateManager(transaction, act, consumer, params.managerId, body, precondition);
        return { body: presentManager(changed), revision: changed };
      },
    }),
    remove({
      operationId: "deleteManager",
      path: `${managersPath}/{managerId}`,
      summary: "Remove a manager",
      access: "edit",
      handle: ({ act, consumer, params, precondition }, transaction) =>
        deleteManager(transaction, act, consumer, params.managerId, precondition),
    }),
  ];
}
