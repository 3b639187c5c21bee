import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Show a version with its contents",
  details: `The OpenAPI document, routes, policies with their options, plain variables and code. Secrets of the project are shown as \${NAME}.`,
  arguments: { name: argument("the deployment"), number: argument("its number") },
  options: {},
  examples: [
    { command: "tollgate deployments version orders-main-3f9c2a1 3", text: "The contents of version 3." },
    {
      command: "diff <(tollgate deployments version $NAME 2 --json) <(tollgate deployments version $NAME 3 --json)",
      text: "The differences between two versions.",
    },
  ],
  call: (client, { name, number }) => client.deployments.version(name, number),
  show: ({ contents, ...version }, terminal) => {
    showFields(version, terminal);
    const { document, code, ...rest } = contents;
    if (document) terminal.print(`\n${document.text.trimEnd()}`);
    terminal.print(`\n${JSON.stringify(rest, null, 2)}`);
    if (code !== null) terminal.print(`\n${code}`);
  },
});
