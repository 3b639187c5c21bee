import { argument, named, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { printable } from "../../output/show.ts";

const marks = { added: ["+", "green"], removed: ["-", "red"], changed: ["~", "yellow"] } as const;

export const command = remoteCommand({
  summary: "Compare a deployment with another one: routes, policies, breaking changes",
  details: "Breaking changes are those of the OpenAPI document that can break clients.",
  arguments: { name: argument("the deployment, such as a preview") },
  options: { with: option("a deployment of the same project; production by default", named("NAME")) },
  examples: [
    { command: "tollgate deployments changes orders-preview-1a2b3c4", text: "What would change in production." },
    {
      command: "tollgate deployments changes orders-preview-1a2b3c4 --json | jq -e '.breaking == []'",
      text: "In CI: fails if there are breaking changes.",
    },
  ],
  call: (client, { name, with: other }) => client.deployments.changes(name, { ...(other && { with: other }) }),
  show({ routes, policies, breaking, with: other }, terminal) {
    if (!other) {
      terminal.note("There is nothing to compare with: no other deployment of the production branch is live.");
      return;
    }
    const lines = [
      ...routes.map(({ method, path, ...rest }) => ({ ...rest, subject: `${method} ${path}` })),
      ...policies.map(({ name, ...rest }) => ({ ...rest, subject: `policy ${name}` })),
    ];
    for (const { change, subject, details } of lines) {
      const [mark, style] = marks[change];
      terminal.print(terminal.style(style, `${mark} ${printable(subject)}`));
      for (const detail of details) terminal.print(`    ${printable(detail)}`);
    }
    for (const { method, path, detail } of breaking)
      terminal.print(terminal.style("red", `! ${printable(`${method} ${path}: ${detail}`)}`));
    if (lines.length + breaking.length === 0)
      terminal.note(`There are no changes, compared with ${other.deploymentName}.`);
  },
});
