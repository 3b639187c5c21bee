import { expect, test } from "bun:test";
import fc from "fast-check";
import { useDns } from "../../../../test/support/domains.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { type TestStorage, useStorage } from "../../../../test/support/storage.ts";
import type { Act } from "../../../core/access.ts";
import { DnsLookup } from "../../../platform/dns-lookup.ts";
import { createAccount } from "../../access/accounts/accounts.ts";
import { deploymentOfBranch } from "../deployments/deployments.ts";
import { DomainChecker } from "./checker.ts";
import { DomainDirectory } from "./directory.ts";
import { type Domain, Domains } from "./domains.ts";
import { proofName, proofValue } from "./proof.ts";

const day = 24 * 60 * 60 * 1000;
const hostOf = (deployment: string) => `${deployment}.apis.example.com`;
const notAborted = new AbortController().signal;

type Step =
  | { kind: "claim" | "prove" | "unprove" | "delete"; who: 0 | 1 }
  | { kind: "wait"; days: number }
  | { kind: "outage"; isOn: boolean };

const who = fc.constantFrom<0 | 1>(0, 1);
/** Weighted so that hosts are owned, lost and contested most of the time. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("claim"), who }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("prove"), who }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("unprove"), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete"), who }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("wait"), days: fc.constantFrom(0.1, 1, 3, 7.5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("outage"), isOn: fc.constantFrom(false, false, true) }) },
);

const wait: Step = { kind: "wait", days: 1 };
/** Passes through every state, whatever else is generated. */
const tour: Step[] = [
  { kind: "claim", who: 1 },
  { kind: "prove", who: 1 },
  wait,
  { kind: "unprove", who: 1 },
  wait,
  { kind: "prove", who: 0 },
  wait,
  { kind: "unprove", who: 0 },
  wait,
  { kind: "prove", who: 1 },
  wait,
  { kind: "delete", who: 0 },
  { kind: "unprove", who: 1 },
  wait,
];

/** The expected state of an account's claim. */
interface Expected {
  status: "pending" | "active" | "failing";
  /** When a pending claim is removed, or a failing one is released. */
  until: number;
}

let scenes = 0;

eachEngine((engine) => {
  const { dns } = useDns();
  const storage = useStorage(engine);

  /** Two accounts and one host: the actual state of each, and the expected state. */
  class Scene {
    readonly host = `api-${++scenes}.acme.example`;
    readonly expected: (Expected | undefined)[] = [undefined, undefined];
    readonly #domains = new Domains({ hostOf, isOwnHost: () => false });
    readonly #checker = new DomainChecker({
      storage: storage.open,
      dns: new DnsLookup([dns.address]),
      hostOf,
      clock: storage.clock,
    });
    readonly #directory = new DomainDirectory(storage.open, () => false);
    #isOutage = false;

    constructor(private readonly players: Player[]) {}

    async take(step: Step): Promise<void> {
      switch (step.kind) {
        case "claim":
          return this.#claim(step.who);
        case "delete":
          return this.#delete(step.who);
        case "prove":
          return dns.add("TXT", proofName(this.host), this.#proof(step.who));
        case "unprove":
          return dns.remove("TXT", proofName(this.host), this.#proof(step.who));
        case "outage":
          this.#isOutage = step.isOn;
          dns.trouble = step.isOn ? "failure" : "none";
          return;
        case "wait":
          storage.clock.advance(step.days * day);
      }
    }

    /** Checks all claims of both accounts, whether due or not, and compares. */
    async settle(): Promise<void> {
      await this.#check();
      this.#expire();
      for (const who of [0, 1] as const) {
        const domain = await this.#find(who);
        if (domain) await this.#requestCheck(who, domain.id);
        await this.#check();
        if (domain && !this.#isOutage) this.#conclude(who);
      }
      const actual = await Promise.all([this.#find(0), this.#find(1)]);
      expect(actual.map((domain) => domain?.status)).toEqual(this.expected.map((each) => each?.status));
      this.#checkRouting(actual);
    }

    #checkRouting(actual: (Domain | undefined)[]): void {
      const owners = actual.filter((domain) => domain && domain.status !== "pending");
      expect(owners.length).toBeLessThanOrEqual(1);
      expect(this.#directory.find(this.host)?.accountSeq).toBe(owners[0]?.account_seq);
      if (this.#isOutage) return;
      // An unproven claim never blocks: an account that alone has the proof owns the host.
      const proven = actual.filter((domain, who) => domain && this.#isProven(who as 0 | 1));
      if (proven.length === 1) expect(proven[0]!.status).toBe("active");
    }

    async #claim(who: 0 | 1): Promise<void> {
      if (await this.#find(who)) return;
      const { act, deploymentName } = this.players[who]!;
      const input = { host: this.host, deploymentName };
      await storage.open.write((transaction) => this.#domains.create(transaction, act(), input));
      this.expected[who] = { status: "pending", until: storage.clock.now() + 7 * day };
    }

    async #delete(who: 0 | 1): Promise<void> {
      const domain = await this.#find(who);
      if (!domain) return;
      const { act } = this.players[who]!;
      await storage.open.write((transaction) => this.#domains.delete(transaction, act(), domain.id, () => {}));
      this.expected[who] = undefined;
    }

    async #requestCheck(who: 0 | 1, id: string): Promise<void> {
      storage.clock.advance(5_001);
      this.#expire();
      const { act } = this.players[who]!;
      await storage.open.write((transaction) => this.#domains.requestCheck(transaction, act(), id));
    }

    #check(): Promise<void> {
      return this.#checker.checkDue(notAborted);
    }

    async #find(who: 0 | 1): Promise<Domain | undefined> {
      const { seq } = this.players[who]!.act().account;
      const { data } = await this.#domains.list(storage.open.reads, seq, { limit: 1000, offset: 0 });
      return data.find(({ host }) => host === this.host);
    }

    #proof(who: 0 | 1): string {
      return proofValue(this.players[who]!.act().account.id);
    }

    #isProven(who: 0 | 1): boolean {
      return dns.get("TXT", proofName(this.host)).includes(this.#proof(who));
    }

    #expire(): void {
      for (const [who, each] of this.expected.entries())
        if (each?.status === "pending" && each.until <= storage.clock.now()) this.expected[who] = undefined;
    }

    #conclude(who: 0 | 1): void {
      const own = this.expected[who];
      if (!own) return;
      const now = storage.clock.now();
      if (own.status === "pending") {
        if (!this.#isProven(who)) return;
        const other = this.expected[1 - who];
        if (other && other.status !== "pending") {
          if (this.#isProven((1 - who) as 0 | 1)) return;
          this.expected[1 - who] = { status: "pending", until: now + 7 * day };
        }
        this.expected[who] = { status: "active", until: Number.POSITIVE_INFINITY };
      } else if (this.#isProven(who)) this.expected[who] = { status: "active", until: Number.POSITIVE_INFINITY };
      else if (own.status === "active") this.expected[who] = { status: "failing", until: now + 7 * day };
      else if (own.until <= now) this.expected[who] = { status: "pending", until: now + 7 * day };
    }
  }

  test("a host has at most one owner, and a claim blocks no other account", async () => {
    const seen = new Set<string>();
    const players = [await newPlayer(storage, "one"), await newPlayer(storage, "two")];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: "max" }), async (steps) => {
        dns.clear();
        const scene = new Scene(players);
        await scene.take({ kind: "claim", who: 0 });
        for (const each of steps) {
          await scene.take(each);
          await scene.settle();
          seen.add(scene.expected.map((one) => one?.status ?? "none").join(" "));
        }
        for (const each of [0, 1] as const) await scene.take({ kind: "delete", who: each });
      }),
      { numRuns: 8, examples: [[tour]] },
    );
    for (const states of ["active pending", "pending active", "failing pending", "none failing", "pending pending"])
      expect(seen).toContain(states);
  });
});

interface Player {
  act(): Act;
  deploymentName: string;
}

async function newPlayer(storage: TestStorage, name: string): Promise<Player> {
  const { clock } = storage;
  const by = { actor: "system", actorType: "system" as const };
  const account = await storage.open.write((transaction) =>
    createAccount(transaction, { ...by, now: clock.now() }, name),
  );
  const act = (): Act => ({ ...by, account, now: clock.now() });
  const { name: deploymentName } = await storage.open.write((transaction) =>
    deploymentOfBranch(transaction, act(), "shop", "main"),
  );
  return { act, deploymentName };
}
