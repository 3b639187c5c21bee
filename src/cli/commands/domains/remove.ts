import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { findDomain } from "../../output/domains.ts";

export const command = deleteCommand({
  summary: "Remove a domain; its host is no longer served",
  arguments: { domain: argument("the domain's host or id") },
  options: {},
  examples: [{ command: "tollgate domains remove api.acme.example", text: "Takes effect immediately on all nodes." }],
  verb: { prompt: "Remove", done: "Removed" },
  what: ({ domain }) => `the domain ${domain}, which stops working immediately`,
  delete: async (client, { domain }) => client.domains.delete((await findDomain(client, domain)).id),
});
