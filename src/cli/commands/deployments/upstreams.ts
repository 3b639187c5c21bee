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
      text: "With the reason why a target gets no requests.",
    },
  ],
  call: (client, { name }) => client.deployments.upstreams(name),
  show({ version, data }, terminal) {
    const hasCanary = data.some((upstream) => upstream.version !== version);
    const rows = data.flatMap(({ version: ofVersion, targets, balance, routes }) =>
      targets.map(({ url, weight, state, inFlight, consecutiveErrors, ejectedUntil, lastCheck }) => ({
        version: ofVersion,
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
      ...(hasCanary ? (["version"] as const) : []),
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
    terminal.note(
      terminal.noteStyle(
        "dim",
        `${counted(rows.length, "target")} of version ${version}${hasCanary ? " and its canary" : ""}.`,
      ),
    );
  },
});
