/** The amount of work of each part. */
export interface Effort {
  /** Hard kills, of both engines together. */
  killRounds: number;
  fuzzRequests: number;
  /** Archives with bytes changed at random, besides those that are always sent. */
  damagedArchives: number;
  /** Clients that are connected to a server with 256 descriptors. */
  pressureClients: number;
  /** Of rounds of writes during background tasks, on both engines at the same time. */
  backgroundSeconds: number;
  soakSeconds: number;
}

export const short: Effort = {
  killRounds: 20,
  fuzzRequests: 20_000,
  damagedArchives: 100,
  pressureClients: 5_000,
  backgroundSeconds: 20,
  soakSeconds: 60,
};

export const long: Effort = {
  killRounds: 500,
  fuzzRequests: 1_000_000,
  damagedArchives: 5_000,
  pressureClients: 15_000,
  backgroundSeconds: 10 * 60,
  soakSeconds: 30 * 60,
};

/** Less than the short form: all of it has to fit into a few minutes of `npm test`. */
export const insideTests: Effort = { ...short, backgroundSeconds: 4, soakSeconds: 20 };
