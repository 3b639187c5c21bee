import { SigningKeys } from "../../src/areas/operations/audit-log/signing-keys.ts";
import { readConfig } from "../../src/config/config.ts";
import { Keyring } from "../../src/lib/crypto/keyring.ts";
import { Lifecycle } from "../../src/lib/tasks/lifecycle.ts";
import { Log } from "../../src/platform/telemetry/log.ts";
import { openCounters } from "../../src/server/background-services/counters.ts";
import { openControlPlane } from "../../src/server/control-plane.ts";
import { openDataPlane } from "../../src/server/data-plane.ts";
import { openFoundation } from "../../src/server/foundation/foundation.ts";
import { OwnAddress } from "../../src/server/foundation/own-address.ts";
import { sqlite } from "./engines.ts";
import { FakeClock } from "./fake-clock.ts";
import { serverEnvironment } from "./server-settings.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The control plane of a server on SQLite that does not listen. */
export async function openTestControlPlane(settings: Record<string, string> = {}) {
  const lifecycle = new Lifecycle(() => {});
  const folder = await temporaryFolder("control-plane");
  lifecycle.onClose("folder", () => folder.remove());
  const database = await sqlite.migratedDatabase();
  lifecycle.onClose("database", () => database.drop());
  const config = readConfig(serverEnvironment(database, folder.path, settings));
  const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
  const foundation = await openFoundation(config, { clock: new FakeClock(), log, lifecycle });
  const keyring = new Keyring([Buffer.alloc(32)]);
  const auditKeys = await SigningKeys.open(foundation.storage, keyring, 0);
  const counters = openCounters(foundation, keyring);
  const address = new OwnAddress(config);
  const options = { keyring, auditKeys, counters, address };
  const dataPlane = openDataPlane(foundation, options);
  const controlPlane = openControlPlane(foundation, dataPlane, { ...options, starter: dataPlane.gateway });
  return { ...options, foundation, controlPlane, close: () => lifecycle.close() };
}
