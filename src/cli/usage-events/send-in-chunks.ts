import type { IngestedEvents, Tollgate, UsageEvent } from "../../client/index.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";

const chunkSize = 1000;

/** Sends events in chunks. Returns the total, with the rejected events by their index in `events`. */
export async function sendInChunks(
  client: Tollgate,
  bucketId: string,
  events: UsageEvent[],
  terminal: Terminal,
): Promise<IngestedEvents> {
  const line = new LiveLine(terminal);
  const total: IngestedEvents = { accepted: 0, duplicates: 0, rejected: [] };
  try {
    for (let at = 0; at < events.length; at += chunkSize) {
      if (events.length > chunkSize) line.bar(`${at} of ${events.length} events`, at, events.length);
      const response = await client.events(bucketId).send(events.slice(at, at + chunkSize));
      total.accepted += response.accepted;
      total.duplicates += response.duplicates;
      total.rejected.push(...response.rejected.map(({ index, detail }) => ({ index: index + at, detail })));
    }
  } finally {
    line.remove();
  }
  return total;
}
