import type { GatewayAddresses } from "../../../../core/hosts/addresses.ts";
import { hostnameOf } from "../../../../lib/network/hosts.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { enabledPlaces, type PortalPlaceRow } from "../store.ts";

/** Where a portal is served: at a custom domain, or at a host that contains its name. */
export type PortalPlace = PortalPlaceRow;

interface PortalDirectoryOptions {
  storage: Storage;
  /** The hosts that contain a portal's name. */
  addresses: Pick<GatewayAddresses, "nameIn">;
  /** The account that has proven to own a host. */
  ownerOf(host: string): number | undefined;
}

/** The hosts of every enabled portal, kept current by the change feed. They are few enough to be all in memory. */
export class PortalDirectory {
  #byId = new Map<string, PortalPlace>();
  #byName = new Map<string, PortalPlace>();
  #byHost = new Map<string, PortalPlace>();
  /** The number of received changes: rows that were read before a change are not used. */
  #changes = 0;

  constructor(private readonly options: PortalDirectoryOptions) {
    const set = ({ subject: id, accountSeq, data }: { subject: string; accountSeq: number | null; data: Place }) => {
      this.#remove(id);
      const { isEnabled, ...place } = data;
      if (isEnabled) this.#add({ id, accountSeq: accountSeq!, ...place });
    };
    options.storage.feed.follow(
      "portals",
      {
        "portal.created": set,
        "portal.updated": set,
        "portal.deleted": ({ subject }) => this.#remove(subject),
        "bucket.deleted": ({ subject }) => {
          for (const { id, bucketId } of this.#byId.values()) if (bucketId === subject) this.#remove(id);
        },
      },
      () => {
        this.#changes += 1;
        return this.load();
      },
    );
  }

  /** Reads all portals from storage, which also repairs the loss of a notification. */
  async load(): Promise<void> {
    for (;;) {
      const changes = this.#changes;
      const places = await enabledPlaces(this.options.storage.reads);
      if (changes !== this.#changes) continue;
      this.#byId = new Map();
      this.#byName = new Map();
      this.#byHost = new Map();
      for (const place of places) this.#add(place);
      return;
    }
  }

  /** Returns the portal that a Host header names, if any. */
  find(hostHeader: string): PortalPlace | undefined {
    if (this.#byId.size === 0) return undefined;
    if (this.#byHost.size > 0) {
      const host = hostnameOf(hostHeader);
      const place = this.#byHost.get(host);
      // The domain may have been deleted, or lost to another account, since the portal was set.
      if (place && this.options.ownerOf(host) === place.accountSeq) return place;
    }
    const name = this.options.addresses.nameIn(hostHeader);
    return name === undefined ? undefined : this.#byName.get(name);
  }

  /** Whether a host can only be a portal's. */
  isHost(hostHeader: string): boolean {
    return this.options.addresses.nameIn(hostHeader) !== undefined || this.find(hostHeader) !== undefined;
  }

  /** The names of portals without a custom domain. */
  names(): string[] {
    return [...this.#byName.keys()];
  }

  #add(place: PortalPlace): void {
    this.#changes += 1;
    this.#byId.set(place.id, place);
    if (place.host === null) this.#byName.set(place.name, place);
    else this.#byHost.set(place.host, place);
  }

  #remove(id: string): void {
    this.#changes += 1;
    const place = this.#byId.get(id);
    if (!place) return;
    this.#byId.delete(id);
    if (this.#byName.get(place.name)?.id === id) this.#byName.delete(place.name);
    if (place.host !== null && this.#byHost.get(place.host)?.id === id) this.#byHost.delete(place.host);
  }
}

type Place = Omit<PortalPlace, "id" | "accountSeq"> & { isEnabled: boolean };
