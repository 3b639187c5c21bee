import { argument, integer, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { counted, showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "List the routes of a deployment, with their policies and targets",
  arguments: { name: argument("the deployment") },
  options: { version: option("the number of a version; the one that serves by default", integer) },
  examples: [
    { command: "tollgate deployments routes orders-main-3f9c2a1", text: "With the policies of each route." },
    {
      command: "tollgate deployments routes orders-main-3f9c2a1 --version 2",
      text: "The routes of an earlier version.",
    },
  ],
  call: (client, { name, version }) => client.deployments.routes(name, { version }),
  show({ version, data }, terminal) {
    const rows = data.map(({ policies, target, ...route }) => ({
      ...route,
      policies: policies.map(({ name }) => name),
      target:
        "policy" in target
          ? `policy ${target.policy}`
          : "upstream" in target
            ? (target.targets ?? [target.upstream]).join(", ")
            : target.handler,
    }));
    showList(terminal, rows, ["method", "path", "target", "policies", "timeoutSeconds", "operationId"]);
    terminal.note(terminal.noteStyle("dim", `${counted(data.length, "route")} of version ${version}.`));
  },
});
