import { remoteCommand, showFields } from "../connection/remote.ts";
import { bytes, showList } from "../output/show.ts";

export const command = remoteCommand({
  summary: "Show the status of the server: version, storage, nodes, caches, last backup",
  details: "For the operator (TOLLGATE_OPERATOR_TOKEN).",
  arguments: {},
  options: {},
  examples: [{ command: "tollgate status", text: "All values." }],
  call: (client) => client.systemStatus(),
  show({ version, startedOn, memoryBytes, storage, feed, nodes, caches, replica, lastBackup }, terminal) {
    showFields(
      {
        version,
        startedOn,
        memory: bytes(memoryBytes),
        storage: `${storage.engine}, ${bytes(storage.bytes)}`,
        feed: `${feed.trust}, ${feed.lagMs} ms behind`,
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
