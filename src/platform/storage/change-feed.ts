import type { Change, ChangeKind } from "./change.ts";

export type ChangeListener = (changes: Change[]) => void;

/** What a follower does with each kind that concerns it. */
export type ChangeHandlers = { [Kind in ChangeKind]?: (change: Change<Kind>) => void };

/** How far a node may believe what it remembers. */
export type Trust =
  /** The feed is followed: caches are exact to within a second. */
  | "fresh"
  /** The feed is behind, but storage may respond: read it. */
  | "behind"
  /** Storage is away: what is known may be used for the configured time. */
  | "away"
  /** Storage has been away for longer than that: believe nothing. */
  | "lost";

/** Notifies followers of changes: at once for this node's own writes, within a second for other nodes'. */
export abstract class ChangeFeed {
  readonly #listeners: ChangeListener[] = [];
  readonly #followed = new Map<ChangeKind, string[]>();

  /** The name is that under which the catalogue of changes expects the follower. */
  follow(follower: string, handlers: ChangeHandlers): void {
    for (const kind of Object.keys(handlers) as ChangeKind[])
      this.#followed.set(kind, [...this.followersOf(kind), follower]);
    this.subscribe((changes) => {
      // The handler of a change's own kind takes that change; the compiler cannot follow the union here.
      for (const change of changes) (handlers[change.kind] as ((change: Change) => void) | undefined)?.(change);
    });
  }

  followersOf(kind: ChangeKind): string[] {
    return this.#followed.get(kind) ?? [];
  }

  /** All changes, whatever their kind. */
  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Runs between commit and response, so that the next request of this node already sees the change. */
  publish(changes: Change[]): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }

  abstract trust(): Trust;

  /** For how long changes of other nodes may have gone unnoticed. */
  lagMilliseconds(): number {
    return 0;
  }

  /** Distinguishes this process from the other nodes on the same database; undefined where there can be no others. */
  get nodeId(): string | undefined {
    return undefined;
  }
}

/** One process owns the database: its own writes are all there is to follow. */
export class LocalFeed extends ChangeFeed {
  trust(): Trust {
    return "fresh";
  }
}
