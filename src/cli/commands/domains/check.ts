import { argument, flag } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { activeDomain, findDomain, showDomain } from "../../output/domains.ts";

export const command = remoteCommand({
  summary: "Check the DNS records of a domain now",
  arguments: { domain: argument("the domain's host or id") },
  options: { wait: flag("wait until the TXT record is found, at most 15 minutes") },
  examples: [
    {
      command: "tollgate domains check api.acme.example --wait",
      text: "Ends when the domain is active; the exit code is 1 if it is not by then.",
    },
  ],
  async call(client, { domain, wait }, terminal) {
    const { id } = await findDomain(client, domain);
    const current = await client.domains.check(id);
    return wait ? activeDomain(client, current, terminal) : current;
  },
  show: showDomain,
  exitCode: ({ status }, { wait }) => (wait && status === "pending" ? 1 : 0),
});
