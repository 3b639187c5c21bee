import type { Mount } from "../../../../core/hosts/mount-table.ts";
import { canonicalDomain } from "../../../../lib/network/domain-names.ts";
import type { Domain, Domains } from "../../../gateways/domains/domains.ts";
import { mountsOf } from "../../../gateways/domains/mounts.ts";
import type { ConfigurationEntry, Kind } from "../kind.ts";
import { allPages } from "./entries.ts";

export function domainKind(domains: Domains): Kind {
  return {
    name: "domains",
    operations: { create: "createDomain", update: "updateDomain", delete: "deleteDomain" },
    async existing(reads, account) {
      const rows = await allPages((paging) => domains.list(reads, account.seq, paging));
      return rows.map((row) => ({ id: row.id, name: row.host, version: row.version, entry: entryOf(row) }));
    },
    // A host that is not valid is rejected by the rules of the domain.
    desired: ({ name }, entry) => ({ name: canonicalDomain(name) ?? name, input: withoutDefaultMounts(entry) }),
    dumped: ({ entry }) => entry,
    async create(transaction, act, { name, input }) {
      return (await domains.create(transaction, act, { host: name, ...input })).id;
    },
    async update(transaction, act, { id }, { input }, precondition) {
      await domains.update(transaction, act, id, input, precondition);
    },
    delete: (transaction, act, { id }, precondition) => domains.delete(transaction, act, id, precondition),
    async remarks(_reads, _act, { action }) {
      if (action !== "create") return {};
      return { notes: ["Becomes a claim, which its TXT record must prove within seven days."] };
    },
  };
}

function entryOf(domain: Domain): ConfigurationEntry {
  const mounts = mountsOf(domain);
  return mounts ? withoutDefaultMounts({ mounts }) : { deploymentName: domain.deployment_name };
}

function withoutDefaultMounts({ mounts, ...entry }: ConfigurationEntry): ConfigurationEntry {
  if (mounts === undefined) return entry;
  const shown = (mounts as Mount[]).map(({ stripPath, ...mount }) => ({ ...mount, ...(stripPath && { stripPath }) }));
  return { ...entry, mounts: shown };
}
