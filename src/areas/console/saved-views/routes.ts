import { areaOf } from "../../../api/area.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { presentView } from "./present.ts";
import { savedViewInput, view, viewPatch } from "./schema.ts";
import { createView, deleteView, findView, listViews, updateView } from "./views.ts";

const viewsPath = "/v1/accounts/{accountName}/views";
const viewPath = `${viewsPath}/{viewId}` as const;

export function viewArea() {
  return areaOf({ Views: "Named filters of the console's lists, for all users of the account." }, [
    list({
      operationId: "listViews",
      path: viewsPath,
      summary: "List the saved views of an account",
      access: "read",
      item: view,
      listName: "ViewList",
      handle: async ({ reads, account, query }) => presentPage(await listViews(reads, account.seq, query), presentView),
    }),
    write({
      operationId: "createView",
      method: "POST",
      path: viewsPath,
      summary: "Save a view",
      access: "edit",
      body: savedViewInput,
      response: view,
      problems: ["view_exists", "too_many_views"],
      handle: async ({ act, body }, transaction) => {
        const created = await createView(transaction, act, body);
        return { body: presentView(created), revision: created };
      },
    }),
    read({
      operationId: "getView",
      path: viewPath,
      summary: "Read a view",
      access: "read",
      response: view,
      handle: async ({ reads, account, params }) => {
        const found = await findView(reads, account.seq, params.viewId);
        return { body: presentView(found), revision: found };
      },
    }),
    write({
      operationId: "updateView",
      method: "PATCH",
      path: viewPath,
      summary: "Rename a view or change its filters",
      access: "edit",
      body: viewPatch,
      response: view,
      problems: ["view_exists"],
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await updateView(transaction, act, params.viewId, body, precondition);
        return { body: presentView(updated), revision: updated };
      },
    }),
    remove({
      operationId: "deleteView",
      path: viewPath,
      summary: "Delete a view",
      access: "edit",
      handle: ({ act, params, precondition }, transaction) => deleteView(transaction, act, params.viewId, precondition),
    }),
  ]);
}
