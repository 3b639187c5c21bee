import { type History, primaryHistory } from "../../platform/storage/history.ts";
import type { Foundation } from "./foundation.ts";

const checkSeconds = 1;

/** Reads of what may be some seconds old, from the replica if one is configured. */
export async function openHistory({
  config,
  storage,
  log,
  metrics,
  lifecycle,
}: Omit<Foundation, "history">): Promise<History> {
  const url = config.databaseReplicaUrl;
  if (url === undefined || storage.engine === "sqlite") return primaryHistory(storage.reads);
  // Imported only here, with the driver of PostgreSQL.
  const { Replica } = await import("../../platform/storage/replica.ts");
  const replica = new Replica({
    url,
    primary: storage.reads,
    observer: metrics.storage,
    warn: (message) => log.warn(message),
  });
  lifecycle.onClose("replica", () => replica.close());
  lifecycle.everyFromNow(checkSeconds, "check of the replica", () => replica.check());
  metrics.watchReplica(() => replica.status());
  return replica;
}
