import type { Change, ChangeKind } from "./change.ts";
import type { HistoryPoint } from "./database-history.ts";

type ChangeListener = (changes: Change[]) => void;

/** The handlers of a follower by kind of change. */
type ChangeHandlers = { [Kind in ChangeKind]?: (change: Change<Kind>) => void };

/**
 * Called when a follower missed changes or its handler threw: cached state must be dropped or read again. A returned
 * promise is not awaited; a rejection is logged.
 */
export type GapListener = () => void | Promise<void>;

/** How fresh the caches of a node are. */
export type Trust =
  /** The feed is followed. Caches are at most a second and two round trips old. */
  | "fresh"
  /** The feed has responded within two seconds. Cached values are used if storage does not respond soon. */
  | "slow"
  /** The feed is behind, but storage may respond. Read from storage. */
  | "behind"
  /** Storage is unavailable. Cached values may be used for the configured time. */
  | "away"
  /** Storage has been unavailable since the start. A copy of it is read for the configured time. */
  | "copied"
  /** Storage has been unavailable for longer than that. Cached values must not be used. */
  | "lost";

/** What was written in between may be lost. Times of this node's clock. */
export interface HistoryChange {
  followedUntil: number;
  on: number;
}

interface Subscription {
  listener: ChangeListener;
  onGap: GapListener;
}

/** Notifies followers of changes: immediately for writes of this node, within a second for writes of other nodes. */
export abstract class ChangeFeed {
  readonly #subscriptions: Subscription[] = [];
  readonly #followed = new Map<ChangeKind, string[]>();
  /** Identifies the database that this process follows. Undefined if no other can take its place. */
  get history(): HistoryPoint | undefined {
    return undefined;
  }
  /** How often the database was replaced by one with another history. */
  historyChanges = 0;
  lastHistoryChange: HistoryChange | undefined;

  constructor(private readonly warn: (message: string, error: unknown) => void) {}

  /** The catalogue of changes lists followers by this name. */
  follow(follower: string, handlers: ChangeHandlers, onGap: GapListener): void {
    for (const kind of Object.keys(handlers) as ChangeKind[])
      this.#followed.set(kind, [...this.followersOf(kind), follower]);
    this.subscribe((changes) => {
      // A handler receives only changes of its own kind, which the compiler cannot infer from the union.
      for (const change of changes) (handlers[change.kind] as ((change: Change) => void) | undefined)?.(change);
    }, onGap);
  }

  followersOf(kind: ChangeKind): string[] {
    return this.#followed.get(kind) ?? [];
  }

  /** Subscribes to all changes, whatever their kind. */
  subscribe(listener: ChangeListener, onGap: GapListener): void {
    this.#subscriptions.push({ listener, onGap });
  }

  /**
   * Runs between commit and response, so that the next request to this node already sees the change. Never throws,
   * because the write is committed and the other followers must see it too.
   */
  publish(changes: Change[]): void {
    if (changes.length === 0) return;
    for (const subscription of this.#subscriptions) {
      try {
        subscription.listener(changes);
      } catch (error) {
        this.warn("a follower of changes failed; it starts over", error);
        this.#startOver(subscription);
      }
    }
  }

  /** Notifies every follower that it missed changes. */
  publishGap(): void {
    for (const subscription of this.#subscriptions) this.#startOver(subscription);
  }

  abstract trust(): Trust;

  /** For how long changes of other nodes may have been missed. */
  lagMilliseconds(): number {
    return 0;
  }

  /** How old the copy is that is read instead of storage, in milliseconds. Undefined if none is. */
  get copyAge(): number | undefined {
    return undefined;
  }

  /** Distinguishes this process from other nodes on the same database. Undefined if there can be no others. */
  get nodeId(): string | undefined {
    return undefined;
  }

  #startOver({ onGap }: Subscription): void {
    const failed = (error: unknown) => this.warn("a follower of changes could not start over", error);
    try {
      onGap()?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** One process owns the database, so its own writes are the only changes. */
export class LocalFeed extends ChangeFeed {
  trust(): Trust {
    return "fresh";
  }
}
