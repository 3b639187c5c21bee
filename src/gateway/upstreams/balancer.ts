/** The parts of a target that a balancer uses. */
interface Candidate {
  readonly url: string;
  readonly weight: number;
  readonly inFlight: number;
}

export interface Balancer<Target extends Candidate> {
  /** Returns an eligible target; undefined if there is none. `key` is the value for `hash`. */
  pick(isEligible: (target: Target) => boolean, key: string): Target | undefined;
}

export function balancerOf<Target extends Candidate>(balance: string, targets: readonly Target[]): Balancer<Target> {
  switch (balance) {
    case "hash":
      return new HashBalancer(targets);
    case "least-requests":
      return new LeastRequests(targets);
    default:
      return new RoundRobin(targets);
  }
}

/** Smooth weighted round robin: a target of weight 3 does not get three requests in a row. */
class RoundRobin<Target extends Candidate> implements Balancer<Target> {
  readonly #credits: number[];

  constructor(private readonly targets: readonly Target[]) {
    this.#credits = targets.map(() => 0);
  }

  pick(isEligible: (target: Target) => boolean): Target | undefined {
    let best = -1;
    let total = 0;
    for (const [at, target] of this.targets.entries()) {
      if (!isEligible(target)) continue;
      total += target.weight;
      this.#credits[at] = this.#credits[at]! + target.weight;
      if (best === -1 || this.#credits[at]! > this.#credits[best]!) best = at;
    }
    if (best === -1) return undefined;
    this.#credits[best] = this.#credits[best]! - total;
    return this.targets[best];
  }
}

/** Selects the target with the fewest requests in flight relative to its weight. Equal targets take turns. */
class LeastRequests<Target extends Candidate> implements Balancer<Target> {
  readonly #turns: RoundRobin<Target>;

  constructor(private readonly targets: readonly Target[]) {
    this.#turns = new RoundRobin(targets);
  }

  pick(isEligible: (target: Target) => boolean): Target | undefined {
    let min = Number.POSITIVE_INFINITY;
    for (const target of this.targets) if (isEligible(target)) min = Math.min(min, loadOf(target));
    return this.#turns.pick((target) => isEligible(target) && loadOf(target) === min);
  }
}

const loadOf = ({ inFlight, weight }: Candidate) => inFlight / weight;

/** Weighted rendezvous hashing: if a target goes down, only its own keys move. */
class HashBalancer<Target extends Candidate> implements Balancer<Target> {
  constructor(private readonly targets: readonly Target[]) {}

  pick(isEligible: (target: Target) => boolean, key: string): Target | undefined {
    let best: Target | undefined;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const target of this.targets) {
      if (!isEligible(target)) continue;
      const score = target.weight / -Math.log(unitHash(`${target.url}\n${key}`));
      if (score <= bestScore) continue;
      best = target;
      bestScore = score;
    }
    return best;
  }
}

/** Uniform in the open interval from 0 to 1. */
export function unitHash(text: string): number {
  return (Bun.hash.xxHash32(text) + 0.5) / 2 ** 32;
}
