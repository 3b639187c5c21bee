import type { CustomDomain, CustomDomains } from "../../../core/hosts/custom-domains.ts";
import { type Mount, MountTable } from "../../../core/hosts/mount-table.ts";
import { hostnameOf } from "../../../lib/network/hosts.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { mountsOf } from "./mounts.ts";
import { ownedDomains } from "./store.ts";

interface OwnedDomain extends CustomDomain {
  id: string;
}

/** Every custom domain that is served, kept current by the change feed. They are few enough to be all in memory. */
export class DomainDirectory implements CustomDomains {
  #domains = new Map<string, OwnedDomain>();
  /** The number of received changes: rows that were read before a change are not used. */
  #changes = 0;

  /** `isReserved`: hosts of the management API, which a domain cannot take over. */
  constructor(
    private readonly storage: Storage,
    private readonly isReserved: (host: string) => boolean,
  ) {
    storage.feed.follow(
      "domains",
      {
        "domain.activated": ({ subject, accountSeq, data }) =>
          this.#add({ id: subject, accountSeq: accountSeq!, ...routed(data) }),
        "domain.updated": ({ subject, accountSeq, data }) =>
          this.#update({ id: subject, accountSeq: accountSeq!, ...routed(data) }),
        "domain.released": ({ subject, data }) => this.#remove(subject, data.host),
        "domain.deleted": ({ subject, data }) => this.#remove(subject, data.host),
      },
      () => {
        this.#changes += 1;
        return this.load();
      },
    );
  }

  /** Reads all domains from storage, which also repairs the loss of a notification. */
  async load(): Promise<void> {
    for (;;) {
      const changes = this.#changes;
      const owned = await ownedDomains(this.storage.reads);
      if (changes !== this.#changes) continue;
      const routedDomains = owned
        .filter(({ host }) => !this.isReserved(host))
        .map(({ mounts, ...domain }) => ({ ...domain, ...tableOf(mountsOf({ mounts })) }));
      this.#domains = new Map(routedDomains.map((domain) => [domain.host, domain]));
      return;
    }
  }

  find(hostHeader: string): CustomDomain | undefined {
    if (this.#domains.size === 0) return undefined;
    return this.#domains.get(hostHeader) ?? this.#domains.get(hostnameOf(hostHeader));
  }

  all(): Iterable<CustomDomain> {
    return this.#domains.values();
  }

  #add(domain: OwnedDomain): void {
    this.#changes += 1;
    if (!this.isReserved(domain.host)) this.#domains.set(domain.host, domain);
  }

  /** Only if it is routed, which a pending claim is not. */
  #update(domain: OwnedDomain): void {
    this.#changes += 1;
    if (this.#domains.get(domain.host)?.id === domain.id) this.#domains.set(domain.host, domain);
  }

  /** Only if it is still this one: another account may have proven the host in the meantime. */
  #remove(id: string, host: string): void {
    this.#changes += 1;
    if (this.#domains.get(host)?.id === id) this.#domains.delete(host);
  }
}

function routed({ host, deploymentName, mounts }: { host: string; deploymentName: string; mounts: Mount[] | null }) {
  return { host, deploymentName, ...tableOf(mounts) };
}

/** Changes that were recorded before an upgrade have no `mounts`. */
function tableOf(mounts: Mount[] | null | undefined): Pick<CustomDomain, "mounts"> {
  return mounts ? { mounts: new MountTable(mounts) } : {};
}
