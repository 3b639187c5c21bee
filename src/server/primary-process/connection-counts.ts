import type { ConnectedWorker } from "./connected-worker.ts";
import type { ConnectionCounts } from "./worker-messages.ts";

/** The connections of all workers by client. Each worker gets the counts of the others. */
export class ConnectionTable {
  readonly #clients = new Map<string, Map<ConnectedWorker, number>>();

  constructor(private readonly workers: Iterable<ConnectedWorker>) {}

  update(worker: ConnectedWorker, counts: ConnectionCounts): void {
    for (const [group, count] of counts) {
      const client = this.#clients.get(group) ?? new Map<ConnectedWorker, number>();
      if (count === 0) client.delete(worker);
      else client.set(worker, count);
      if (client.size === 0) this.#clients.delete(group);
      else this.#clients.set(group, client);
    }
    const groups = counts.map(([group]) => group);
    for (const other of this.workers) if (other !== worker) this.#send(other, groups);
  }

  /** Sends a new worker the connections of the others. */
  introduce(worker: ConnectedWorker): void {
    this.#send(worker, [...this.#clients.keys()]);
  }

  remove(worker: ConnectedWorker): void {
    const groups = [...this.#clients].flatMap(([group, client]) => (client.has(worker) ? [group] : []));
    this.update(
      worker,
      groups.map((group) => [group, 0]),
    );
  }

  #send(worker: ConnectedWorker, groups: string[]): void {
    if (groups.length === 0) return;
    const counts = groups.map((group): ConnectionCounts[number] => {
      const client = this.#clients.get(group) ?? new Map<ConnectedWorker, number>();
      let sum = 0;
      for (const [other, count] of client) if (other !== worker) sum += count;
      return [group, sum];
    });
    worker.send(["connections", counts]);
  }
}
