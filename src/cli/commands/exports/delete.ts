import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "Delete an export: what it has written stays",
  arguments: { name: argument("the export's name") },
  options: {},
  examples: [{ command: "tollgate exports delete warehouse", text: "Asks first." }],
  what: ({ name }) => `the export ${name}`,
  delete: (client, { name }) => client.exports.delete(name),
});
