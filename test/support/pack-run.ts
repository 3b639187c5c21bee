import fc from "fast-check";
import { ok } from "./billing.ts";
import type { ClientResponse } from "./client.ts";
import type { TestServer } from "./server.ts";

type Body = ClientResponse["body"];

const decimal = (cents: number) => (cents / 100).toFixed(2);

/** What is sold to a customer, in cents and units. */
export interface ModelPacks {
  units: { price: number; granted: number; days: number | undefined };
  money: { price: number; granted: number; days: number | undefined };
}

const days = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
export const modelPacks: fc.Arbitrary<ModelPacks> = fc.record({
  units: fc.record({
    price: fc.integer({ min: 1, max: 3_000 }),
    granted: fc.integer({ min: 2, max: 200 }),
    days,
  }),
  money: fc.record({
    price: fc.integer({ min: 1, max: 3_000 }),
    granted: fc.integer({ min: 2, max: 2_000 }),
    days,
  }),
});

type PackName = keyof ModelPacks;

/** What happens to credit packs and to the automatic top-up. `which` selects one of the purchases that are paid. */
export type PackStep =
  | { kind: "buy"; pack: PackName }
  | { kind: "refund-pack"; which: number }
  | { kind: "top-up"; pack: PackName; maximum: number; isEnabled: boolean }
  | { kind: "check-top-up" };

const pack = fc.constantFrom<PackName>("units", "money");
export const packStep: fc.Arbitrary<PackStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("buy" as const), pack }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("refund-pack" as const), which: fc.nat({ max: 20 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("top-up" as const),
      pack,
      maximum: fc.integer({ min: 1, max: 9_000 }),
      isEnabled: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("check-top-up" as const) }) },
);

const kinds = new Set(["buy", "refund-pack", "top-up", "check-top-up"]);
export const isPackStep = (step: { kind: string }): step is PackStep => kinds.has(step.kind);

/**
 * The credit packs of a customer. What different nodes may do at the same time, they do at the same time; with one server, that
 * are two requests.
 */
export class PackRun {
  /** What top-ups may cost in a month, in cents. */
  maximum = 0;

  constructor(
    private readonly nodes: [TestServer, TestServer],
    private readonly bucket: string,
    private readonly packs: ModelPacks,
  ) {}

  get #client() {
    return this.nodes[0].client;
  }

  get #customer(): string {
    return `${this.bucket}/customers/acme`;
  }

  async create(): Promise<void> {
    const { units, money } = this.packs;
    for (const [packExternalId, { price, days }, grant] of [
      ["units", units, { meter: "requests", amount: units.granted }],
      ["money", money, { currency: "EUR", amount: decimal(money.granted) }],
    ] as const) {
      const terms = { ...grant, ...(days === undefined ? {} : { expiresInDays: days }) };
      const created = { packExternalId, label: packExternalId, price: { currency: "EUR", amount: decimal(price) } };
      await ok(this.#client.post(`${this.bucket}/credit-packs`, { ...created, grant: terms }));
    }
  }

  async do(step: PackStep): Promise<void> {
    if (step.kind === "buy") await this.#buy(step.pack);
    else if (step.kind === "refund-pack") await this.#refund(step.which);
    else if (step.kind === "top-up") await this.#setTopUp(step);
    else await this.#atOnce((node) => node.catchUp());
  }

  #atOnce<Result>(work: (node: TestServer) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.nodes.map(work));
  }

  async #buy(packExternalId: PackName): Promise<void> {
    const returnUrl = "https://shop.example/billing";
    await ok(this.#client.post(`${this.#customer}/packs/$purchase`, { packExternalId, returnUrl }));
  }

  /** At most one of two refunds has something to return. */
  async #refund(which: number): Promise<void> {
    const { data } = await ok(this.#client.get(`${this.#customer}/packs?limit=1000`));
    const paid = data.filter(({ state }: Body) => state === "paid");
    if (paid.length === 0) return;
    const path = `${this.#customer}/packs/${paid[which % paid.length].id}/$refund`;
    const responses = await this.#atOnce((node) => node.client.post(path));
    const made = responses.filter(({ status, body }) => status === 200 && body.state === "succeeded");
    const others = responses.filter(({ status, body }) => status !== 409 && body.state === undefined);
    if (made.length > 1 || others.length > 0) throw new Error(`Refunds: ${responses.map(({ text }) => text)}`);
  }

  async #setTopUp({ pack, maximum, isEnabled }: PackStep & { kind: "top-up" }): Promise<void> {
    const below = Math.ceil(this.packs[pack].granted / 2);
    const topUp = {
      packExternalId: pack,
      below: pack === "units" ? below : decimal(below),
      maximumPerMonth: decimal(maximum),
      isEnabled,
    };
    if (below >= this.packs[pack].granted) return;
    const response = await this.#client.patch(this.#customer, { topUp });
    // The pack may cost more.
    if (response.status === 400 && response.body.errors[0].pointer === "/topUp/maximumPerMonth") return;
    await ok(Promise.resolve(response));
    this.maximum = maximum;
  }
}
