import { type Engine, engines, sqlite } from "../test/support/engines.ts";

/** The amount of work of each part. */
export interface Effort {
  /** Hard kills, of both engines together. */
  killRounds: number;
  /** Hard kills of one process of a server with workers, on each engine. */
  workerRounds: number;
  workerEngines: readonly Engine[];
  /** Hard kills amid the objects of exports, on each engine. */
  exportKills: number;
  /** Nodes on one PostgreSQL, the keys that they have, and changes while one of them is away. */
  fleetNodes: number;
  fleetKeys: number;
  fleetChanges: number;
  /** Keys that are deleted, during writes. */
  fleetRounds: number;
  fleetWritesPerSecond: number;
  /** How long a deleted key may be accepted by a node (p99). */
  fleetLagMilliseconds: number;
  fuzzRequests: number;
  /** Archives with bytes changed at random, besides those that are always sent. */
  damagedArchives: number;
  /** Calls every operation with every credential on these engines. */
  whoMayEngines: readonly Engine[];
  /** How many of the allowed credentials call an operation that changes something. Each gets an account of its own. */
  whoMayChanges: number;
  /** How many of the credentials that are not valid call an operation, besides none. */
  whoMayInvalid: number;
  /** Outages of PostgreSQL, one after the other. */
  outages: number;
  /** How long storage, a standby or a node is away in a failover, at most, and the scenarios; all if undefined. */
  failoverSeconds: number;
  failovers?: readonly string[];
  /** Clients that are connected to a server with 256 descriptors. */
  pressureClients: number;
  /** The size of a response that code reads as a stream. */
  streamMebibytes: number;
  /** Of rounds of writes during background tasks, on each engine. */
  backgroundSeconds: number;
  /** Subscriptions that are compared with the model, on each engine. */
  billingRuns: number;
  /** Rounds in which everything that locks usage or money happens at the same time. */
  lockRounds: number;
  billingEngines: readonly Engine[];
  /** Sequences of payments and returns, on both engines together: the time, and how many there are at most on each. */
  moneySeconds: number;
  moneyRuns: number;
  soakSeconds: number;
  /** Of the three kinds of expensive bodies, how many each operation gets. */
  hostileBodies: 1 | 3;
  /** Of the plans of 750 kB, and subscriptions to them, that each bucket may list on a page: how many are stored. */
  largePlans: number;
  /** Of the consumers and subscriptions with 16 KiB of metadata that a list may return: how many are stored. */
  largeRecords: number;
  /** By how much requests may exceed the bounds of their cost and time: tests run on machines that are busy with other tests. */
  tolerance: number;
}

export const short: Effort = {
  killRounds: 20,
  workerRounds: 12,
  workerEngines: engines,
  exportKills: 6,
  fleetNodes: 8,
  fleetKeys: 20_000,
  fleetChanges: 2_000,
  fleetRounds: 20,
  fleetWritesPerSecond: 50,
  fleetLagMilliseconds: 500,
  fuzzRequests: 20_000,
  damagedArchives: 100,
  whoMayEngines: engines,
  whoMayChanges: Number.POSITIVE_INFINITY,
  whoMayInvalid: Number.POSITIVE_INFINITY,
  outages: 2,
  failoverSeconds: 20,
  pressureClients: 5_000,
  streamMebibytes: 1024,
  backgroundSeconds: 20,
  billingRuns: 60,
  lockRounds: 20,
  billingEngines: engines,
  moneySeconds: 30,
  moneyRuns: 1_000_000,
  soakSeconds: 60,
  hostileBodies: 3,
  largePlans: 100,
  largeRecords: 1_000,
  tolerance: 1,
};

export const long: Effort = {
  killRounds: 500,
  workerRounds: 150,
  workerEngines: engines,
  exportKills: 100,
  fleetNodes: 8,
  fleetKeys: 1_000_000,
  fleetChanges: 200_000,
  fleetRounds: 500,
  fleetWritesPerSecond: 50,
  fleetLagMilliseconds: 500,
  fuzzRequests: 1_000_000,
  damagedArchives: 5_000,
  whoMayEngines: engines,
  whoMayChanges: Number.POSITIVE_INFINITY,
  whoMayInvalid: Number.POSITIVE_INFINITY,
  outages: 5,
  failoverSeconds: 600,
  pressureClients: 15_000,
  streamMebibytes: 16 * 1024,
  backgroundSeconds: 10 * 60,
  billingRuns: 5_000,
  lockRounds: 1_000,
  billingEngines: engines,
  moneySeconds: 60 * 60,
  moneyRuns: 1_000_000,
  soakSeconds: 30 * 60,
  hostileBodies: 3,
  largePlans: 100,
  largeRecords: 1_000,
  tolerance: 1,
};

/**
 * Less than the short form: all of it has to fit into a minute of `npm test`. The seed is fixed there, so more requests would only
 * repeat themselves in every run. Roles are checked before storage is used, so one engine is enough. Every
 * operation is called without a credential and with all roles, accounts and projects that it must reject. Credentials that are valid for
 * no operation are rejected before an operation is chosen, so two of them in turn call each; of the allowed ones, two in turn call an
 * operation that changes something. Bodies are parsed by
 * the same code for every operation, so each gets one of the expensive ones in turn. Lists read in slices, so a
 * part of the large plans and records is enough to see a long one. `billing-model.test.ts` has runs of the model of billing on both
 * engines, so one engine is enough for it here.
 */
export const insideTests: Effort = {
  killRounds: 6,
  workerRounds: 3,
  workerEngines: [sqlite],
  exportKills: 2,
  fleetNodes: 3,
  fleetKeys: 1_000,
  fleetChanges: 40,
  fleetRounds: 3,
  fleetWritesPerSecond: 20,
  fleetLagMilliseconds: 30_000,
  fuzzRequests: 1_000,
  damagedArchives: 10,
  whoMayEngines: [sqlite],
  whoMayChanges: 2,
  whoMayInvalid: 2,
  outages: 1,
  failoverSeconds: 3,
  failovers: ["the primary is killed"],
  pressureClients: 5_000,
  streamMebibytes: 256,
  backgroundSeconds: 1,
  billingRuns: 3,
  lockRounds: 3,
  billingEngines: [sqlite],
  moneySeconds: Number.POSITIVE_INFINITY,
  moneyRuns: 3,
  soakSeconds: 8,
  hostileBodies: 1,
  largePlans: 20,
  largeRecords: 100,
  tolerance: 4,
};
