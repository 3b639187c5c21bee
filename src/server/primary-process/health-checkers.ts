import type { ToWorker } from "./worker-messages.ts";

interface Watcher {
  send(message: ToWorker): void;
}

/** Assigns each target to the worker that checks its health: the first that watches it, then the next. */
export class HealthCheckers {
  readonly #watchers = new Map<string, Set<Watcher>>();

  watch(worker: Watcher, key: string): void {
    const watchers = this.#watchers.get(key) ?? new Set<Watcher>();
    this.#watchers.set(key, watchers.add(worker));
    if (watchers.size === 1) worker.send(["check", key]);
  }

  unwatch(worker: Watcher, key: string): void {
    const watchers = this.#watchers.get(key);
    if (!watchers) return;
    const [checker] = watchers;
    watchers.delete(worker);
    const [next] = watchers;
    if (!next) this.#watchers.delete(key);
    else if (checker === worker) next.send(["check", key]);
  }

  remove(worker: Watcher): void {
    for (const key of [...this.#watchers.keys()]) this.unwatch(worker, key);
  }
}
