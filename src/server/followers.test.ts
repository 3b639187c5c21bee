import { afterEach, expect, test } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { serverEnvironment } from "../../test/support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { SigningKeys } from "../areas/operations/audit-log/signing-keys.ts";
import { readConfig } from "../config/config.ts";
import { followers } from "../core/changes/followers.ts";
import { Keyring } from "../lib/crypto/keyring.ts";
import type { ChangeKind } from "../platform/storage/change.ts";
import { Log } from "../platform/telemetry/log.ts";
import { openCounters } from "./background-services/counters.ts";
import { openTls } from "./background-services/tls.ts";
import { openControlPlane } from "./control-plane.ts";
import { openDataPlane } from "./data-plane.ts";
import { openFoundation } from "./foundation/foundation.ts";
import { Lifecycle } from "./foundation/lifecycle.ts";
import { OwnAddress } from "./foundation/own-address.ts";

/** With all features enabled that follow changes. */
const acme = { TOLLGATE_ACME: "on", TOLLGATE_HTTP_PORT: "0", TOLLGATE_PUBLIC_URL: "https://manage.example.com" };

const lifecycle = new Lifecycle(() => {});
let folder: TemporaryFolder | undefined;

afterEach(async () => {
  await lifecycle.close();
  await folder?.remove();
});

test("every kind of change has the followers that the catalogue names, and no others", async () => {
  folder = await temporaryFolder("followers");
  const database = await sqlite.migratedDatabase();
  lifecycle.onClose("database", () => database.drop());
  const config = readConfig(serverEnvironment(database, folder.path, acme));
  const log = new Log({ level: "error", readable: false, sink: { write: () => true } });
  const foundation = await openFoundation(config, { clock: new FakeClock(), log, lifecycle });
  const keyring = new Keyring([Buffer.alloc(32)]);
  const auditKeys = await SigningKeys.open(foundation.storage, keyring, 0);
  const counters = openCounters(foundation, keyring);
  const options = { keyring, auditKeys, counters, address: new OwnAddress(config) };
  const dataPlane = openDataPlane(foundation, options);
  const { builds, jobs } = openControlPlane(foundation, dataPlane, { ...options, starter: dataPlane.gateway });
  openTls(foundation, config.tls!, { ...options, customHosts: async () => [] });
  await builds.start();
  for (const runner of jobs) await runner.start();

  const kinds = Object.keys(followers) as ChangeKind[];
  const followed = kinds.map((kind) => [kind, foundation.storage.feed.followersOf(kind).toSorted()]);
  expect(followed).toEqual(kinds.map((kind) => [kind, followers[kind].toSorted()]));
});
