import type { Tollgate } from "../../client/index.ts";
import { remoteCommand, showFields } from "../connection/remote.ts";
import { bytes, showList } from "../output/show.ts";

type EventStorage = NonNullable<Awaited<ReturnType<Tollgate["systemStatus"]>>["usageEvents"]>;

export const command = remoteCommand({
  summary: "Show the status of the server: version, storage, nodes, caches, last backup",
  details: "For the operator (TOLLGATE_OPERATOR_TOKEN).",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate status", text: "All values." }],
  call: (client) => client.systemStatus(),
  show({ version, startedOn, memoryBytes, storage, feed, nodes, caches, usageEvents, replica, lastBackup }, terminal) {
    showFields(
      {
        version,
        startedOn,
        memory: bytes(memoryBytes),
        storage: `${storage.engine}, ${bytes(storage.bytes)}`,
        feed: `${feed.trust}, ${feed.lagMs} ms behind`,
        ...(feed.lastHistoryChange && { database: replaced(feed.lastHistoryChange) }),
        ...(usageEvents && { usageEvents: eventStorage(usageEvents) }),
        ...(replica && { replica: replica.isUsed ? `used, ${replica.lagMs} ms behind` : `not used: ${replica.error}` }),
        lastBackup: lastBackup ? `${lastBackup.time}, ${bytes(lastBackup.bytes)}` : "none",
      },
      terminal,
    );
    terminal.print("");
    showList(terminal, nodes, ["id", "host", "connectedOn", "isThis"]);
    terminal.print("");
    showList(terminal, caches, ["name", "entries", "hits", "misses"]);
  },
});

function replaced({ followedUntil, on }: { followedUntil: string; on: string }): string {
  return `replaced by one with another history; writes from ${followedUntil} to ${on} may be lost`;
}

function eventStorage({ isPartitioned, partitions, keysPercent, olderNodes }: EventStorage): string {
  if (isPartitioned) return `${partitions} partitions`;
  const waiting = olderNodes > 0 ? `, waiting for ${olderNodes} nodes of an earlier release` : "";
  return `not partitioned yet: ${keysPercent} % have keys${waiting}`;
}
