import type { Change } from "../../core/changes/change.ts";

export type ChangeListener = (changes: Change[]) => void;

/** How far a node may believe what it remembers. */
export type Trust =
  /** The feed is followed: caches are exact to within a second. */
  | "fresh"
  /** The feed is behind, but storage may answer: ask it. */
  | "behind"
  /** Storage is away: what is known may be used for the configured time. */
  | "away"
  /** Storage has been away for longer than that: believe nothing. */
  | "lost";

/** Tells followers what changed: at once for this node's own writes, within a second for other nodes'. */
export abstract class ChangeFeed {
  readonly #listeners: ChangeListener[] = [];

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Runs between commit and answer, so that the next request of this node already sees the change. */
  publish(changes: Change[]): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }

  abstract trust(): Trust;
}

/** One process owns the database: its own writes are all there is to follow. */
export class LocalFeed extends ChangeFeed {
  trust(): Trust {
    return "fresh";
  }
}
