import type { Config } from "../../config/config.ts";
import { SandboxHost } from "../../gateway/sandbox/shared/host.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { Egress } from "../../platform/egress/egress.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { descriptorLimit, shareSandboxDescriptors } from "../descriptors.ts";
import { ownServerOf } from "../foundation/own-server.ts";
import { release } from "../release.ts";

interface SandboxProcessOptions {
  log: Log;
  clock?: Clock;
  /** The listening socket at which the primary and workers connect. */
  descriptor: number;
  /** Called when this process must end, because it cannot work with the primary. */
  onStop(reason: string): void;
}

/** Starts the process for sandboxes and their egress. */
export function startSandboxes(config: Config, { log, clock, descriptor, onStop }: SandboxProcessOptions): SandboxHost {
  const host = new SandboxHost({
    egress: new Egress(config.egress, undefined, undefined, ownServerOf(config)),
    ...(clock && { clock }),
    connections: shareSandboxDescriptors(descriptorLimit(), config),
    warn: (error) => log.warn("checking sandboxes failed and will be retried", { error }),
    release,
    onOtherRelease: () => onStop("the primary has another release"),
  });
  host.listen(descriptor);
  return host;
}
