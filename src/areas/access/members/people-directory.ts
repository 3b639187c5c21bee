import type { Membership } from "../../../core/access.ts";
import { SecondChanceCache } from "../../../lib/cache/second-chance-cache.ts";
import { FollowedCache } from "../../../platform/storage/change-feed/followed-cache.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { activeMemberships, lastInvitationEnd } from "./members.ts";

const maximumBytes = 4 * 1024 * 1024;
const entryBytes = 600;

/** A person with the accounts that they are an active member of. */
export interface KnownPerson {
  id: string;
  email: string;
  memberships: readonly Membership[];
  /** The end of their last invitation that is not accepted, or 0. */
  invitedUntil: number;
}

/** People by id, cached until a membership changes. */
export class PeopleDirectory {
  readonly cache: FollowedCache<KnownPerson>;

  constructor(private readonly storage: Storage) {
    this.cache = new FollowedCache(storage.feed, new SecondChanceCache(maximumBytes, () => entryBytes));
    const evict = ({ data }: { data: { personId: string } }) => this.cache.evict(data.personId);
    storage.feed.follow(
      "people",
      {
        "member.invited": evict,
        "member.joined": evict,
        "member.updated": evict,
        "member.removed": evict,
        "account.deleted": () => this.cache.clear(),
      },
      () => this.cache.clear(),
    );
  }

  /** Returns undefined for a person without an account or an invitation. Synchronous if the person is cached. */
  find(id: string, seq: number): KnownPerson | undefined | Promise<KnownPerson | undefined> {
    return this.cache.peek(id) ?? this.cache.load(id, () => this.#read(id, seq));
  }

  async #read(id: string, seq: number): Promise<KnownPerson | undefined> {
    const { reads } = this.storage;
    const memberships = await activeMemberships(reads, seq);
    const invitedUntil = await lastInvitationEnd(reads, seq);
    const person = memberships.length === 0 && invitedUntil === 0 ? undefined : await findRow(reads, "people", { seq });
    return person && { id, email: person.email, memberships, invitedUntil };
  }
}
