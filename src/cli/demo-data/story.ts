import { BuildError, type Deployment, type SubscriptionUpdate } from "../../client/index.ts";
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

const happens = (at: number, run: Happening["run"]): Happening => ({ at, run });

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
      happens(from, () => this.#begin()),
      ...business.customers.map((customer) =>
        happens(this.#after(customer.joined) + 10 * minuteMilliseconds, () => business.signUp(customer)),
      ),
      ...this.#deployments(),
      ...this.#webhooks(),
      ...this.#customerCare(),
      ...this.#heavyUse(),
      ...this.#bursts(),
    ];
    for (let night = nextNight(from); night < to; night += dayMilliseconds)
      all.push(
        happens(night, async () => {
          this.reportedEvents += await business.reportMessages();
        }),
      );
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
      happens(this.#after(0.3), () => this.#release("labels")),
      happens(this.#after(0.35), () => this.business.invitePartners()),
      happens(broken, () => this.#releaseBroken()),
      happens(broken + 25 * minuteMilliseconds, () => this.#release("pickup")),
      happens(faulty, () => this.#release("faulty")),
      happens(faulty + 20 * minuteMilliseconds, () => this.#shipFurniture()),
      happens(faulty + 95 * minuteMilliseconds, async () => {
        await this.business.as("jonas").deployments.rollBack(this.#deployment.name, { version: 3 });
        this.#version = "pickup";
      }),
      happens(this.#before(2 * dayMilliseconds), async () => {
        const note = "Try rates for slow transport";
        await pipeline().deploy(await shop("pickup"), { project: "waybill", branch: "eco-rates", note });
      }),
    ];
  }

  #webhooks(): Happening[] {
    const add = (path: string, events: string[], description: string) =>
      this.business.as("jonas").webhooks.create({ url: `${this.#office.url}/hooks/${path}`, events, description });
    return [
      happens(this.#after(0.38), () =>
        add("billing", ["subscription.*", "quota.threshold", "plan.*"], "Keeps invoices in step"),
      ),
      happens(this.#after(0.68), () => add("crm", ["consumer.*", "key.*"], "Customer records of sales")),
      happens(this.#before(2.5 * dayMilliseconds), () =>
        add("alerts", ["deployment.*", "quota.threshold", "key.*"], "The channel of the people on call"),
      ),
    ];
  }

  #customerCare(): Happening[] {
    const { business } = this;
    const iso = (offset: number) => formatDateTime(this.clock.now() + offset);
    const keys = (name: string) => business.as("jonas").keys(keyBucket, name);
    const change = (name: string, changes: SubscriptionUpdate) =>
      business.as("billing").subscriptions(meteringBucket).update(business.accounts.get(name)!.subscriptionId, changes);
    return [
      happens(this.#after(0.74), () => {
        const plans = business.as("ada").plans(meteringBucket);
        return plans.update(business.planIds.get("starter")!, { meters: metersOf(2_000, 250, 200) });
      }),
      happens(this.#after(0.8), () => business.rollKey("kestrel-electronics")),
      happens(this.#after(0.83), () => change("papermoon-gifts", { planExternalIds: ["price_scale"], prorate: 0.5 })),
      happens(this.#before(30 * hourMilliseconds), () => change("copper-kettle", { status: "past-due" })),
      happens(this.#before(27 * hourMilliseconds), async () => {
        await change("marlow-toys", { status: "canceled" });
        await keys("marlow-toys").update(business.accounts.get("marlow-toys")!.keyId, { isEnabled: false });
      }),
      happens(this.#before(26 * hourMilliseconds), () => change("bramble-prints", { status: "inactive" })),
      happens(this.#before(22 * hourMilliseconds), async () => {
        const description = "Christmas season, by the agency";
        await keys("meridian-retail").create({ description, expiresOn: iso(5 * dayMilliseconds) });
        await keys("oakline-furniture").create({ description: "Warehouse", allowedIps: ["198.51.100.0/24"] });
        const expiresOn = iso(20 * hourMilliseconds);
        await keys("northwind-traders").create({ description: "Trial of the app", expiresOn });
      }),
      happens(this.#before(9 * hourMilliseconds), async () => {
        const consumers = business.as("jonas").consumers(keyBucket);
        await consumers.create({ name: "waybill-load-test" }, { withApiKey: true });
        const description = "Casa Verde, home in ES. Moved to a new shop system; see the notes of support.";
        await consumers.update("casa-verde", { description });
      }),
      happens(this.#before(7 * hourMilliseconds), () =>
        business.as("ada").consumers(keyBucket).delete("waybill-load-test"),
      ),
      happens(this.#before(5 * hourMilliseconds), () =>
        business.as("ada").variables("waybill").set("SUPPORT_EMAIL", { value: "support@waybill.example" }),
      ),
    ];
  }

  #heavyUse(): Happening[] {
    return [
      happens(this.#before(2.2 * dayMilliseconds), () => this.business.campaign("blue-door-books", 0.93)),
      happens(this.#before(1.4 * dayMilliseconds), () => this.business.campaign("little-fjord", 0.82)),
      happens(this.#before(14 * hourMilliseconds), () => this.#useUp("pebble-studio")),
    ];
  }

  /** Requests its whole archive in steps of a minute until the quota of its plan is exceeded. */
  async #useUp(name: string): Promise<void> {
    const request = { ...this.#requestOf(name), latencyMs: 3 };
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
    return Object.entries(names).map(([name, share]) =>
      happens(this.#after(share), () => {
        const request = { ...this.#requestOf(name), path: "/tracking/WB100200", latencyMs: 2 };
        return this.traffic.send(Array.from({ length: 95 }, () => request));
      }),
    );
  }

  #requestOf(name: string) {
    const { customer, key } = this.business.accounts.get(name)!;
    return { method: "GET", key, address: customer.address };
  }

  async #release(version: ShopVersion): Promise<void> {
    const options = { project: "waybill", note: notes[version] };
    this.#deployment = await this.business.as("pipeline").deploy(await shop(version), options);
    this.#version = version;
    this.traffic ??= new ShopTraffic(this.#deployment.url);
  }

  /** Heavy parcels, for which the faulty version throws. */
  async #shipFurniture(): Promise<void> {
    const body = { to: "Hamburg", grams: 28_000 };
    const from = this.#requestOf("oakline-furniture");
    const request = { ...from, method: "POST", path: "/shipments", body, latencyMs: 4 };
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
