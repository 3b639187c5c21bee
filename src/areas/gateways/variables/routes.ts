import { areaOf } from "../../../api/area.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { isLimited } from "../../../core/access.ts";
import { presentVariable } from "./present.ts";
import { variable, variableInput } from "./schema.ts";
import { deleteVariable, findVariable, listVariables, type Variables } from "./variables.ts";

const variablesPath = "/v1/accounts/{accountName}/projects/{projectName}/variables";
const variablePath = `${variablesPath}/{variableName}` as const;

export function variableArea(variables: Variables) {
  const operations = [
    list({
      operationId: "listVariables",
      path: variablesPath,
      summary: "List the variables of a project",
      description: "Secrets are listed without their values.",
      access: "read",
      item: variable,
      listName: "VariableList",
      handle: async ({ reads, account, params, query }) =>
        presentPage(await listVariables(reads, account.seq, params.projectName, query), presentVariable),
    }),
    read({
      operationId: "getVariable",
      path: variablePath,
      summary: "Read a variable",
      access: "read",
      response: variable,
      handle: async ({ reads, account, params }) => {
        const found = await findVariable(reads, account.seq, params.projectName, params.variableName);
        return { body: presentVariable(found), revision: found };
      },
    }),
    write({
      operationId: "setVariable",
      method: "PUT",
      path: variablePath,
      summary: "Set a variable",
      description:
        "Creates it or replaces it as a whole. A plain variable takes effect with the next build; a secret with the next " +
        "request of every version that uses it, within a second on every node.",
      access: "edit",
      body: variableInput,
      response: variable,
      problems: ["too_many_variables"],
      handle: async ({ act, params, body, precondition, caller }, transaction) => {
        const address = { project: params.projectName, name: params.variableName };
        const input = { ...body, isLimited: isLimited(caller) };
        const set = await variables.set(transaction, act, address, input, precondition);
        return { body: presentVariable(set), revision: set };
      },
    }),
    remove({
      operationId: "deleteVariable",
      path: variablePath,
      summary: "Delete a variable",
      description:
        "Versions keep the plain variables that they were built with. Routes that use a deleted secret respond with 503.",
      access: "edit",
      handle: async ({ act, params, precondition }, transaction) => {
        const address = { project: params.projectName, name: params.variableName };
        await deleteVariable(transaction, act, address, precondition);
      },
    }),
  ];
  return areaOf(
    {
      Variables:
        "Values that gateway projects refer to. A version has the plain values of its build, and always the current secrets.",
    },
    operations,
  );
}
