import { afterEach, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Metrics } from "../../core/metrics/metrics.ts";
import { flushMilliseconds, statusMilliseconds } from "../../counting/deadlines.ts";
import { listenUnix } from "../../platform/processes/listening-sockets.ts";
import { type ChannelMessage, MessageChannel } from "../../platform/processes/message-channel.ts";
import { WorkerHub } from "./worker-hub.ts";

let folder: TemporaryFolder | undefined;
let hub: WorkerHub | undefined;

afterEach(async () => {
  hub?.stop();
  await folder?.remove();
});

test("does not wait forever for a worker that does not respond", async () => {
  folder = await temporaryFolder("hub");
  const path = join(folder.path, "socket");
  hub = new WorkerHub({ log: { debug: () => {} } as never, release: "1", isSuccessor: false, clockOffset: () => 0 });
  hub.follow({ feed: { subscribe: () => {}, trust: () => "fresh" } } as never);
  hub.listen(listenUnix(path), {
    counters: { ledger: { writer: "ledger", lost: { returned: () => {}, add: () => {} } } },
    writes: [],
    now: () => 0,
  } as never);
  for (const name of ["one that responds", "one that does not"]) {
    const respond = ([kind]: ChannelMessage) => (kind === "status" ? [] : "# TYPE a counter\na 1\n");
    const handle = name === "one that responds" ? respond : () => new Promise(() => {});
    const worker = new MessageChannel({ handle, onClose: () => {} });
    worker.opened(await Bun.connect({ unix: path, data: worker, socket: MessageChannel.handlers }));
    const state = { release: "1", isLeaving: false, writer: name, holds: [], inProgress: [] };
    await worker.request(["hello", state], 60_000);
  }
  const waits: number[] = [];
  const start = setTimeout;
  const timers = spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, milliseconds: number) => {
    waits.push(milliseconds);
    return start(callback, Math.min(2000, milliseconds));
  }) as never);
  try {
    expect(await hub.metricsText({ withNames: false }, new Metrics())).toContain("\na 1\n");
    expect(await hub.processes()).toHaveLength(1);
    await hub.statuses().upstreams("deployment", 1);
    await Promise.all([hub.flush(), hub.runTasks()]);
  } finally {
    timers.mockRestore();
  }
  // Shorter ones are of what other tests of the process have left.
  const long = waits.filter((wait) => wait >= statusMilliseconds);
  expect(new Set(long)).toEqual(new Set([statusMilliseconds, flushMilliseconds]));
});
