import { expect, test } from "bun:test";
import fc from "fast-check";
import { beforeTaxIn, type Money, plus, sumIn } from "./money-terms.ts";
import { CreditUses, lowerMoney } from "./use-store.ts";

const amount = fc.bigInt({ min: 0n, max: 6n });
const money = fc.record<Money>({ promotional: amount, prepaid: amount, paid: amount });

test("money that is returned was there, of its kind if possible, and no kind becomes negative", () => {
  fc.assert(
    fc.property(money, money, money, (shown, open, returned) => {
      const use = { ...new CreditUses(1).of(0, 1, "requests"), money: plus(shown, open), shown };
      lowerMoney(use, returned);
      const left = plus(use.money, shown, -1n);
      for (const each of Object.values(left)) expect(each >= 0n).toBe(true);
      const least = (one: bigint, other: bigint) => (one < other ? one : other);
      expect(beforeTaxIn(open) - beforeTaxIn(left)).toBe(least(beforeTaxIn(returned), beforeTaxIn(open)));
      expect(open.paid - left.paid).toBe(least(returned.paid, open.paid));
      const fits = returned.promotional <= open.promotional && returned.prepaid <= open.prepaid;
      if (fits && returned.paid <= open.paid) expect(sumIn(plus(left, returned))).toBe(sumIn(open));
      if (fits) expect(left.prepaid).toBe(open.prepaid - returned.prepaid);
    }),
    { numRuns: 2_000 },
  );
});
