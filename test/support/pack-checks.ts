import { expect } from "bun:test";
import { ok } from "./billing.ts";
import { cents } from "./billing-checks.ts";
import type { Client, ClientResponse } from "./client.ts";

type Body = ClientResponse["body"];

/** An amount of a grant, in units or cents. */
const amountOf = ({ currency }: Body, amount: number | string) =>
  currency === undefined ? BigInt(amount) : cents(String(amount));
/** Credit that was used and is granted again. The grant of a pack has its label as the reason. */
const isReturned = ({ reason, purchaseId }: Body) =>
  purchaseId === undefined ? reason?.startsWith("Returned") : !["units", "money"].includes(reason);

/** Follows what a customer buys, from what the interface shows after each step. */
export class PackBook {
  readonly #seen = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly bucket: string,
  ) {}

  get #customer(): string {
    return `${this.bucket}/customers/acme`;
  }

  /**
   * Expects that each pack is granted once if it is paid, and otherwise not, and that top-ups keep to their limits.
   * @param maximum what top-ups may cost in a month, in cents
   * @returns what could still be refunded of packs, in cents
   */
  async expectOnce(maximum: number): Promise<bigint> {
    const { data: purchases } = await ok(this.client.get(`${this.#customer}/packs?limit=1000`));
    const { data: grants } = await ok(this.client.get(`${this.#customer}/grants?limit=1000`));
    let refundable = 0n;
    for (const { id, state, grant, total, grantId, refunded = "0.00" } of purchases as Body[]) {
      const own = grants.filter(({ purchaseId }: Body) => purchaseId === id);
      const first = own.filter((each: Body) => !isReturned(each));
      expect({ id, state, grants: first.map((each: Body) => [each.id, each.amount, each.funding]) }).toEqual({
        id,
        state,
        grants: state === "paid" ? [[grantId, grant.amount, "prepaid"]] : [],
      });
      if (state !== "paid") continue;
      const active = own.filter(({ status }: Body) => status === "active");
      const left = active.reduce((sum: bigint, each: Body) => sum + amountOf(each, each.balance), 0n);
      const share = (cents(total.amount) * left) / amountOf(grant, grant.amount);
      expect({ id, isMore: left > amountOf(grant, grant.amount) }).toEqual({ id, isMore: false });
      expect({ id, isMore: cents(refunded) + share > cents(total.amount) }).toEqual({ id, isMore: false });
      refundable += share;
    }
    this.#expectTopUps(purchases, BigInt(maximum));
    return refundable;
  }

  #expectTopUps(purchases: Body[], maximum: bigint): void {
    const topUps = purchases.filter(({ isTopUp }) => isTopUp);
    expect(topUps.filter(({ state }) => state === "open").length).toBeLessThanOrEqual(1);
    const monthOf = ({ createdOn }: Body) => createdOn.slice(0, 7);
    for (const topUp of topUps) {
      // The maximum may have been lowered since then.
      if (this.#seen.has(topUp.id)) continue;
      this.#seen.add(topUp.id);
      const counted = topUps.filter((each) => each.state !== "failed" && monthOf(each) === monthOf(topUp));
      expect(counted.reduce((sum, { total }) => sum + cents(total.amount), 0n) <= maximum).toBe(true);
    }
  }

  /** Each entry has the balance after it, none is negative, and of each pack no more was used than granted. */
  async expectEntries(): Promise<{ covered: bigint }> {
    const { data: grants } = await ok(this.client.get(`${this.#customer}/grants?limit=1000`));
    const used = new Map<string, bigint>();
    let covered = 0n;
    for (const grant of grants) {
      const { data: entries } = await ok(this.client.get(`${this.#customer}/grants/${grant.id}/entries?limit=1000`));
      let sum = 0n;
      let consumed = 0n;
      // Late usage may have lowered what was returned of a rollover since then.
      const granted = amountOf(grant, entries[0].amount);
      for (const { kind, amount, balance } of entries) {
        sum += amountOf(grant, amount);
        expect(amountOf(grant, balance)).toBe(sum);
        expect(sum >= 0n).toBe(true);
        if (kind === "consumed") consumed -= amountOf(grant, amount);
      }
      expect(amountOf(grant, grant.balance)).toBe(sum);
      if (isReturned(grant)) consumed -= granted;
      if (grant.meter !== undefined) covered += consumed;
      if (grant.purchaseId !== undefined) used.set(grant.purchaseId, (used.get(grant.purchaseId) ?? 0n) + consumed);
    }
    const { data: purchases } = await ok(this.client.get(`${this.#customer}/packs?limit=1000`));
    for (const { id, grant, state } of purchases) {
      const its = used.get(id) ?? 0n;
      const most = state === "paid" ? amountOf(grant, grant.amount) : 0n;
      expect({ id, isPossible: its >= 0n && its <= most }).toEqual({ id, isPossible: true });
    }
    return { covered };
  }
}
