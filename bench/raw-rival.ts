import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { runForJson } from "./child-process.ts";
import type { Sample } from "./sample.ts";
import { type RunningServer, startServer } from "./server.ts";
import type { Workspace } from "./workspace.ts";

/** How often the rival waits for the disk. */
type Commits = "per request" | "per row";

/** A server's database before and after it served the requests that the rival then writes raw. */
export interface RawRival {
  /** Writes raw into a fresh copy of the database; a transaction is what a request is to the server. */
  write(seconds: number, commits?: Commits): Promise<Sample>;
}

interface Recording {
  /** Makes what must exist before the requests, such as the bucket; not part of the comparison. */
  prepare(server: RunningServer): Promise<void>;
  /** Sends the requests and returns how many they were. */
  request(server: RunningServer): Promise<number>;
}

export async function recordRival(workspace: Workspace, name: string, recording: Recording): Promise<RawRival> {
  const dataDirectory = workspace.newDirectory(name);
  const before = `${dataDirectory}-before.db`;
  const after = join(dataDirectory, "tollgate.db");
  {
    await using server = await startServer(dataDirectory);
    await recording.prepare(server);
  }
  // The server leaves one file, without a journal beside it, when it has stopped.
  copyFileSync(after, before);
  let requestCount = 0;
  {
    await using server = await startServer(dataDirectory);
    requestCount = await recording.request(server);
  }
  return {
    async write(seconds, commits = "per request") {
      const copy = `${workspace.newDirectory(name)}-copy.db`;
      copyFileSync(before, copy);
      const options = [copy, after, String(requestCount), String(seconds), commits];
      return runForJson<Sample>("bench/rivals/raw-inserts.ts", options);
    },
  };
}
