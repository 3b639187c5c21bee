import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { HeldTimers } from "../../../test/support/held-timers.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { until } from "../../../test/support/until.ts";
import { PrimaryRequestsInProgress } from "../../counting/workers/worker-counting.ts";
import { MessageChannel } from "../../platform/processes/message-channel.ts";
import type { ToPrimary, ToWorker, WorkerState } from "../primary-process/worker-messages.ts";
import { PrimaryLink } from "./primary-link.ts";

let folder: TemporaryFolder;
let path: string;
let link: PrimaryLink;
let inProgress: PrimaryRequestsInProgress;
let disconnections = 0;

/** A primary that records the messages that it receives, and responds to the first one with what `greeting` returns. */
class RecordingPrimary {
  readonly received: ToPrimary[] = [];
  readonly #channels = new Set<MessageChannel>();
  readonly #listener: Bun.UnixSocketListener<MessageChannel>;

  constructor(greeting: (send: (message: ToWorker) => void) => unknown = () => null) {
    this.#listener = Bun.listen<MessageChannel>({
      unix: path,
      socket: {
        ...MessageChannel.handlers,
        open: (socket) => {
          const channel = new MessageChannel({
            handle: (message) => {
              this.received.push(message as ToPrimary);
              return message[0] === "hello" ? greeting((sent) => channel.notify(sent)) : true;
            },
            onClose: () => {},
          });
          this.#channels.add(channel);
          socket.data = channel;
          channel.opened(socket);
        },
      },
    });
  }

  get states(): WorkerState[] {
    return this.received.flatMap((message) => (message[0] === "hello" ? [message[1]] : []));
  }

  get ends(): ToPrimary[] {
    return this.received.filter(([kind]) => kind === "end");
  }

  end(): void {
    this.#listener.stop(true);
    for (const channel of this.#channels) channel.close();
    rmSync(path, { force: true });
  }
}

beforeEach(async () => {
  folder = await temporaryFolder("link");
  path = join(folder.path, "channel");
  disconnections = 0;
  link = new PrimaryLink({
    path,
    state: () => ({ release: "1", isLeaving: false, writer: "w", holds: [], inProgress: inProgress.takeOver() }),
    onConnected: () => {},
    onDisconnected: () => {
      disconnections += 1;
    },
    handle: (message, reply) => (message[0] === "changes" ? reply(["applied", message[1]]) : undefined),
  });
  inProgress = new PrimaryRequestsInProgress(link);
});
afterEach(async () => {
  await link.stop();
  await folder.remove();
});

test("a request that ends while the next primary receives the state ends there too", async () => {
  const first = new RecordingPrimary();
  await link.open();
  for (let index = 0; index < 3; index++) expect(await inProgress.begin("key", 5, { decisionGroup: 0 })).toBe(true);
  first.end();
  await until(() => disconnections === 1);
  const isKnown = Promise.withResolvers<null>();
  // Ends without a primary: the state does not contain it any more.
  inProgress.end("key");
  const next = new RecordingPrimary(() => isKnown.promise);
  await until(() => next.states.length === 1);
  expect(next.states[0]!.inProgress).toEqual([["key", 2]]);
  inProgress.end("key");
  isKnown.resolve(null);
  await until(() => next.ends.length > 0);
  inProgress.end("key");
  await until(() => next.ends.length > 1);
  await link.ask(["document", 1, ""]);
  expect(next.ends).toEqual([
    ["end", "key"],
    ["end", "key"],
  ]);
  next.end();
});

test("a stop resolves when the primary has received what was sent last", async () => {
  const primary = new RecordingPrimary();
  await link.open();
  await inProgress.begin("key", 5, { decisionGroup: 0 });
  inProgress.end("key");
  await link.stop();
  expect(primary.ends).toEqual([["end", "key"]]);
  primary.end();
});

test("changes that arrive with the response to the state are acknowledged", async () => {
  const primary = new RecordingPrimary((send) => send(["changes", 7, []]));
  await link.open();
  await link.ask(["document", 1, ""]);
  expect(primary.received).toContainEqual(["applied", 7]);
  primary.end();
});

test("requests that time out without a primary are forgotten", async () => {
  using timers = new HeldTimers(5_000);
  const asked = Array.from({ length: 10 }, () => link.ask(["document", 1, ""]));
  await until(() => timers.pending === 10);
  expect(link.waiting).toBe(10);
  timers.expire();
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
  expect(link.waiting).toBe(0);
});
