import { BuildError, type Deployment } from "../../client/index.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { Business } from "./business.ts";
import { metersOf } from "./customers.ts";
import type { MovingClock } from "./moving-clock.ts";
import { backOffice, brokenShop, keyBucket, meteringBucket, type ShopVersion, shop } from "./projects.ts";
import { dayMilliseconds, hourMilliseconds, type Season, ShopTraffic } from "./traffic.ts";

const minuteMilliseconds = 60_000;

const notes: Record<ShopVersion, string> = {
  first: "Rates, shipments and tracking",
  labels: "Print labels",
  pickup: "Pickup points of carriers",
  faulty: "Ship heavy parcels by freight",
};

/** An event at a point in time. */
export interface Happening {
  at: number;
  run(): Promise<unknown>;
}

/** The events of the business, and the deployments that they lead to. */
export class Story {
  traffic!: ShopTraffic;
  /** Usage events that the text message service has reported. */
  reportedEvents = 0;
  #deployment!: Deployment;
  #version: ShopVersion = "first";
  #office!: Deployment;

  constructor(
    private readonly business: Business,
    private readonly clock: MovingClock,
    private readonly span: { from: number; to: number },
  ) {}

  get deployment(): Deployment {
    return this.#deployment;
  }

  season(time: number): Season {
    const outage = atTen(this.#after(0.55));
    return {
      progress: (time - this.span.from) / (this.span.to - this.span.from),
      hasLabels: this.#version !== "first",
      hasPickup: this.#version === "pickup" || this.#version === "faulty",
      isOutage: time >= outage && time < outage + 2 * hourMilliseconds,
    };
  }

  /** All events in chronological order. */
  happenings(): Happening[] {
    const { business } = this;
    const { from, to } = this.span;
    const all: Happening[] = [
      { at: from, run: () => this.#begin() },
      ...business.customers.map((customer) => ({
        at: this.#after(customer.joined) + 10 * minuteMilliseconds,
        run: () => business.signUp(customer),
      })),
      ...this.#deployments(),
      ...this.#webhooks(),
      ...this.#customerCare(),
      ...this.#heavyUse(),
      ...this.#bursts(),
    ];
    for (let night = nextNight(from); night < to; night += dayMilliseconds)
      all.push({
        at: night,
        run: async () => {
          this.reportedEvents += await business.reportMessages();
        },
      });
    return all.sort((one, other) => one.at - other.at);
  }

  async #begin(): Promise<void> {
    await this.business.found();
    const pipeline = this.business.as("pipeline");
    await this.#release("first");
    await this.business.openPortal(this.#deployment.name);
    this.#office = await pipeline.deploy(await backOffice(), { project: "back-office" });
  }

  #deployments(): Happening[] {
    const pipeline = () => this.business.as("pipeline");
    const broken = this.#after(0.62);
    const faulty = atTen(Math.max(this.#before(3 * dayMilliseconds), this.#after(0.8)));
    return [
      { at: this.#after(0.3), run: () => this.#release("labels") },
      { at: this.#after(0.35), run: () => this.business.invitePartners() },
      { at: broken, run: () => this.#releaseBroken() },
      { at: broken + 25 * minuteMilliseconds, run: () => this.#release("pickup") },
      { at: faulty, run: () => this.#release("faulty") },
      { at: faulty + 20 * minuteMilliseconds, run: () => this.#shipFurniture() },
      {
        at: faulty + 95 * minuteMilliseconds,
        run: async () => {
          await this.business.as("jonas").deployments.rollBack(this.#deployment.name, { version: 3 });
          this.#version = "pickup";
        },
      },
      {
        at: this.#before(2 * dayMilliseconds),
        run: async () =>
          pipeline().deploy(await shop("pickup"), {
            project: "waybill",
            branch: "eco-rates",
            note: "Try rates for slow transport",
          }),
      },
    ];
  }

  #webhooks(): Happening[] {
    const add = (path: string, events: string[], description: string) =>
      this.business.as("jonas").webhooks.create({ url: `${this.#office.url}/hooks/${path}`, events, description });
    return [
      {
        at: this.#after(0.38),
        run: () => add("billing", ["subscription.*", "quota.threshold", "plan.*"], "Keeps invoices in step"),
      },
      { at: this.#after(0.68), run: () => add("crm", ["consumer.*", "key.*"], "Customer records of sales") },
      {
        at: this.#before(2.5 * dayMilliseconds),
        run: () => add("alerts", ["deployment.*", "quota.threshold", "key.*"], "The channel of the people on call"),
      },
    ];
  }

  #customerCare(): Happening[] {
    const { business } = this;
    const iso = (offset: number) => formatDateTime(this.clock.now() + offset);
    const keys = (name: string) => business.as("jonas").keys(keyBucket, name);
    const subscriptions = () => business.as("billing").subscriptions(meteringBucket);
    const subscriptionOf = (name: string) => business.accounts.get(name)!.subscriptionId;
    return [
      {
        at: this.#after(0.74),
        run: () =>
          business
            .as("ada")
            .plans(meteringBucket)
            .update(business.planIds.get("starter")!, {
              meters: metersOf(2_000, 250, 200),
            }),
      },
      { at: this.#after(0.8), run: () => business.rollKey("kestrel-electronics") },
      {
        at: this.#after(0.83),
        run: () =>
          subscriptions().update(subscriptionOf("papermoon-gifts"), { planExternalIds: ["price_scale"], prorate: 0.5 }),
      },
      {
        at: this.#before(30 * hourMilliseconds),
        run: () => subscriptions().update(subscriptionOf("copper-kettle"), { status: "past-due" }),
      },
      {
        at: this.#before(27 * hourMilliseconds),
        run: async () => {
          await subscriptions().update(subscriptionOf("marlow-toys"), { status: "canceled" });
          await keys("marlow-toys").update(business.accounts.get("marlow-toys")!.keyId, { isEnabled: false });
        },
      },
      {
        at: this.#before(26 * hourMilliseconds),
        run: () => subscriptions().update(subscriptionOf("bramble-prints"), { status: "inactive" }),
      },
      {
        at: this.#before(22 * hourMilliseconds),
        run: async () => {
          const description = "Christmas season, by the agency";
          await keys("meridian-retail").create({ description, expiresOn: iso(5 * dayMilliseconds) });
          await keys("oakline-furniture").create({ description: "Warehouse", allowedIps: ["198.51.100.0/24"] });
          await keys("northwind-traders").create({
            description: "Trial of the app",
            expiresOn: iso(20 * hourMilliseconds),
          });
        },
      },
      {
        at: this.#before(9 * hourMilliseconds),
        run: async () => {
          await business.as("jonas").consumers(keyBucket).create({ name: "waybill-load-test" }, { withApiKey: true });
          await business.as("jonas").consumers(keyBucket).update("casa-verde", {
            description: "Casa Verde, home in ES. Moved to a new shop system; see the notes of support.",
          });
        },
      },
      {
        at: this.#before(7 * hourMilliseconds),
        run: () => business.as("ada").consumers(keyBucket).delete("waybill-load-test"),
      },
      {
        at: this.#before(5 * hourMilliseconds),
        run: () => business.as("ada").variables("waybill").set("SUPPORT_EMAIL", { value: "support@waybill.example" }),
      },
    ];
  }

  #heavyUse(): Happening[] {
    return [
      { at: this.#before(2.2 * dayMilliseconds), run: () => this.business.campaign("blue-door-books", 0.93) },
      { at: this.#before(1.4 * dayMilliseconds), run: () => this.business.campaign("little-fjord", 0.82) },
      { at: this.#before(14 * hourMilliseconds), run: () => this.#useUp("pebble-studio") },
    ];
  }

  /** Requests its whole archive in steps of a minute until the quota of its plan is exceeded. */
  async #useUp(name: string): Promise<void> {
    const { customer, key } = this.business.accounts.get(name)!;
    const request = { method: "GET", key, address: customer.address, latencyMs: 3 };
    const count = (await this.business.requestsLeft(name)) + 40;
    for (let sent = 0; sent < count; sent += 50) {
      const some = Array.from({ length: Math.min(50, count - sent) }, (_, index) => sent + index);
      await this.traffic.send(some.map((number) => ({ ...request, path: `/shipments/shp_${1000 + number}` })));
      this.clock.moveTo(this.clock.now() + minuteMilliseconds);
    }
  }

  /** Programs that retry without a pause reach the rate limit. */
  #bursts(): Happening[] {
    const names = { "tallgrass-outdoor": 0.5, "harbor-and-co": 0.77, "little-fjord": 0.9, "northwind-traders": 0.995 };
    return Object.entries(names).map(([name, share]) => ({
      at: this.#after(share),
      run: async () => {
        const { customer, key } = this.business.accounts.get(name)!;
        const request = { method: "GET", path: "/tracking/WB100200", key, address: customer.address, latencyMs: 2 };
        await this.traffic.send(Array.from({ length: 95 }, () => request));
      },
    }));
  }

  async #release(version: ShopVersion): Promise<void> {
    const options = { project: "waybill", note: notes[version] };
    this.#deployment = await this.business.as("pipeline").deploy(await shop(version), options);
    this.#version = version;
    this.traffic ??= new ShopTraffic(this.#deployment.url);
  }

  /** Heavy parcels, for which the faulty version throws. */
  async #shipFurniture(): Promise<void> {
    const { customer, key } = this.business.accounts.get("oakline-furniture")!;
    const body = { to: "Hamburg", grams: 28_000 };
    const request = { method: "POST", path: "/shipments", key, address: customer.address, body, latencyMs: 4 };
    await this.traffic.send(Array.from({ length: 14 }, () => request));
  }

  async #releaseBroken(): Promise<void> {
    try {
      await this.business.as("pipeline").deploy(await brokenShop(), { project: "waybill" });
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
    }
  }

  #after(share: number): number {
    return this.span.from + Math.round(share * (this.span.to - this.span.from));
  }

  #before(milliseconds: number): number {
    return this.span.to - milliseconds;
  }
}

/** The last 10:00 UTC before a time, when customers are busy. */
function atTen(time: number): number {
  return time - ((time - 10 * hourMilliseconds) % dayMilliseconds);
}

/** 02:00 UTC. */
function nextNight(time: number): number {
  const night = time - (time % dayMilliseconds) + 2 * hourMilliseconds;
  return night < time ? night + dayMilliseconds : night;
}
