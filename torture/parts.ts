import { archives } from "./archives/archives.ts";
import { background } from "./background/background.ts";
import { billing } from "./billing/billing.ts";
import { bodies } from "./bodies/bodies.ts";
import { cost } from "./cost/cost.ts";
import { exports } from "./exports/exports.ts";
import { failover } from "./failover/failover.ts";
import { faults } from "./faults/faults.ts";
import { fleet } from "./fleet/fleet.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { kill } from "./kill/kill.ts";
import { locks } from "./locks/locks.ts";
import { money } from "./money/money.ts";
import type { Part } from "./part.ts";
import { pressure } from "./pressure/pressure.ts";
import { soak } from "./soak/soak.ts";
import { whoMay } from "./who-may/who-may.ts";
import { workers } from "./workers/workers.ts";

export const parts: Record<string, Part> = {
  kill,
  workers,
  exports,
  faults,
  failover,
  fleet,
  fuzz,
  "who-may": whoMay,
  archives,
  pressure,
  bodies,
  cost,
  background,
  billing,
  locks,
  money,
  soak,
};
