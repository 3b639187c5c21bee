import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { counted, showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "List the upstreams of a deployment, with the health of their targets",
  arguments: { name: argument("the deployment") },
  options: {},
  examples: [
    {
      command: "tollgate deployments upstreams orders-main-3f9c2a1",
      text: "Which targets get requests, and why others do not.",
    },
  ],
  call: (client, { name }) => client.deployments.upstreams(name),
  show({ version, data }, terminal) {
    const rows = data.flatMap(({ targets, balance, routes }) =>
      targets.map(({ url, weight, state, inFlight, consecutiveErrors, ejectedUntil, lastCheck }) => ({
        target: url,
        state,
        weight,
        balance: targets.length > 1 ? balance : undefined,
        routes,
        inFlight,
        errors: consecutiveErrors || undefined,
        ejectedUntil,
        lastCheck: lastCheck && (lastCheck.status ? String(lastCheck.status) : lastCheck.error),
      })),
    );
    showList(terminal, rows, [
      "target",
      "state",
      "weight",
      "balance",
      "routes",
      "inFlight",
      "errors",
      "lastCheck",
      "ejectedUntil",
    ]);
    terminal.note(terminal.noteStyle("dim", `${counted(rows.length, "target")} of version ${version}.`));
  },
});
