import type { None, Values } from "../arguments/command.ts";
import { argument, flag, formed, listOption, named, option } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { activeDomain, findDomain, showDomain } from "../output/domains.ts";
import { UsageError } from "../process/usage-error.ts";

/** `--deployment NAME`, or `--mount /billing=NAME,strip` for several deployments. */
const deploymentOptions = {
  deployment: option("the deployment that serves all paths", named("NAME")),
  mount: listOption(
    "the deployment that serves a path; with `,strip` it sees the rest of the path",
    // The name has no `=`; the path may have one.
    formed("PATH=NAME[,strip]", /^(.+)=([^=,]+)(,strip)?$/s, (path, deploymentName, strip) => ({
      path,
      deploymentName,
      ...(strip && { stripPath: true }),
    })),
  ),
};

/** The fields of the request. Throws unless exactly one of the options was given. */
function deploymentsOf({ deployment, mount }: Values<None, typeof deploymentOptions>) {
  if (mount && deployment !== undefined)
    throw new UsageError(`--deployment and --mount exclude each other: use --mount /=${deployment}`);
  if (mount) return { mounts: mount };
  if (deployment === undefined) throw new UsageError("give --deployment or --mount");
  return { deploymentName: deployment };
}

const domain = resource({
  one: "a domain",
  id: { domain: argument("the domain's host or id") },
  sample: "api.acme.example",
  api: (client) => client.domains,
  idOf: async (api, given) => (await findDomain(api, given)).id,
});

export const domains = group({
  name: "domains",
  summary: "Custom domains: your own hosts for deployments",
  aliases: { remove: "delete" },
  commands: {
    list: domain.list({
      summary: "List custom domains",
      columns: ["host", "status", "deploymentName", "id", "message"],
      examples: "With their deployments, status and problems.",
    }),
    add: domain.command({
      summary: "Serve a deployment on a custom domain",
      details:
        "Shows the DNS records to set. A claim that is not proven by its TXT record within seven days is removed.",
      arguments: { host: argument("a full domain name, such as api.acme.example") },
      options: {
        ...deploymentOptions,
        wait: flag("wait until the TXT record is found, at most 15 minutes"),
      },
      examples: {
        "tollgate domains add api.acme.example --deployment orders-main-1a2b3c4":
          "Then set the DNS records that it shows.",
        "tollgate domains add api.acme.example --mount /=shop-main-9f8e7d6 --mount /billing=billing-main-1a2b3c4,strip":
          "Several deployments on one host, by path.",
      },
      async call(api, { host, deployment, mount, wait, json }, { terminal }) {
        const created = await api.create({ host, ...deploymentsOf({ deployment, mount }) });
        if (!wait) return created;
        if (!json) showDomain(created, terminal);
        return activeDomain(api, created, terminal);
      },
      show: showDomain,
      exitCode: ({ status }, { wait }) => (wait && status === "pending" ? 1 : 0),
    }),
    show: domain.show({
      summary: "Show a domain with the DNS records to set",
      examples: "Its status, its records and its certificate.",
      show: showDomain,
    }),
    update: domain.action({
      summary: "Serve a domain by other deployments",
      details: "Replaces the deployment or all mounts of the domain. Applies to the next request.",
      options: deploymentOptions,
      examples: {
        "tollgate domains update api.acme.example --mount /=shop-main-9f8e7d6 --mount /billing=billing-main-1a2b3c4,strip":
          "Two deployments on one host. The second one sees /invoices for /billing/invoices.",
        "tollgate domains update api.acme.example --deployment shop-main-9f8e7d6":
          "One deployment for all paths again.",
      },
      call: (api, id, deployments) => api.update(id, deploymentsOf(deployments)),
      show: showDomain,
    }),
    check: domain.action({
      summary: "Check the DNS records of a domain now",
      options: { wait: flag("wait until the TXT record is found, at most 15 minutes") },
      examples: {
        "tollgate domains check api.acme.example --wait":
          "Ends when the domain is active; the exit code is 1 if it is not by then.",
      },
      async call(api, id, { wait }, { terminal }) {
        const current = await api.check(id);
        return wait ? activeDomain(api, current, terminal) : current;
      },
      show: showDomain,
      exitCode: ({ status }, { wait }) => (wait && status === "pending" ? 1 : 0),
    }),
    delete: domain.delete({
      summary: "Delete a domain; its host is no longer served",
      effect: "which stops working immediately",
      examples: "Takes effect immediately on all nodes.",
    }),
  },
});
