import type { Change, ChangeKind } from "./change.ts";

export type ChangeListener = (changes: Change[]) => void;

/** What a follower does with each kind that concerns it. */
export type ChangeHandlers = { [Kind in ChangeKind]?: (change: Change<Kind>) => void };

/**
 * Called when a follower missed changes, or threw at one: whatever its handlers keep up to date must be dropped or read again.
 * A returned promise is not waited for; if it rejects, that is logged.
 */
export type GapListener = () => void | Promise<void>;

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

interface Subscription {
  listener: ChangeListener;
  onGap: GapListener;
}

/** Notifies followers of changes: at once for this node's own writes, within a second for other nodes'. */
export abstract class ChangeFeed {
  readonly #subscriptions: Subscription[] = [];
  readonly #followed = new Map<ChangeKind, string[]>();

  constructor(private readonly warn: (message: string, error: unknown) => void) {}

  /** The name is that under which the catalogue of changes expects the follower. */
  follow(follower: string, handlers: ChangeHandlers, onGap: GapListener): void {
    for (const kind of Object.keys(handlers) as ChangeKind[])
      this.#followed.set(kind, [...this.followersOf(kind), follower]);
    this.subscribe((changes) => {
      // The handler of a change's own kind takes that change; the compiler cannot follow the union here.
      for (const change of changes) (handlers[change.kind] as ((change: Change) => void) | undefined)?.(change);
    }, onGap);
  }

  followersOf(kind: ChangeKind): string[] {
    return this.#followed.get(kind) ?? [];
  }

  /** All changes, whatever their kind. */
  subscribe(listener: ChangeListener, onGap: GapListener): void {
    this.#subscriptions.push({ listener, onGap });
  }

  /**
   * Runs between commit and response, so that the next request of this node already sees the change. Never throws: the write
   * is committed, and the other followers must see it too.
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

  /** Tells every follower that it missed changes. */
  publishGap(): void {
    for (const subscription of this.#subscriptions) this.#startOver(subscription);
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

  #startOver({ onGap }: Subscription): void {
    const failed = (error: unknown) => this.warn("a follower of changes could not start over", error);
    try {
      onGap()?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** One process owns the database: its own writes are all there is to follow. */
export class LocalFeed extends ChangeFeed {
  trust(): Trust {
    return "fresh";
  }
}
