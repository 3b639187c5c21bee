import { argument, flag } from "../arguments/values.ts";
import { deleteCommand, listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { deploymentOptions, deploymentsOf } from "../options/mount-options.ts";
import { activeDomain, findDomain, showDomain } from "../output/domains.ts";

export const domains = group({
  name: "domains",
  summary: "Custom domains: your own hosts for deployments",
  commands: {
    list: listCommand({
      summary: "List custom domains",
      examples: { "tollgate domains list": "With their deployments, status and problems." },
      things: "domains",
      columns: ["host", "status", "deploymentName", "id", "message"],
      list: (client, paging) => client.domains.list(paging),
    }),
    add: remoteCommand({
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
      async call(client, { host, deployment, mount, wait, json }, terminal) {
        const domain = await client.domains.create({ host, ...deploymentsOf({ deployment, mount }) });
        if (!wait) return domain;
        if (!json) showDomain(domain, terminal);
        return activeDomain(client, domain, terminal);
      },
      show: showDomain,
      exitCode: ({ status }, { wait }) => (wait && status === "pending" ? 1 : 0),
    }),
    show: remoteCommand({
      summary: "Show a domain with the DNS records to set",
      arguments: { domain: argument("the domain's host or id") },
      examples: { "tollgate domains show api.acme.example": "Its status, its records and its certificate." },
      call: (client, { domain }) => findDomain(client, domain),
      show: showDomain,
    }),
    update: remoteCommand({
      summary: "Serve a domain by other deployments",
      details: "Replaces the deployment or all mounts of the domain. Applies to the next request.",
      arguments: { domain: argument("the domain's host or id") },
      options: deploymentOptions,
      examples: {
        "tollgate domains update api.acme.example --mount /=shop-main-9f8e7d6 --mount /billing=billing-main-1a2b3c4,strip":
          "Two deployments on one host. The second one sees /invoices for /billing/invoices.",
        "tollgate domains update api.acme.example --deployment shop-main-9f8e7d6":
          "One deployment for all paths again.",
      },
      async call(client, { domain, ...deployments }) {
        const change = deploymentsOf(deployments);
        return client.domains.update((await findDomain(client, domain)).id, change);
      },
      show: showDomain,
    }),
    check: remoteCommand({
      summary: "Check the DNS records of a domain now",
      arguments: { domain: argument("the domain's host or id") },
      options: { wait: flag("wait until the TXT record is found, at most 15 minutes") },
      examples: {
        "tollgate domains check api.acme.example --wait":
          "Ends when the domain is active; the exit code is 1 if it is not by then.",
      },
      async call(client, { domain, wait }, terminal) {
        const { id } = await findDomain(client, domain);
        const current = await client.domains.check(id);
        return wait ? activeDomain(client, current, terminal) : current;
      },
      show: showDomain,
      exitCode: ({ status }, { wait }) => (wait && status === "pending" ? 1 : 0),
    }),
    remove: deleteCommand({
      summary: "Remove a domain; its host is no longer served",
      arguments: { domain: argument("the domain's host or id") },
      examples: { "tollgate domains remove api.acme.example": "Takes effect immediately on all nodes." },
      verb: { prompt: "Remove", done: "Removed" },
      what: ({ domain }) => `the domain ${domain}, which stops working immediately`,
      delete: async (client, { domain }) => client.domains.delete((await findDomain(client, domain)).id),
    }),
  },
});
