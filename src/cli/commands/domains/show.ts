import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { findDomain, showDomain } from "../../output/domains.ts";

export const command = remoteCommand({
  summary: "Show a domain with the DNS records to set",
  arguments: { domain: argument("the domain's host or id") },
  options: {},
  examples: [
    { command: "tollgate domains show api.acme.example", text: "Its status, its records and its certificate." },
  ],
  call: (client, { domain }) => findDomain(client, domain),
  show: showDomain,
});
