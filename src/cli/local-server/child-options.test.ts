import { expect, test } from "bun:test";
import type { MachineSockets } from "../../server/worker-process/machine-sockets.ts";
import { primaryProcess, workerProcess } from "./child-options.ts";

const main = { descriptor: 11, port: 8787 };
const sockets: MachineSockets = {
  public: { main },
  forwarded: { main: { descriptor: 12, port: 8787 } },
  channel: 13,
  paths: { channel: "/run/channel", listeners: { main: "/run/main" } },
  openSandboxes: () => sandboxes,
  closePublic: () => {},
  close: () => {},
};
const sandboxes = { descriptor: 14, path: "/run/sandboxes", close: () => {} };

test("only the primary, which migrates storage, may take as long as it needs to start", () => {
  expect(primaryProcess(sockets, sandboxes, false).startMilliseconds).toBe(Number.POSITIVE_INFINITY);
  expect(workerProcess(sockets, sandboxes).startMilliseconds).toBeUndefined();
});
